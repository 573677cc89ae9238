/** The message of a log point, with expressions in braces. */

export type MessagePart = { readonly text: string } | { readonly expression: string };

/**
 * Splits `total is {total}`. `\{` is a brace. Braces may nest inside an expression. A brace that is never
 * closed is text.
 */
export function messageParts(message: string): MessagePart[] {
  const parts: MessagePart[] = [];
  let text = '';
  for (let index = 0; index < message.length; index++) {
    const character = message[index] ?? '';
    if (character === '\\' && (message[index + 1] === '{' || message[index + 1] === '}')) {
      text += message[++index] ?? '';
      continue;
    }
    const end = character === '{' ? closingBrace(message, index) : -1;
    if (end < 0) {
      text += character;
      continue;
    }
    if (text !== '') parts.push({ text });
    text = '';
    parts.push({ expression: message.slice(index + 1, end).trim() });
    index = end;
  }
  if (text !== '') parts.push({ text });
  return parts;
}

/** Returns the index of the brace that closes the one at `start`; -1 for none. */
function closingBrace(message: string, start: number): number {
  let depth = 0;
  for (let index = start; index < message.length; index++) {
    if (message[index] === '{') depth++;
    else if (message[index] === '}' && --depth === 0) return index;
  }
  return -1;
}
