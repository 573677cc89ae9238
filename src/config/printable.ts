const LONGEST = 500;

/**
 * The text with control characters (line ends and escape sequences among them) made visible, cut to a length that a
 * person reads. What callers and contracts say passes through here before it reaches a terminal.
 */
export function printable(text: string, longest: number = LONGEST): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return cut.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}
