// Serializing answers, in pieces where they are long.

import { isLongJson, jsonPieces } from '../primitives/json/json-pieces.ts';
import { type Awaitable, runTask, type Task } from '../primitives/task.ts';
import { WorkPieces } from '../primitives/work-pieces.ts';
import { ResultTooLongError } from '../rpc/errors.ts';
import { PreserializedJson } from '../rpc/views/log-list.ts';
import { AnswerTooLargeError } from './errors.ts';

/** An answer as JSON: a string, or the UTF-8 bytes of a long one, which a socket would need anyway. */
export type Answer = string | Buffer;

/** The maximum length of an answer that is kept as a string: node:net writes it without allocating a buffer. */
const LONGEST_TEXT = 16_384;

/** The message of V8 for a string beyond its maximum length. */
const NO_SUCH_LENGTH = 'Invalid string length';

function isTooLong(error: unknown): boolean {
  if (error instanceof ResultTooLongError) return true;
  return error instanceof RangeError && error.message === NO_SUCH_LENGTH;
}

/** Characters that are measured in a unit of work. */
const MEASURED_IN_UNIT = 4;

/** The texts one after the other in UTF-8. Joining long texts first would copy them once more. */
function* bytesOf(texts: readonly string[], pieces: WorkPieces): Task<Buffer> {
  let size = 0;
  for (const text of texts) {
    // A text that was put together of many is joined now.
    size += Buffer.byteLength(text);
    const turn = pieces.spend(text.length / MEASURED_IN_UNIT);
    if (turn !== undefined) yield turn;
  }
  const bytes = Buffer.allocUnsafeSlow(size);
  let length = 0;
  for (const text of texts) {
    length += bytes.write(text, length);
    const turn = pieces.spend(text.length);
    if (turn !== undefined) yield turn;
  }
  return bytes;
}

/** Returns the JSON of a long result between the two texts. */
function* written(
  before: string,
  result: unknown,
  after: string,
  limit: number,
  pieces: WorkPieces,
): Task<Answer> {
  if (result instanceof PreserializedJson) {
    const bytes = yield* result.toBytes(before, after, limit, pieces);
    return bytes.length <= LONGEST_TEXT ? bytes.toString() : bytes;
  }
  const texts = yield* jsonPieces(result, pieces, (length) => {
    if (length > limit) throw new ResultTooLongError(`a result of more than ${limit} characters`);
  });
  return yield* bytesOf([before, ...texts, after], pieces);
}

function* longAnswer(
  before: string,
  result: unknown,
  after: string,
  limit: number,
  pieces: WorkPieces,
): Task<Answer> {
  try {
    return yield* written(before, result, after, limit, pieces);
  } catch (error) {
    if (isTooLong(error)) throw new AnswerTooLargeError(limit);
    throw error;
  }
}

/**
 * Returns the answer to the request with that id, as JSON, with this result of a method; a promise of it when writing
 * it takes more than one of the `pieces`. Throws, or rejects with, an {@link AnswerTooLargeError} when the result has
 * more than `limit` characters.
 */
export function resultAnswer(
  id: string,
  result: unknown,
  limit: number,
  pieces = new WorkPieces(),
): Awaitable<Answer> {
  const before = `{"jsonrpc":"2.0","id":${id},"result":`;
  if (result instanceof PreserializedJson || isLongJson(result))
    return runTask(longAnswer(before, result, '}', limit, pieces));
  const text = JSON.stringify(result) ?? 'null';
  if (text.length > limit) throw new AnswerTooLargeError(limit);
  return text.length <= LONGEST_TEXT ? `${before}${text}}` : runTask(bytesOf([before, text, '}'], pieces));
}

/** The members of an error of JSON-RPC 2.0. Without `data` it has no such member. */
export interface ErrorMembers {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/**
 * Returns the answer to the request with that id, as JSON, with this error; a promise of it when writing it takes more
 * than one of the `pieces`. Throws, or rejects with, what serializing the error or `pieces` throws.
 */
export function errorAnswer(
  id: string,
  { code, message, data }: ErrorMembers,
  pieces = new WorkPieces(),
): Awaitable<Answer> {
  const error = { code, message, data };
  return isLongJson(error)
    ? runTask(written(errorStart(id), error, '}', Number.POSITIVE_INFINITY, pieces))
    : shortErrorAnswer(id, error);
}

/** The same for an error that is known to be short. */
export function shortErrorAnswer(id: string, error: ErrorMembers): string {
  const { code, message, data } = error;
  return `${errorStart(id)}${JSON.stringify({ code, message, data })}}`;
}

function errorStart(id: string): string {
  return `{"jsonrpc":"2.0","id":${id},"error":`;
}

/** The number of bytes that are copied at once. */
const COPIED_AT_ONCE = 2 ** 20;
/** The number of bytes that are copied in a unit of work. */
const COPIED_IN_UNIT = 8;

function* joined(answers: readonly Answer[], pieces: WorkPieces): Task<Buffer> {
  const length = answers.reduce((sum, answer) => sum + Buffer.byteLength(answer) + 1, 1);
  const bytes = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const answer of answers) {
    at += bytes.write(at === 0 ? '[' : ',', at, 'latin1');
    const own = typeof answer === 'string' ? Buffer.from(answer) : answer;
    for (let start = 0; start < own.length; start += COPIED_AT_ONCE) {
      const copied = own.copy(bytes, at, start, start + COPIED_AT_ONCE);
      at += copied;
      const turn = pieces.spend(copied / COPIED_IN_UNIT);
      if (turn !== undefined) yield turn;
    }
  }
  bytes.write(']', at, 'latin1');
  return bytes;
}

/**
 * Returns the answer to a batch from the answers to its requests, of which there is at least one; in pieces when it is
 * long.
 */
export function batchAnswer(answers: readonly Answer[], pieces = new WorkPieces()): Awaitable<Answer> {
  if (answers.every((answer) => typeof answer === 'string')) return `[${answers.join(',')}]`;
  return runTask(joined(answers, pieces));
}
