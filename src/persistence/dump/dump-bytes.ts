// The bytes of a dump: decompression, JSON and limits.

import { constants, isAscii } from 'node:buffer';
import { createGunzip } from 'node:zlib';
import { NESTING_LIMIT as ANSWER_NESTING_LIMIT } from '../../fork/upstream/rpc-answer.ts';
import { isNestedDeeper, JsonLimitError, readJson } from '../../json/json-reader.ts';
import { joinInSteps } from '../../primitives/steps.ts';
import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import { InvalidDumpError } from '../../wire/errors.ts';
import { DUMP_FORMAT } from './dump-format.ts';

/** Bytes decompressed per chunk. */
const UNPACKED_AT_ONCE = 2 ** 18;

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/**
 * Decompresses gzip. Rejects with an {@link InvalidDumpError} for invalid gzip or if the result exceeds the
 * budget.
 */
export async function decompress(bytes: Uint8Array, budget: UnpackedDump): Promise<Uint8Array> {
  const unpacked: Uint8Array[] = [];
  const gunzip = createGunzip({ chunkSize: UNPACKED_AT_ONCE });
  gunzip.end(bytes);
  try {
    for await (const chunk of gunzip) {
      budget.take(chunk.length);
      unpacked.push(chunk);
    }
  } catch (error) {
    throw error instanceof InvalidDumpError ? error : invalidGzip(error);
  }
  return runTask(joinInSteps(unpacked), new TimeSlice());
}

export function invalidGzip(error: unknown): InvalidDumpError {
  const reason = error instanceof Error ? error.message : String(error);
  return new InvalidDumpError(`invalid gzip data: ${reason}`, { cause: error });
}

/** Maximum bytes of JSON parsed without a yield: a block with a thousand transfers takes a few milliseconds. */
const PARSED_AT_ONCE = 2 ** 20;
/** Maximum nesting of a dump's JSON: an upstream response within its line. */
const NESTING_LIMIT = ANSWER_NESTING_LIMIT + 2;

/** Parses JSON and yields for long input. Rejects with an {@link InvalidDumpError} about `what`. */
export async function readJsonBytes(bytes: Uint8Array, what: string): Promise<unknown> {
  if (bytes.length <= PARSED_AT_ONCE) return parseJson(bytes, what);
  const text = textOf(bytes, what);
  try {
    return await runTask(readJson(text, { levels: NESTING_LIMIT }), new TimeSlice());
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonLimitError)
      throw new InvalidDumpError(`${what} is not JSON: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Throws an {@link InvalidDumpError} above the maximum length of a string. */
function textOf(bytes: Uint8Array, what: string): string {
  if (bytes.length > constants.MAX_STRING_LENGTH)
    throw new InvalidDumpError(`${what} has more than ${constants.MAX_STRING_LENGTH} bytes of JSON`);
  // Most input is ASCII, which decodes much faster.
  const encoding = isAscii(bytes) ? 'latin1' : 'utf8';
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(encoding);
}

/** Throws an {@link InvalidDumpError} that uses `what` as the name. */
export function parseJson(bytes: Uint8Array, what: string): unknown {
  const text = textOf(bytes, what);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new InvalidDumpError(`${what} is not JSON`, { cause: error });
  }
  if (!isNestedDeeper(value, NESTING_LIMIT)) return value;
  throw new InvalidDumpError(`${what} is not JSON: the JSON is nested deeper than ${NESTING_LIMIT} levels`);
}

/** True if the first line marks the bytes as a dump of a chain. */
export function isOwnDump(bytes: Uint8Array): boolean {
  const start = Buffer.from(JSON.stringify({ format: DUMP_FORMAT }).slice(0, -1));
  return Buffer.compare(bytes.subarray(0, start.length), start) === 0;
}

/** Maximum unpacked bytes of a file from the node's owner. */
const MAX_FILE_SIZE = 2 ** 31;

/**
 * The memory limit for decompressed dumps, shared by all loads in progress. Without it, a small dump could
 * unpack to more than the available memory.
 */
export class UnpackingBudget {
  readonly #size: number;
  #taken = 0;

  /** `size` is in bytes. */
  constructor(size = MAX_FILE_SIZE) {
    this.#size = size;
  }

  /** Runs `load`, which may decompress a dump within the budget. Its bytes are released afterwards. */
  async use<Result>(load: (dump: UnpackedDump) => Promise<Result>): Promise<Result> {
    let length = 0;
    const take = (bytes: number): void => {
      if (this.#taken + bytes > this.#size) throw this.#fault(length);
      this.#taken += bytes;
      length += bytes;
    };
    try {
      return await load({ take });
    } finally {
      this.#taken -= length;
    }
  }

  #fault(own: number): InvalidDumpError {
    const others = this.#taken - own;
    const reason = others === 0 ? '' : ` (other files use ${others} bytes)`;
    return new InvalidDumpError(`it exceeds the limit of ${this.#size} bytes when unpacked${reason}`);
  }
}

/** A dump that is decompressed within a budget. */
export interface UnpackedDump {
  /** Counts bytes. Throws an `InvalidDumpError` above the budget. */
  readonly take: (bytes: number) => void;
}

/** Returns a separate budget for files of the node's owner. */
export function ofItsOwn(): UnpackedDump {
  let left = MAX_FILE_SIZE;
  return {
    take(bytes) {
      left -= bytes;
      if (left < 0) throw new InvalidDumpError(`it exceeds ${MAX_FILE_SIZE} bytes when unpacked`);
    },
  };
}

/** Called often with the completed fraction (0 to 1) of a long operation, so it must be very fast. */
export type OnProgress = (fraction: number) => void;

/** Returns a callback for the part of the operation between two fractions. */
export function partOf(onProgress: OnProgress, begin: number, end: number): OnProgress {
  return (fraction) => onProgress(begin + fraction * (end - begin));
}

export const ignoreProgress: OnProgress = () => undefined;
