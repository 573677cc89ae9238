// The text of JSON-RPC messages: reads requests with limits, and writes responses with the ids as received.

import { isNestedDeeper, JsonLimitError, readJson, readJsonSync } from '../json/json-reader.ts';
import { isLongJson, jsonParts } from '../json/json-writer.ts';
import type { Awaitable } from '../primitives/awaitable.ts';
import type { Steps } from '../primitives/steps.ts';
import { AnswerTooLargeError, ResultTooLongError } from '../rpc/errors.ts';
import { PreserializedJson } from '../rpc/views/log-list.ts';
import { runTask } from '../scheduling/task.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import { InvalidRequestError, ParseError } from './errors.ts';

/** The maximum nesting of params: more than methods need, and far less than recursion supports. */
const NESTING_LIMIT = 100;

/**
 * The maximum number of members of an object, more than in useful messages. Listing the names blocks for some
 * thirty milliseconds and cannot yield.
 */
const MEMBER_LIMIT = 100_000;

/** The maximum number of values of a message: more than useful messages have, at any size. */
const VALUE_LIMIT = 2 ** 20;

/** Maximum characters that are parsed without a yield. This takes a few milliseconds at most. */
const MAX_AT_ONCE = 2 ** 16;

/** The message, and by object the text of each id that JavaScript may round. */
interface ExactIds {
  readonly message: unknown;
  readonly spellings: ReadonlyMap<object, string>;
}

/** A parsed message. */
export class RpcMessage {
  /** Any JSON value. */
  readonly value: unknown;
  /** True if the nesting is below {@link NESTING_LIMIT}. */
  readonly isFlat: boolean;
  /** The limit that stopped the reading. The value contains the part before it. */
  readonly fault: InvalidRequestError | undefined;
  readonly #text: string;
  #exact: ExactIds | undefined;

  constructor(value: unknown, text: string, isFlat: boolean, exact?: ExactIds, fault?: InvalidRequestError) {
    this.value = value;
    this.isFlat = isFlat;
    this.fault = fault;
    this.#text = text;
    this.#exact = exact;
  }

  /**
   * Returns the id as JSON, exactly as received; `undefined` for an invalid type (JSON-RPC 2.0, section 4).
   * `position` is the index of the request in its batch, or `null` without a batch. JavaScript rounds integers
   * above 2^53, which some clients use as random ids. The text of these ids is recorded while a long message is
   * read, or read again from a short one.
   */
  writeId(id: unknown, position: number | null): string | undefined {
    if (typeof id === 'number') return Number.isSafeInteger(id) ? String(id) : this.#original(position);
    return typeof id === 'string' || id === null ? JSON.stringify(id) : undefined;
  }

  #original(position: number | null): string | undefined {
    this.#exact ??= readExactly(this.#text);
    const { message, spellings } = this.#exact;
    return spellings.get((position === null ? message : (message as unknown[])[position]) as object);
  }
}

function readExactly(text: string): ExactIds {
  const spellings = new Map<object, string>();
  const message = readJsonSync(text, {
    levels: Number.POSITIVE_INFINITY,
    onInexact: (owner, name, spelling) => void (name === 'id' && spellings.set(owner, spelling)),
  });
  return { message, spellings };
}

/** The work budget of a message, for its reading and its responses. */
export interface MessageWork {
  readonly slice: TimeSlice;
}

/**
 * Parses a message. A long one is parsed in time slices and returns a promise if it yields. Throws, or
 * rejects with, a {@link ParseError} for invalid JSON.
 */
export function readMessage(text: string, work: MessageWork): Awaitable<RpcMessage> {
  if (text.length > MAX_AT_ONCE) return runTask(readLongMessage(text), work.slice);
  try {
    return new RpcMessage(JSON.parse(text), text, text.length < 2 * NESTING_LIMIT);
  } catch (error) {
    throw new ParseError(error instanceof Error ? error.message : String(error));
  }
}

