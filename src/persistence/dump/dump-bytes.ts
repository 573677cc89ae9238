// The bytes of a dump: compression, lines and JSON.

import { constants, isAscii } from 'node:buffer';
import { promisify } from 'node:util';
import { createGunzip, gzip } from 'node:zlib';
import { NESTING_LIMIT as ANSWER_NESTING_LIMIT } from '../../fork/upstream/rpc-answer.ts';
import { JsonLimitError, parseShallowJson, readJson } from '../../json/json-reader.ts';
import { joinInSteps, type Steps } from '../../primitives/steps.ts';
import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import { InvalidDumpError } from '../../wire/errors.ts';
import { StrictValue } from '../../wire/strict-value.ts';
import { DUMP_FORMAT } from './dump-format.ts';

const LINE_END = 0x0a;
/** Bytes decompressed per chunk. */
const UNPACKED_AT_ONCE = 2 ** 18;
/** The byte index and value for an unknown operating system in gzip (RFC 1952). */
const SYSTEM_INDEX = 9;
const UNKNOWN_SYSTEM = 0xff;

/** Compresses with gzip on another thread. The output has no time stamp and no operating system name. */
export async function compress(bytes: Uint8Array): Promise<Uint8Array> {
  const compressed = await promisify(gzip)(bytes);
  compressed[SYSTEM_INDEX] = UNKNOWN_SYSTEM;
  return compressed;
}

/**
 * Decompresses gzip and returns other bytes unchanged. Rejects with an {@link InvalidDumpError} for invalid
 * gzip or if the result exceeds the budget.
 */
export async function decompress(bytes: Uint8Array, budget: UnpackedDump): Promise<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const unpacked: Uint8Array[] = [];
  const gunzip = createGunzip({ chunkSize: UNPACKED_AT_ONCE });
  gunzip.end(bytes);
  try {
    for await (const chunk of gunzip) {
      budget.take(chunk.length);
      unpacked.push(chunk);
    }
  } catch (error) {
    if (error instanceof InvalidDumpError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidDumpError(`invalid gzip data: ${reason}`, { cause: error });
  }
  return runTask(joinInSteps(unpacked), new TimeSlice());
}

/** Maximum bytes of JSON parsed without a yield. */
const PARSED_AT_ONCE = 2 ** 16;
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
  try {
    return parseShallowJson(text, NESTING_LIMIT);
  } catch (error) {
    const why = error instanceof JsonLimitError ? `: ${error.message}` : '';
    throw new InvalidDumpError(`${what} is not JSON${why}`, { cause: error });
  }
}

/** True if the first line marks the bytes as a dump of a chain. */
export function isOwnDump(bytes: Uint8Array): boolean {
  const start = Buffer.from(JSON.stringify({ format: DUMP_FORMAT }).slice(0, -1));
  return Buffer.compare(bytes.subarray(0, start.length), start) === 0;
}

/** Returns the first line without its line end. */
function firstLine(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(LINE_END);
  return end === -1 ? bytes : bytes.subarray(0, end);
}

/** Parses the first line. Throws an {@link InvalidDumpError}. */
export function firstJsonLine(bytes: Uint8Array): StrictValue {
  return new StrictValue(parseJson(firstLine(bytes), 'line 1'), 'line 1');
}

/** Parses the last line that is not empty. Throws an {@link InvalidDumpError}. */
export function lastJsonLine(bytes: Uint8Array): StrictValue {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === LINE_END) end--;
  const line = bytes.subarray(bytes.lastIndexOf(LINE_END, end - 1) + 1, end);
  return new StrictValue(parseJson(line, 'the last line'), 'the last line');
}

/**
 * Yields the JSON value of each line and skips empty lines. Calls `onProgress` with the fraction of bytes
 * read. Rejects with an {@link InvalidDumpError}.
 */
export async function* jsonLines(
  bytes: Uint8Array,
  onProgress = ignoreProgress,
): AsyncGenerator<StrictValue, void, undefined> {
  let number = 1;
  const slice = new TimeSlice();
  for (let start = 0; start < bytes.length; number++) {
    const line = bytes.subarray(start, await runTask(lineEnd(bytes, start), slice));
    const name = `line ${number}`;
    if (line.length > 0) yield new StrictValue(await readJsonBytes(line, name), name);
    start += line.length + 1;
    onProgress(Math.min(1, start / bytes.length));
    await slice.spend(WORK_OF_BYTE * line.length);
  }
}

/** Bytes searched without a yield. */
const SEARCHED_AT_ONCE = 2 ** 21;

/** Returns the index of the end of the line. Yields for long lines. */
function* lineEnd(bytes: Uint8Array, lineStart: number): Steps<number> {
  for (let start = lineStart; start < bytes.length; start += SEARCHED_AT_ONCE) {
    const end = bytes.subarray(start, start + SEARCHED_AT_ONCE).indexOf(LINE_END);
    if (end !== -1) return start + end;
    yield SEARCHED_AT_ONCE;
  }
  return bytes.length;
}

/** Work units per byte of a line. */
const WORK_OF_BYTE = 4;

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
