import { createHash, hash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  writeSync,
} from 'node:fs';
import type { Awaitable } from '../../primitives/awaitable.ts';
import { openRegularFile } from '../../primitives/file-system.ts';
import type { Steps } from '../../primitives/steps.ts';
import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import { ForkCacheError } from '../errors.ts';
import { isLineError, LineSplitter, readJsonLine } from './record-lines.ts';

const SUM_LENGTH = 8;
/** The line breaks before and after a line. */
const LINE_ENDS = 2;

/** Bytes read or written in one step. */
const CHUNK = 2 ** 18;

/** Work units per byte read, for its checksum and value. */
const WORK_OF_BYTE = 4;

/** Work units per skipped record. */
const SKIPPED_WORK = 16;

/** Outdated bytes that may remain in a file. */
const TOLERATED_WASTE = 2 ** 20;

/** Maximum bytes of a cache file: about half a million storage slots. */
export const MAX_FILE_SIZE = 2 ** 27;

function sumOf(text: string): string {
  return hash('sha1', text, 'hex').slice(0, SUM_LENGTH);
}

/** Like {@link sumOf}, but yields for long text. */
function* sumOfBytes(text: Uint8Array): Steps<string> {
  if (text.length <= CHUNK) return hash('sha1', text, 'hex').slice(0, SUM_LENGTH);
  const sum = createHash('sha1');
  for (let start = 0; start < text.length; start += CHUNK) {
    sum.update(text.subarray(start, start + CHUNK));
    yield CHUNK;
  }
  return sum.digest('hex').slice(0, SUM_LENGTH);
}

/** Returns the line of a record. Its initial line break protects it from an incomplete line before it. */
function lineOf(key: string, value: unknown): string {
  const text = JSON.stringify([key, value]);
  return `\n${sumOf(text)}${text}\n`;
}

/** Returns the record of a line; `undefined` for an empty, damaged or invalid line. */
function* readLine(line: Buffer | null): Steps<readonly [key: string, value: unknown] | undefined> {
  if (line === null || line.length <= SUM_LENGTH) return undefined;
  const text = line.subarray(SUM_LENGTH);
  if ((yield* sumOfBytes(text)) !== line.toString('latin1', 0, SUM_LENGTH)) return undefined;
  try {
    const record = yield* readJsonLine(text);
    if (!Array.isArray(record) || typeof record[0] !== 'string') return undefined;
    return [record[0], record[1]];
  } catch (error) {
    if (isLineError(error)) return undefined;
    throw error;
  }
}

/** A value and the bytes of its line. */
interface StoredValue {
  readonly value: unknown;
  readonly size: number;
}

/**
 * Values by key in an append-only file with one line per value. The last line of a key applies. Several
 * processes may write at the same time: each line is written in one call and has a checksum. Reading yields.
 * The first read removes outdated lines, and the oldest records of a file above the maximum size.
 */
export class RecordFile {
  readonly #path: string;
  readonly #largest: number;
  readonly #records = new Map<string, StoredValue>();
  /** The total bytes of the lines of {@link #records}. */
  #live = 0;
  /** The inode and size at the last read. */
  #inode = -1;
  #size = 0;
  /** The file offset after the last read line. */
  #position = 0;
  #isRead = false;
  #reading: Promise<void> | null = null;
  /** Keys set during a read. Their lines are newer than the ones being read. */
  readonly #setMeanwhile = new Set<string>();

  /** `largest` is the maximum size in bytes; `Infinity` for a file that keeps every record. */
  constructor(path: string, largest = MAX_FILE_SIZE) {
    this.#path = path;
    this.#largest = largest;
  }

  /** Returns the value of a key among the loaded records, or `undefined`. */
  get(key: string): unknown {
    return this.#records.get(key)?.value;
  }

