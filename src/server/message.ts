// Reading JSON-RPC messages, with limits, and writing back their ids exactly.

import {
  isNestedDeeper,
  JsonMembersError,
  JsonNestingError,
  readJson,
  readJsonAtOnce,
} from '../primitives/json/json-reader.ts';
import { type Awaitable, runTask, type Task } from '../primitives/task.ts';
import type { WorkPieces } from '../primitives/work-pieces.ts';
import { InvalidRequestError, ParseError } from './errors.ts';

/**
 * Writes the ids of one message back exactly as they came. JavaScript rounds integers above 2^53, which some clients
 * draw at random as ids; the spelling of such an id is read from the message's text again, unless it was noted when the
 * message was read.
 */
export class RequestIds {
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
export const NESTING_LIMIT = 100;

/**
 * The maximum number of members of an object: more than a useful message of the usual limit has. Listing the names of
 * so many takes about thirty milliseconds, and cannot be divided.
 */
export const MEMBER_LIMIT = 100_000;

/**
 * The maximum length of text that is parsed at once: whatever it contains, parsing takes a few milliseconds at most.
 */
const LONGEST_AT_ONCE = 2 ** 16;

/** A parsed JSON-RPC message. */
export interface Message {
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
export function readMessage(text: string, pieces: WorkPieces): Awaitable<Message> {
  if (text.length > LONGEST_AT_ONCE) return runTask(readLongMessage(text, pieces));
  try {
    return { value: JSON.parse(text), ids: new RequestIds(text), isFlat: false };
  } catch (error) {
    throw new ParseError(error instanceof Error ? error.message : String(error));
  }
}

const BATCH = /^\s*\[/;

function* readLongMessage(text: string, pieces: WorkPieces): Task<Message> {
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
    if (error instanceof JsonNestingError || error instanceof JsonMembersError) {
      const { partial } = error;
      const ids = new RequestIds(text, { message: partial, spellings });
      const fault = error instanceof JsonNestingError ? nestingFault() : membersFault();
      return { value: partial, ids, isFlat: false, fault };
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

/** True if the params of a request of the message are nested too deep. */
export function isNestedTooDeep({ isFlat }: Message, params: unknown): boolean {
  return !isFlat && isNestedDeeper(params, NESTING_LIMIT);
}
