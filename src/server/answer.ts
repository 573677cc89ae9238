import { ResultTooLongError } from '../rpc/errors.ts';
import { WrittenJson } from '../rpc/written-json.ts';
import { AnswerTooLargeError } from './errors.ts';

/** An answer as JSON: a text, or a long one's bytes in UTF-8, which every text would become on its way to a socket. */
export type Answer = string | Buffer;

/** The most characters of what leaves as a text: as many as node:net writes without taking memory for them. */
const LONGEST_TEXT = 16_384;

/** What V8 says of a text that is longer than any can be. */
const NO_SUCH_LENGTH = 'Invalid string length';

function isTooLong(error: unknown): boolean {
  if (error instanceof ResultTooLongError) return true;
  return error instanceof RangeError && error.message === NO_SUCH_LENGTH;
}

/** The texts one after the other in UTF-8. Joining long texts first would copy them once more. */
function bytesOf(texts: readonly string[]): Buffer {
  const bytes = Buffer.allocUnsafeSlow(texts.reduce((length, text) => length + Buffer.byteLength(text), 0));
  let length = 0;
  for (const text of texts) length += bytes.write(text, length);
  return bytes;
}

/** The result between the two texts. */
function written(before: string, result: unknown, after: string, limit: number): Answer {
  if (result instanceof WrittenJson) {
    const bytes = result.toBytes(before, after, limit);
    return bytes.length <= LONGEST_TEXT ? bytes.toString() : bytes;
  }
  const text = JSON.stringify(result) ?? 'null';
  if (text.length > limit) throw new ResultTooLongError(`a result of ${text.length} characters`);
  return text.length <= LONGEST_TEXT ? `${before}${text}${after}` : bytesOf([before, text, after]);
}

/**
 * The answer to the request with that id, as JSON text, with this result of a method. Throws {@link AnswerTooLargeError}
 * when the result has more than `limit` characters.
 */
export function resultAnswer(id: string, result: unknown, limit: number): Answer {
  try {
    return written(`{"jsonrpc":"2.0","id":${id},"result":`, result, '}', limit);
  } catch (error) {
    if (isTooLong(error)) throw new AnswerTooLargeError(limit);
    throw error;
  }
}

/** The answer to a batch, from those to its requests. */
export function batchAnswer(answers: readonly Answer[]): Answer {
  if (answers.every((answer) => typeof answer === 'string')) return `[${answers.join(',')}]`;
  const pieces = answers.flatMap((answer, position) => [position === 0 ? '[' : ',', answer]);
  return Buffer.concat(
    [...pieces, ']'].map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
  );
}