const BATCH = /^\s*\[/;

function* readLongMessage(text: string): Steps<RpcMessage> {
  const spellings = new Map<object, string>();
  const onInexact = (owner: object, name: string, spelling: string): void => {
    if (name === 'id') spellings.set(owner, spelling);
  };
  // Params are inside a request, which may be inside a batch.
  const levels = NESTING_LIMIT + (BATCH.test(text) ? 2 : 1);
  try {
    const value = yield* readJson(text, { levels, members: MEMBER_LIMIT, values: VALUE_LIMIT, onInexact });
    return new RpcMessage(value, text, true, { message: value, spellings });
  } catch (error) {
    if (error instanceof JsonLimitError) {
      const { partial, limit } = error;
      return new RpcMessage(partial, text, false, { message: partial, spellings }, FAULTS[limit]());
    }
    throw error instanceof SyntaxError ? new ParseError(error.message) : error;
  }
}

export function nestingFault(): InvalidRequestError {
  return new InvalidRequestError(`the message is nested deeper than ${NESTING_LIMIT} levels`);
}

function membersFault(): InvalidRequestError {
  return new InvalidRequestError(`an object of the message has more than ${MEMBER_LIMIT} members`);
}

function valuesFault(): InvalidRequestError {
  return new InvalidRequestError(`the message has more than ${VALUE_LIMIT} values`);
}

function nameFault(): InvalidRequestError {
  return new InvalidRequestError('a name in the message has more than 65536 characters');
}

/** Errors by the exceeded limit. */
const FAULTS = {
  nesting: nestingFault,
  members: membersFault,
  name: nameFault,
  values: valuesFault,
} as const;

/** True if the params are nested too deep. */
export function isNestedTooDeep({ isFlat }: RpcMessage, params: unknown): boolean {
  return !isFlat && isNestedDeeper(params, NESTING_LIMIT);
}

/** A response as JSON: a string, or UTF-8 bytes if it is long, because a socket needs bytes. */
export type Answer = string | Buffer;

/** Maximum length of a response string. node:net writes it without allocating a buffer. */
const MAX_TEXT_LENGTH = 16_384;

/** V8's message for a string beyond its maximum length. */
const NO_SUCH_LENGTH = 'Invalid string length';

function isTooLong(error: unknown): boolean {
  if (error instanceof ResultTooLongError) return true;
  return error instanceof RangeError && error.message === NO_SUCH_LENGTH;
}

/** Characters per work unit of measuring. */
const MEASURED_IN_UNIT = 4;

/** Encodes the texts as UTF-8. Joining long texts first would copy them again. */
function* bytesOf(texts: readonly string[]): Steps<Buffer> {
  let size = 0;
  for (const text of texts) {
    // A rope string is flattened here.
    size += Buffer.byteLength(text);
    yield text.length / MEASURED_IN_UNIT;
  }
  const bytes = Buffer.allocUnsafeSlow(size);
  let length = 0;
  for (const text of texts) {
    length += bytes.write(text, length);
    yield text.length;
  }
  return bytes;
}

/** Writes a long result between the two texts. */
function* written(before: string, result: unknown, after: string, limit: number): Steps<Answer> {
  if (result instanceof PreserializedJson) {
    const bytes = yield* result.toBytes(before, after, limit);
    return bytes.length <= MAX_TEXT_LENGTH ? bytes.toString() : bytes;
  }
  const texts = yield* jsonParts(result, (length) => {
    if (length > limit) throw new ResultTooLongError(`a result of more than ${limit} characters`);
  });
  return yield* bytesOf([before, ...texts, after]);
}

function* longAnswer(before: string, result: unknown, after: string, limit: number): Steps<Answer> {
  try {
    return yield* written(before, result, after, limit);
  } catch (error) {
    if (isTooLong(error)) throw new AnswerTooLargeError(limit);
    throw error;
  }
}

/**
 * Returns the response with a result, as JSON; a promise if writing it yields. Throws, or rejects with, an
 * {@link AnswerTooLargeError} if the result has more than `limit` characters.
 */
export function resultAnswer(
  id: string,
  result: unknown,
  limit: number,
  work: MessageWork = { slice: new TimeSlice() },
): Awaitable<Answer> {
  const before = `{"jsonrpc":"2.0","id":${id},"result":`;
  if (result instanceof PreserializedJson || isLongJson(result))
    return runTask(longAnswer(before, result, '}', limit), work.slice);
  const text = JSON.stringify(result) ?? 'null';
  if (text.length > limit) throw new AnswerTooLargeError(limit);
  return text.length <= MAX_TEXT_LENGTH
    ? `${before}${text}}`
    : runTask(bytesOf([before, text, '}']), work.slice);
}

/** The members of a JSON-RPC 2.0 error. The member `data` is omitted if undefined. */
export interface ErrorMembers {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/**
 * Returns the error response as JSON; a promise if writing it yields. Throws, or rejects with, the error of
 * the serialization or of `slice`.
 */
export function errorAnswer(
  id: string,
  { code, message, data }: ErrorMembers,
  work: MessageWork = { slice: new TimeSlice() },
): Awaitable<Answer> {
  const error = { code, message, data };
  return isLongJson(error)
    ? runTask(written(errorStart(id), error, '}', Number.POSITIVE_INFINITY), work.slice)
    : shortErrorAnswer(id, error);
}

/** Returns the response for an error that is known to be short. */
export function shortErrorAnswer(id: string, error: ErrorMembers): string {
  const { code, message, data } = error;
  return `${errorStart(id)}${JSON.stringify({ code, message, data })}}`;
}

function errorStart(id: string): string {
  return `{"jsonrpc":"2.0","id":${id},"error":`;
}

/** Maximum bytes per copy. */
const COPIED_AT_ONCE = 2 ** 20;
/** Bytes per work unit of copying. */
const COPIED_IN_UNIT = 8;

function* joined(answers: readonly Answer[]): Steps<Buffer> {
  const length = answers.reduce((sum, answer) => sum + Buffer.byteLength(answer) + 1, 1);
  const bytes = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const answer of answers) {
    at += bytes.write(at === 0 ? '[' : ',', at, 'latin1');
    const own = typeof answer === 'string' ? Buffer.from(answer) : answer;
    for (let start = 0; start < own.length; start += COPIED_AT_ONCE) {
      const copied = own.copy(bytes, at, start, start + COPIED_AT_ONCE);
      at += copied;
      yield copied / COPIED_IN_UNIT;
    }
  }
  bytes.write(']', at, 'latin1');
  return bytes;
}

/** Joins the responses of a non-empty batch. Long ones are joined in time slices. */
export function* batchAnswer(answers: readonly Answer[]): Steps<Answer> {
  if (answers.every((answer) => typeof answer === 'string')) return `[${answers.join(',')}]`;
  return yield* joined(answers);
}