  /** Yields all loaded values with their keys. */
  *entries(): Iterable<readonly [key: string, value: unknown]> {
    for (const [key, { value }] of this.#records) yield [key, value];
  }

  /**
   * Loads records that were added since the last call, also by other processes. Returns `undefined` if there
   * are none. Throws or rejects with a {@link ForkCacheError} if an existing file is unreadable or not a
   * regular file.
   */
  readOn(): Awaitable<void> {
    if (this.#reading !== null) return this.#reading;
    const facts = this.#facts();
    if (facts === undefined || (facts.ino === this.#inode && facts.size === this.#size)) return undefined;
    this.#reading = this.#read().finally(() => {
      this.#reading = null;
      this.#setMeanwhile.clear();
    });
    return this.#reading;
  }

  /**
   * Appends a JSON-compatible value. The directory must exist. Returns false if the file has its maximum
   * size. Throws a {@link ForkCacheError} if the file cannot be written. In both cases the value remains in
   * memory, so that this process does not fetch it again.
   */
  set(key: string, value: unknown): boolean {
    return this.setAll([[key, value]]);
  }

  /** Appends values like {@link set}, in one write call. */
  setAll(values: readonly (readonly [key: string, value: unknown])[]): boolean {
    const lines = values.map(([key, value]) => {
      const line = lineOf(key, value);
      this.#store(key, { value, size: line.length });
      if (this.#reading !== null) this.#setMeanwhile.add(key);
      return line;
    });
    try {
      return this.#append(Buffer.from(lines.join('')));
    } catch (error) {
      throw new ForkCacheError(error);
    }
  }

  /** Appends lines unless the file would exceed the maximum. Returns true if they were appended. */
  #append(lines: Buffer): boolean {
    const file = openRegularFile(this.#path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT);
    try {
      const before = fstatSync(file);
      if (before.size + lines.length > this.#largest) return false;
      writeSync(file, lines);
      this.#skipOwn(before, fstatSync(file).size, lines.length);
      return true;
    } finally {
      closeSync(file);
    }
  }

  /** Marks appended lines as read, unless other lines before or between them are unread. */
  #skipOwn(before: Stats, size: number, length: number): void {
    const isAllRead = before.size === 0 || (before.ino === this.#inode && before.size === this.#position);
    if (!isAllRead || this.#reading !== null || size !== before.size + length) return;
    this.#inode = before.ino;
    this.#position = size;
    this.#size = size;
  }

  #facts(): Stats | undefined {
    try {
      return lstatSync(this.#path, { throwIfNoEntry: false });
    } catch (error) {
      throw new ForkCacheError(error);
    }
  }

  async #read(): Promise<void> {
    let file: number;
    try {
      file = openRegularFile(this.#path, constants.O_RDONLY);
    } catch (error) {
      if (isNotThere(error)) return;
      throw new ForkCacheError(error);
    }
    let facts: Stats;
    try {
      facts = fstatSync(file);
      await runTask(this.#readFile(file, facts), new TimeSlice());
    } catch (error) {
      throw new ForkCacheError(error);
    } finally {
      closeSync(file);
    }
    if (this.#isRead) return;
    this.#isRead = true;
    await runTask(this.#compact(facts), new TimeSlice());
  }

  *#readFile(file: number, { ino, size }: Stats): Steps<void> {
    // Another process replaced the file with a shorter one.
    if (ino !== this.#inode || size < this.#position) this.#position = 0;
    this.#inode = ino;
    // Only the newest records of a file above the maximum size are read.
    let at = Math.max(this.#position, size - this.#largest);
    const lines = new LineSplitter();
    while (at < size) {
      const chunk = Buffer.alloc(Math.min(CHUNK, size - at));
      const count = readSync(file, chunk, 0, chunk.length, at);
      if (count === 0) break;
      at += count;
      for (const line of lines.add(chunk.subarray(0, count))) {
        const record = yield* readLine(line);
        if (record !== undefined && line !== null) this.#take(record, line.length);
      }
      this.#position = at - lines.rest;
      yield WORK_OF_BYTE * count;
    }
    this.#size = size;
  }

  #take([key, value]: readonly [key: string, value: unknown], size: number): void {
    if (this.#setMeanwhile.has(key)) return;
    this.#store(key, { value, size: size + LINE_ENDS });
  }

  #store(key: string, stored: StoredValue): void {
    this.#live += stored.size - (this.#records.get(key)?.size ?? 0);
    // The order is the order of the last lines.
    this.#records.delete(key);
    this.#records.set(key, stored);
  }

  /** Rewrites the file if it is too large or mostly outdated. */
  *#compact(facts: Stats): Steps<void> {
    const { size } = facts;
    const live = this.#live;
    const isTooLarge = size > 0.9 * this.#largest;
    if (!isTooLarge && size <= 2 * live + TOLERATED_WASTE) return;
    const most = isTooLarge ? this.#largest / 2 : live;
    const unfinished = `${this.#path}.${process.pid}.tmp`;
    let file: number;
    try {
      const { O_WRONLY, O_CREAT, O_EXCL } = constants;
      file = openRegularFile(unfinished, O_WRONLY | O_CREAT | O_EXCL, facts.mode);
    } catch {
      // Compaction only saves space, so the long file remains if the directory is read-only.
      return;
    }
    try {
      const made = yield* writeRecords(file, this.#records, live - most);
      const now = lstatSync(this.#path);
      if (now.ino !== facts.ino || now.size !== size) return;
      renameSync(unfinished, this.#path);
      [this.#inode, this.#size, this.#position] = [made.ino, made.size, made.size];
    } catch {
      // Compaction only saves space.
    } finally {
      rmSync(unfinished, { force: true });
    }
  }
}

/** Writes the records without the oldest `omitted` bytes, and closes the file. Returns the file's status. */
function* writeRecords(
  file: number,
  records: ReadonlyMap<string, StoredValue>,
  omitted: number,
): Steps<Stats> {
  try {
    let text = '';
    let skipped = 0;
    for (const [key, { value, size }] of records) {
      const isOmitted = skipped < omitted;
      if (isOmitted) skipped += size;
      else text += lineOf(key, value);
      if (text.length >= CHUNK) {
        writeSync(file, text);
        text = '';
      }
      yield isOmitted ? SKIPPED_WORK : WORK_OF_BYTE * size;
    }
    writeSync(file, text);
    return fstatSync(file);
  } finally {
    closeSync(file);
  }
}

/** True for the error of a file that does not exist. */
export function isNotThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
