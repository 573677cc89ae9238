import { WrittenJson } from '../rpc/written-json.ts';
import { AnswerTooLargeError } from './errors.ts';

/** An answer as JSON: a text, or a long one's bytes in UTF-8, which every text would become on its way to a socket. */
export type Answer = string | Buffer;

/** The most characters of what leaves as a text: as many as node:net writes without taking memory for them. */
const LONGEST_TEXT = 16_384;

function textOf(result: unknown): string {
  return JSON.stringify(result) ?? 'null';
}

/** The texts one after the other in UTF-8. Joining long texts first would copy them once more. */
function bytesOf(texts: readonly string[]): Buffer {
  const bytes = Buffer.allocUnsafeSlow(texts.reduce((length, text) => length + Buffer.byteLength(text), 0));
  let length = 0;
  for (const text of texts) length += bytes.write(text, length);
  return bytes;
}

/** Throws {@link AnswerTooLargeError} for a result that is longer than any text can be. */
function written<Text>(write: () => Text, limit: number): Text {
  try {
    return write();
  } catch (error) {
    if (error instanceof RangeError) throw new AnswerTooLargeError(limit);
    throw error;
  }
}

/**
 * The answer to the request with that id, as JSON text, with this result of a method. Throws {@link AnswerTooLargeError}
 * when the result has more than `limit` characters.
 */
export function resultAnswer(id: string, result: unknown, limit: number): Answer {
  const before = `{"jsonrpc":"2.0","id":${id},"result":`;
  if (result instanceof WrittenJson) {
    const bytes = written(() => result.toBytes(before, '}'), limit);
    if (bytes.length - Buffer.byteLength(before) - 1 > limit) throw new AnswerTooLargeError(limit);
    return bytes.length <= LONGEST_TEXT ? bytes.toString() : bytes;
  }
  const text = written(() => textOf(result), limit);
  if (text.length > limit) throw new AnswerTooLargeError(limit);
  return text.length <= LONGEST_TEXT ? `${before}${text}}` : bytesOf([before, text, '}']);
}

/** The answer to a batch, from those to its requests. */
export function batchAnswer(answers: readonly Answer[]): Answer {
  if (answers.every((answer) => typeof answer === 'string')) return `[${answers.join(',')}]`;
  const pieces = answers.flatMap((answer, position) => [position === 0 ? '[' : ',', answer]);
  return Buffer.concat(
    [...pieces, ']'].map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
  );
}
