import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { ForkCacheError } from '../errors.ts';

const SUM_LENGTH = 8;
const NEWLINE = 10;

function sumOf(text: string): string {
  return createHash('sha1').update(text).digest('hex').slice(0, SUM_LENGTH);
}

/**
 * Returns the line of a record. It begins with a line break too, so that an incomplete line before it spoils only
 * itself.
 */
function lineOf(key: string, value: unknown): string {
  const text = JSON.stringify([key, value]);
  return `\n${sumOf(text)}${text}\n`;
}

/** Returns the record of a line; `undefined` for an empty line, and for an incomplete or overwritten one. */
function readLine(line: string): readonly [key: string, value: unknown] | undefined {
  const text = line.slice(SUM_LENGTH);
  if (text === '' || sumOf(text) !== line.slice(0, SUM_LENGTH)) return undefined;
  const record: unknown = JSON.parse(text);
  if (!Array.isArray(record) || typeof record[0] !== 'string') return undefined;
  return [record[0], record[1]];
}

/**
 * Values by key in an append-only file, one line for each; the last line of a key counts. Several processes may write
 * it at once: each line is written in one call, has a checksum, and is read by the others at their next miss. All calls
 * are synchronous: they take microseconds, little beside the requests that they save.
 */
export class RecordFile {
  readonly #path: string;
  readonly #records = new Map<string, unknown>();
  /** The number of bytes of the file that were read. */
  #position = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Returns the value of a key; `undefined` when no process has written it. Throws a {@link ForkCacheError} when the
   * file exists and cannot be read.
   */
  get(key: string): unknown {
    if (!this.#records.has(key)) this.#readOn();
    return this.#records.get(key);
  }

  /**
   * Returns all values with their keys, including those that other processes have written. Throws when the file cannot
   * be read.
   */
  entries(): Iterable<readonly [key: string, value: unknown]> {
    this.#readOn();
    return this.#records.entries();
  }

  /**
   * Writes a value, which must be fit for JSON. The directory must exist. Throws a {@link ForkCacheError} when the file
   * cannot be written; the value is then still in memory, so that this process need not fetch it again.
   */
  set(key: string, value: unknown): void {
    this.#records.set(key, value);
    try {
      append(this.#path, lineOf(key, value));
    } catch (error) {
      throw new ForkCacheError(error);
    }
  }

  /** Reads the lines that were added since, up to the last complete one. */
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
