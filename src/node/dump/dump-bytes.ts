import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { InvalidDumpError } from '../errors.ts';
import { DUMP_FORMAT } from './dump-format.ts';
import { DumpValue } from './dump-value.ts';
import { untold } from './progress.ts';

const compressInBackground = promisify(gzip);
const decompressInBackground = promisify(gunzip);

const LINE_END = 0x0a;
/** Keeps a small file from filling the memory. */
const MOST_BYTES = 2 ** 31;
/** Where gzip (RFC 1952) tells the operating system, and its value for an unknown one. */
const SYSTEM_INDEX = 9;
const UNKNOWN_SYSTEM = 0xff;

/** The bytes compressed with gzip, off the main thread, without a trace of when and on what system. */
export async function compress(bytes: Uint8Array): Promise<Uint8Array> {
  const compressed = await compressInBackground(bytes);
  compressed[SYSTEM_INDEX] = UNKNOWN_SYSTEM;
  return compressed;
}

/** The bytes, decompressed if they are gzip. Rejects with an {@link InvalidDumpError} for broken gzip. */
export async function decompress(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return await decompressInBackground(bytes, { maxOutputLength: MOST_BYTES });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidDumpError(`it begins like gzip and is none: ${reason}`, { cause: error });
  }
}

/** The JSON value that the bytes spell. Throws an {@link InvalidDumpError}, which calls them `what`. */
export function parseJson(bytes: Uint8Array, what: string): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
  } catch (error) {
    throw new InvalidDumpError(`${what} is not JSON`, { cause: error });
  }
}

/** True when the first line says that the lines are a dump of a chain. */
export function isOwnDump(bytes: Uint8Array): boolean {
  const start = Buffer.from(JSON.stringify({ format: DUMP_FORMAT }).slice(0, -1));
  return Buffer.compare(bytes.subarray(0, start.length), start) === 0;
}

/** The first line of the bytes, without its end. */
function firstLine(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(LINE_END);
  return end === -1 ? bytes : bytes.subarray(0, end);
}

/** The value of the first line. Throws an {@link InvalidDumpError}. */
export function firstJsonLine(bytes: Uint8Array): DumpValue {
  return new DumpValue(parseJson(firstLine(bytes), 'line 1'), 'line 1');
}

/** The value of the last line that is not empty. Throws an {@link InvalidDumpError}. */
export function lastJsonLine(bytes: Uint8Array): DumpValue {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === LINE_END) end--;
  const line = bytes.subarray(bytes.lastIndexOf(LINE_END, end - 1) + 1, end);
  return new DumpValue(parseJson(line, 'the last line'), 'the last line');
}

/**
 * The lines of the bytes, each a JSON value; empty ones are passed over. `onProgress` hears how much of the bytes is
 * behind. Throws an {@link InvalidDumpError}.
 */
export function* jsonLines(bytes: Uint8Array, onProgress = untold): Generator<DumpValue, void, undefined> {
  let number = 1;
  for (let start = 0; start < bytes.length; number++) {
    const line = firstLine(bytes.subarray(start));
    const name = `line ${number}`;
    if (line.length > 0) yield new DumpValue(parseJson(line, name), name);
    start += line.length + 1;
    onProgress(Math.min(1, start / bytes.length));
  }
}
