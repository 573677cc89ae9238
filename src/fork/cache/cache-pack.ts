// Packs: upstream responses in one file, to commit or to copy to another machine.

import { createReadStream, createWriteStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { replaceFile } from '../../primitives/replace-file.ts';
import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import { LargePackError, PackError } from '../errors.ts';
import { isLineError, LineSplitter, MAX_LINE_LENGTH, readJsonLine } from './record-lines.ts';

/** A cache record and its cache file. */
export interface PackedRecord {
  /** The path of the file below the upstream's directory, such as `33/blocks.jsonl`. */
  readonly file: string;
  /** The name of the upstream's directory. In a run record, valid for any URL, it is `null`. */
  readonly upstream: string | null;
  readonly key: string;
  readonly value: unknown;
}

const FORMAT = 'node-cli fork answers';
const VERSION = 1;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** Maximum bytes of an uncompressed pack. */
const MAX_PACK = 2 ** 29;
/** Maximum number of cache files in one pack. */
const MAX_FILES = 10_000;

const FILE_FORM = /^(?:upstream\.jsonl|\d{1,16}\/(?:blocks|[0-9a-f]{64})\.jsonl)$/;
const UPSTREAM_FORM = /^upstream-[0-9a-f]{40}$/;

async function* linesOf(
  records: Iterable<PackedRecord> | AsyncIterable<PackedRecord>,
  largest: number,
): AsyncIterable<string> {
  yield `${JSON.stringify({ format: FORMAT, version: VERSION })}\n`;
  let length = 0;
  for await (const { upstream, file, key, value } of records) {
    const line = `${JSON.stringify([upstream === null ? file : `${upstream}/${file}`, key, value])}\n`;
    length += Buffer.byteLength(line);
    if (length > largest) throw new LargePackError(largest);
    yield line;
  }
}

/**
 * Writes the records as a pack, in order, and replaces the file. The pack is compressed if the name ends in
 * `.gz`, otherwise text with one line per record. Equal records give equal text. Rejects with a file system
 * error, and with a {@link LargePackError} above `largest` bytes. The earlier file then stays unchanged.
 */
export async function writePack(
  path: string,
  records: Iterable<PackedRecord> | AsyncIterable<PackedRecord>,
  largest = MAX_PACK,
): Promise<void> {
  const unfinished = `${path}.${process.pid}.tmp`;
  try {
    const lines = Readable.from(linesOf(records, largest));
    const file = createWriteStream(unfinished);
    await (path.endsWith('.gz') ? pipeline(lines, createGzip(), file) : pipeline(lines, file));
    await replaceFile(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function isCompressed(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(GZIP_MAGIC.length), 0, GZIP_MAGIC.length, 0);
    return bytesRead === GZIP_MAGIC.length && buffer.equals(GZIP_MAGIC);
  } finally {
    await file.close();
  }
}

/** Yields lines. Throws a {@link PackError} for an invalid line, and above `largest` bytes. */
async function* splitLines(bytes: AsyncIterable<Buffer>, largest: number): AsyncIterable<Buffer> {
  const lines = new LineSplitter();
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.length;
    if (length > largest) throw new PackError(`it exceeds ${largest} bytes when unpacked`);
    for (const line of lines.add(chunk)) yield line ?? rejectLength();
    if (lines.rest > MAX_LINE_LENGTH) rejectLength();
  }
  // Every line of a pack ends with a line break. A line without one was cut off.
  if (lines.rest > 0) throw new PackError('its last line is incomplete');
}

function rejectLength(): never {
  throw new PackError(`it has a line of more than ${MAX_LINE_LENGTH} bytes`);
}

async function parsed(line: Buffer, number: number, slice: TimeSlice): Promise<unknown> {
  try {
    return await runTask(readJsonLine(line), slice);
  } catch (error) {
    if (!isLineError(error)) throw error;
    const why = error instanceof SyntaxError ? '' : `: ${error.message}`;
    throw new PackError(`line ${number} is not JSON${why}`);
  }
}

function checkHead(head: unknown): void {
  const isPack = typeof head === 'object' && head !== null && 'format' in head && head.format === FORMAT;
  if (!isPack) throw new PackError('its first line is not a header of this format');
  const version = 'version' in head ? head.version : undefined;
  if (version !== VERSION)
    throw new PackError(`it has version ${JSON.stringify(version)}, expected ${VERSION}`);
}

function recordOf(line: unknown, number: number): PackedRecord {
  const [path, key, value] = Array.isArray(line) ? line : [];
  if (typeof path !== 'string' || typeof key !== 'string' || value === undefined)
    throw new PackError(`line ${number} is not a record: expected an array of file, key and value`);
  const slash = path.indexOf('/');
  const first = path.slice(0, Math.max(0, slash));
  const upstream = UPSTREAM_FORM.test(first) ? first : null;
  const file = upstream === null ? path : path.slice(slash + 1);
  if (!FILE_FORM.test(file)) throw new PackError(`line ${number} contains an invalid file name`);
  return { upstream, file, key, value };
}

/** Removes duplicate keys of a file, and checks that the records of a file are consecutive. */
class PackOrder {
  readonly #files = new Set<string>();
  #file = '';
  #keys = new Set<string>();

  /** Returns false for a key that the file already has. Throws a {@link PackError}. */
  isNew({ upstream, file, key }: PackedRecord, number: number): boolean {
    const path = `${upstream ?? ''}/${file}`;
    if (path !== this.#file) {
      if (this.#files.has(path))
        throw new PackError(`line ${number} returns to an earlier file; sort the lines by file`);
      if (this.#files.size === MAX_FILES)
        throw new PackError(`it has records of more than ${MAX_FILES} files`);
      this.#files.add(path);
      this.#file = path;
      this.#keys = new Set();
    }
    if (this.#keys.has(key)) return false;
    this.#keys.add(key);
    return true;
  }
}

/**
 * Yields the records of a pack, compressed or not, in order. Of records with the same key and file, only the
 * first is yielded. Throws a {@link PackError} that names the problem if the file is no pack or exceeds
 * `largest` bytes uncompressed. Throws a file system error if it cannot be read.
 */
export async function* readPack(path: string, largest = MAX_PACK): AsyncIterable<PackedRecord> {
  const facts = await stat(path);
  if (!facts.isFile() && !facts.isDirectory()) throw new PackError('it is not a regular file');
  const gunzip = (await isCompressed(path)) ? createGunzip() : null;
  const source = createReadStream(path);
  const bytes: AsyncIterable<Buffer> = gunzip === null ? source : source.pipe(gunzip);
  // A file error is not passed through `pipe`.
  if (gunzip !== null) source.once('error', (error) => gunzip.destroy(error));
  const slice = new TimeSlice();
  const order = new PackOrder();
  let number = 0;
  try {
    for await (const line of splitLines(bytes, largest)) {
      number++;
      const value = await parsed(line, number, slice);
      if (number === 1) checkHead(value);
      else {
        const record = recordOf(value, number);
        if (order.isNew(record, number)) yield record;
      }
      await slice.spend(line.length);
    }
  } catch (error) {
    const isDamaged = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
    throw isDamaged ? new PackError('the gzip data is incomplete or damaged') : error;
  } finally {
    source.destroy();
    gunzip?.destroy();
  }
  if (number === 0) throw new PackError('it is empty');
}

/** Returns the sort key of a record. */
function placeOf({ upstream, file, key }: PackedRecord): string {
  return JSON.stringify([upstream ?? '', file, key]);
}

/** Returns the records in the order of packs. */
export function inOrder(records: readonly PackedRecord[]): PackedRecord[] {
  const placed = records.map((record) => [placeOf(record), record] as const);
  return placed.sort(([left], [right]) => (left < right ? -1 : 1)).map(([, record]) => record);
}
