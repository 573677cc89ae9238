// The text of JSON-RPC messages: reading requests, with limits, and writing answers, with their ids exactly as they came.

import { isNestedDeeper, JsonLimitError, readJson, readJsonAtOnce } from '../json/json-reader.ts';
import { isLongJson, jsonPieces } from '../json/json-writer.ts';
import { AnswerTooLargeError, ResultTooLongError } from '../rpc/errors.ts';
import { PreserializedJson } from '../rpc/views/log-list.ts';
import { type Awaitable, runTask, type Task } from '../scheduling/task.ts';
import { WorkPieces } from '../scheduling/work-pieces.ts';
import { InvalidRequestError, ParseError } from './errors.ts';

/**
 * Writes the ids of one message back exactly as they came. JavaScript rounds integers above 2^53, which some clients
 * draw at random as ids; the spelling of such an id is read from the message's text again, unless it was noted when the
 * message was read.
 */
class RequestIds {
  readonly #text: string;
  #exact: { readonly message: unknown; readonly spellings: ReadonlyMap<object, string> } | undefined;

  /** `noted`: the message, and by object each id in it that JavaScript may round. */
  constructor(
    text: string,
    noted?: { readonly message: unknown; readonly spellings: ReadonlyMap<object, string> },
  ) {
    this.#text = text;
    this.#exact = noted;
  }

  /**
   * Returns the id as JSON text; `undefined` when its type is not allowed (JSON-RPC 2.0, section 4). `position` is the
   * index of the request in its batch, or `null` when the message is one request.
   */
  write(id: unknown, position: number | null): string | undefined {
    if (typeof id === 'number') return Number.isSafeInteger(id) ? String(id) : this.#original(position);
    return typeof id === 'string' || id === null ? JSON.stringify(id) : undefined;
  }

  #original(position: number | null): string | undefined {
    this.#exact ??= readExactly(this.#text);
    const { message, spellings } = this.#exact;
    return spellings.get((position === null ? message : (message as unknown[])[position]) as object);
  }
}

function readExactly(text: string): { message: unknown; spellings: ReadonlyMap<object, string> } {
  const spellings = new Map<object, string>();
  const message = readJsonAtOnce(text, {
    levels: Number.POSITIVE_INFINITY,
    onInexact: (owner, name, spelling) => void (name === 'id' && spellings.set(owner, spelling)),
  });
  return { message, spellings };
}

/** The maximum nesting of params: far beyond what any method takes, and far below where recursion fails. */
const NESTING_LIMIT = 100;

/**
 * The maximum number of members of an object: more than a useful message of the usual limit has. Listing the names of
 * so many takes about thirty milliseconds, and cannot be divided.
 */
const MEMBER_LIMIT = 100_000;

/**
 * The maximum length of text that is parsed at once: whatever it contains, parsing takes a few milliseconds at most.
 */
const LONGEST_AT_ONCE = 2 ** 16;

/** A parsed JSON-RPC message. */
export interface RpcMessage {
  /** Any JSON value. */
  readonly value: unknown;
  readonly ids: RequestIds;
  /** True when it is known that nothing in it is nested deeper than {@link NESTING_LIMIT} allows. */
  readonly isFlat: boolean;
  /**
   * The reason why reading stopped early: nesting too deep, or an object too large. The value holds what came before.
   */
  readonly fault?: InvalidRequestError;
}

/**
 * Reads a message: a short one at once, a long one in pieces, so that the result is a promise when it takes more than
 * one. Throws, or rejects with, a {@link ParseError} for text that is not JSON.
 */
export function readMessage(text: string, pieces: WorkPieces): Awaitable<RpcMessage> {
  if (text.length > LONGEST_AT_ONCE) return runTask(readLongMessage(text, pieces));
  try {
    return { value: JSON.parse(text), ids: new RequestIds(text), isFlat: false };
  } catch (error) {
    throw new ParseError(error instanceof Error ? error.message : String(error));
  }
}

const BATCH = /^\s*\[/;

function* readLongMessage(text: string, pieces: WorkPieces): Task<RpcMessage> {
  const spellings = new Map<object, string>();
  const onInexact = (owner: object, name: string, spelling: string): void => {
    if (name === 'id') spellings.set(owner, spelling);
  };
  // Params are inside a request, which may be inside a batch.
  const levels = NESTING_LIMIT + (BATCH.test(text) ? 2 : 1);
  try {
    const value = yield* readJson(text, { levels, members: MEMBER_LIMIT, pieces, onInexact });
    return { value, ids: new RequestIds(text, { message: value, spellings }), isFlat: true };
  } catch (error) {
    if (error instanceof JsonLimitError) {
      const { partial, limit } = error;
      const ids = new RequestIds(text, { message: partial, spellings });
      return { value: partial, ids, isFlat: false, fault: FAULTS[limit]() };
    }
    throw error instanceof SyntaxError ? new ParseError(error.message) : error;
  }
}

/** Returns the error of a request whose params are nested too deep. */
export function nestingFault(): InvalidRequestError {
  return new InvalidRequestError(`the message is nested deeper than ${NESTING_LIMIT} levels`);
}

/** Returns the error of a message with an object that has too many members. */
function membersFault(): InvalidRequestError {
  return new InvalidRequestError(`an object of the message has more than ${MEMBER_LIMIT} members`);
}

/** Returns the error of a message with a name that is too long. */
function nameFault(): InvalidRequestError {
  return new InvalidRequestError('a name in the message has more than 65536 characters');
}

/** The errors of a message by the limit of reading that it exceeds. */
const FAULTS = { nesting: nestingFault, members: membersFault, name: nameFault } as const;

/** True if the params of a request of the message are nested too deep. */
export function isNestedTooDeep({ isFlat }: RpcMessage, params: unknown): boolean {
  return !isFlat && isNestedDeeper(params, NESTING_LIMIT);
}

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

/** Returns the answer of an error that is known to be short. */
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
