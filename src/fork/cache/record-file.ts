import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { ForkCacheError } from '../errors.ts';

const SUM_LENGTH = 8;
const NEWLINE = 10;

function sumOf(text: string): string {
  return createHash('sha1').update(text).digest('hex').slice(0, SUM_LENGTH);
}

/**
 * Returns a record as it stands in the file. It begins with a line break too, so that a torn one before it spoils only
 * itself.
 */
function lineOf(key: string, value: unknown): string {
  const text = JSON.stringify([key, value]);
  return `\n${sumOf(text)}${text}\n`;
}

/** Returns the record of a line; `undefined` for an empty line, and for one that was written halfway or over. */
function readLine(line: string): readonly [key: string, value: unknown] | undefined {
  const text = line.slice(SUM_LENGTH);
  if (text === '' || sumOf(text) !== line.slice(0, SUM_LENGTH)) return undefined;
  const record: unknown = JSON.parse(text);
  if (!Array.isArray(record) || typeof record[0] !== 'string') return undefined;
  return [record[0], record[1]];
}

/**
 * Values by key in a file that is only ever added to, one line for each, the last of one key counts. Several processes
 * may write it at once: each line goes there in one piece, carries a checksum, and is read by the others the next time
 * that they miss something. The work is done on the spot: it takes microseconds, beside the requests that it saves.
 */
export class RecordFile {
  readonly #path: string;
  readonly #records = new Map<string, unknown>();
  /** How many bytes of the file were read. */
  #position = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * The value of a key; `undefined` when no process has written it. Throws a {@link ForkCacheError} when the file is there
   * and cannot be read.
   */
  get(key: string): unknown {
    if (!this.#records.has(key)) this.#readOn();
    return this.#records.get(key);
  }

  /**
   * Returns all values with their keys, those of other processes up to now too. Throws when the file cannot be read.
   */
  entries(): Iterable<readonly [key: string, value: unknown]> {
    this.#readOn();
    return this.#records.entries();
  }

  /**
   * Writes a value, which must be fit for JSON. Its directory must be there. Throws a {@link ForkCacheError} when the file
   * cannot be written; this process has the value even so, and need not get it again.
   */
  set(key: string, value: unknown): void {
    this.#records.set(key, value);
    try {
      append(this.#path, lineOf(key, value));
    } catch (error) {
      throw new ForkCacheError(error);
    }
  }

  /** Reads what was added since, up to the last whole line. */
  #readOn(): void {
    const added = bytesFrom(this.#path, this.#position);
    const end = added.lastIndexOf(NEWLINE) + 1;
    for (const line of added.toString('utf8', 0, end).split('\n')) {
      const record = readLine(line);
      if (record !== undefined) this.#records.set(...record);
    }
    this.#position += end;
  }
}

function append(path: string, line: string): void {
  const file = openSync(path, 'a');
  try {
    writeSync(file, line);
  } finally {
    closeSync(file);
  }
}

/** Returns the bytes of a file from a position on; none when there is no file. */
function bytesFrom(path: string, position: number): Buffer {
  const file = openIfThere(path);
  if (file === undefined) return Buffer.alloc(0);
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - position));
    const count = readSync(file, bytes, 0, bytes.length, position);
    return bytes.subarray(0, count);
  } catch (error) {
    throw new ForkCacheError(error);
  } finally {
    closeSync(file);
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new ForkCacheError(error);
  }
}
