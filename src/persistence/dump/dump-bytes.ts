// The bytes of a dump: compression, lines and JSON.

import { constants, isAscii } from 'node:buffer';
import { promisify } from 'node:util';
import { createGunzip, gzip } from 'node:zlib';
import { NESTING_LIMIT as ANSWER_NESTING_LIMIT } from '../../fork/upstream/http-post.ts';
import { JsonLimitError, parseShallowJson, readJson } from '../../json/json-reader.ts';
import { runTask, type Task } from '../../scheduling/task.ts';
import { joinInPieces, WorkPieces } from '../../scheduling/work-pieces.ts';
import { InvalidDumpError } from '../../wire/errors.ts';
import { StrictValue } from '../../wire/strict-value.ts';
import { DUMP_FORMAT } from './dump-heading.ts';

const LINE_END = 0x0a;
/** The number of bytes that are unpacked at once. */
const UNPACKED_AT_ONCE = 2 ** 18;
/** The index of the byte in which gzip (RFC 1952) names the operating system, and its value for an unknown one. */
const SYSTEM_INDEX = 9;
const UNKNOWN_SYSTEM = 0xff;

/** Returns the bytes compressed with gzip, off the main thread, without time stamp and name of the operating system. */
export async function compress(bytes: Uint8Array): Promise<Uint8Array> {
  const compressed = await promisify(gzip)(bytes);
  compressed[SYSTEM_INDEX] = UNKNOWN_SYSTEM;
  return compressed;
}

/**
 * Returns the bytes, decompressed if they are gzip. Rejects with an {@link InvalidDumpError} for broken gzip, and as
 * soon as the result exceeds the budget.
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
  return runTask(joinInPieces(unpacked, new WorkPieces()));
}

/** The longest JSON that is parsed at once, in bytes. */
const PARSED_AT_ONCE = 2 ** 16;
/** The maximum nesting of the JSON of a dump: an answer of an upstream, in its line. */
const NESTING_LIMIT = ANSWER_NESTING_LIMIT + 2;

/**
 * Returns the JSON value of the bytes; long ones are read in pieces. Rejects with an {@link InvalidDumpError}, which
 * calls them `what`.
 */
export async function readJsonBytes(bytes: Uint8Array, what: string): Promise<unknown> {
  if (bytes.length <= PARSED_AT_ONCE) return parseJson(bytes, what);
  const text = textOf(bytes, what);
  try {
    return await runTask(readJson(text, { levels: NESTING_LIMIT, pieces: new WorkPieces() }));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonLimitError)
      throw new InvalidDumpError(`${what} is not JSON: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Returns the bytes as text. Throws an {@link InvalidDumpError} for more than a text may have. */
function textOf(bytes: Uint8Array, what: string): string {
  if (bytes.length > constants.MAX_STRING_LENGTH)
    throw new InvalidDumpError(`${what} has more than ${constants.MAX_STRING_LENGTH} bytes of JSON`);
  // Most texts are ASCII, which is read in a fraction of the time.
  const encoding = isAscii(bytes) ? 'latin1' : 'utf8';
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(encoding);
}

/** Returns the JSON value of the bytes. Throws an {@link InvalidDumpError}, which calls them `what`. */
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

/** Returns the first line of the bytes, without its end. */
function firstLine(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(LINE_END);
  return end === -1 ? bytes : bytes.subarray(0, end);
}

/** The value of the first line. Throws an {@link InvalidDumpError}. */
export function firstJsonLine(bytes: Uint8Array): StrictValue {
  return new StrictValue(parseJson(firstLine(bytes), 'line 1'), 'line 1');
}

/** The value of the last line that is not empty. Throws an {@link InvalidDumpError}. */
export function lastJsonLine(bytes: Uint8Array): StrictValue {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === LINE_END) end--;
  const line = bytes.subarray(bytes.lastIndexOf(LINE_END, end - 1) + 1, end);
  return new StrictValue(parseJson(line, 'the last line'), 'the last line');
}

/**
 * Yields the lines of the bytes, each a JSON value; empty ones are skipped. Calls `onProgress` with the fraction of the
 * bytes that is read. Rejects with an {@link InvalidDumpError}.
 */
export async function* jsonLines(
  bytes: Uint8Array,
  onProgress = ignoreProgress,
): AsyncGenerator<StrictValue, void, undefined> {
  let number = 1;
  const pieces = new WorkPieces();
  for (let start = 0; start < bytes.length; number++) {
    const line = bytes.subarray(start, await runTask(lineEnd(bytes, start, pieces)));
    const name = `line ${number}`;
    if (line.length > 0) yield new StrictValue(await readJsonBytes(line, name), name);
    start += line.length + 1;
    onProgress(Math.min(1, start / bytes.length));
    await pieces.spend(WORK_OF_BYTE * line.length);
  }
}

/** Bytes that are searched at once. */
const SEARCHED_AT_ONCE = 2 ** 21;

/** Returns the place of the end of the line that begins there, in pieces where it is long. */
function* lineEnd(bytes: Uint8Array, lineStart: number, pieces: WorkPieces): Task<number> {
  for (let start = lineStart; start < bytes.length; start += SEARCHED_AT_ONCE) {
    const end = bytes.subarray(start, start + SEARCHED_AT_ONCE).indexOf(LINE_END);
    if (end !== -1) return start + end;
    const turn = pieces.spend(SEARCHED_AT_ONCE);
    if (turn !== undefined) yield turn;
  }
  return bytes.length;
}

/** Units of work for computing the value of a line, for each of its bytes. */
const WORK_OF_BYTE = 4;

/** The most bytes that a file of the node's owner may unpack to. */
const LARGEST_FILE = 2 ** 31;

/**
 * The memory that compressed dumps may take while they are loaded: without a limit, a small one could unpack to more
 * than there is. All dumps that are being loaded share it.
 */
export class UnpackingBudget {
  readonly #size: number;
  #taken = 0;

  /** `size` is in bytes. */
  constructor(size = LARGEST_FILE) {
    this.#size = size;
  }

  /** Returns the result of `load`, which may unpack a dump within the budget; its bytes are released after that. */
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

/** A dump that is being unpacked within a budget. */
interface UnpackedDump {
  /** Takes so many bytes. Throws an `InvalidDumpError` when they exceed the budget. */
  readonly take: (bytes: number) => void;
}

/** Returns a dump with a budget of its own, for the owner's files. */
export function ofItsOwn(): UnpackedDump {
  let left = LARGEST_FILE;
  return {
    take(bytes) {
      left -= bytes;
      if (left < 0) throw new InvalidDumpError(`it exceeds ${LARGEST_FILE} bytes when unpacked`);
    },
  };
}

/**
 * Called with the completed fraction of a long operation, from 0 to 1. It is called often, so it must be very cheap.
 */
export type OnProgress = (fraction: number) => void;

/** Returns a callback for a part of the operation, which begins and ends at these fractions of the whole. */
export function partOf(onProgress: OnProgress, begin: number, end: number): OnProgress {
  return (fraction) => onProgress(begin + fraction * (end - begin));
}

/** For callers without progress. */
export const ignoreProgress: OnProgress = () => undefined;
