// Packs: answers of upstreams in one file, to commit or to hand to a machine that starts with nothing.

import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { PackError } from '../errors.ts';

/** A record of a cache, and the file of the cache that it belongs to. */
export interface PackedRecord {
  /** The path of the file below the directory of the upstream, such as `33/blocks.jsonl`. */
  readonly file: string;
  /** The name of the directory of the upstream; `null` in a record of one run, which holds for any URL. */
  readonly upstream: string | null;
  readonly key: string;
  readonly value: unknown;
}

const FORMAT = 'node-cli fork answers';
const VERSION = 1;
const NEWLINE = 10;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** The most bytes of one line: an answer of the largest size that is kept, escaped, with its key. */
const LONGEST_LINE = 2 ** 26;

const FILE_FORM = /^(?:upstream\.jsonl|\d{1,16}\/(?:blocks|[0-9a-f]{64})\.jsonl)$/;
const UPSTREAM_FORM = /^upstream-[0-9a-f]{40}$/;

function* linesOf(records: Iterable<PackedRecord>): Iterable<string> {
  yield `${JSON.stringify({ format: FORMAT, version: VERSION })}\n`;
  for (const { upstream, file, key, value } of records)
    yield `${JSON.stringify([upstream === null ? file : `${upstream}/${file}`, key, value])}\n`;
}

/**
 * Writes the records as a pack, in their order, in place of what was at the path: compressed where its name ends in
 * `.gz`, otherwise as text with a line for each record. The same records give the same text. Rejects with the error of
 * the system; the earlier file is untouched then.
 */
export async function writePack(path: string, records: Iterable<PackedRecord>): Promise<void> {
  const unfinished = `${path}.${process.pid}.tmp`;
  try {
    const lines = Readable.from(linesOf(records));
    const file = createWriteStream(unfinished);
    await (path.endsWith('.gz') ? pipeline(lines, createGzip(), file) : pipeline(lines, file));
    await rename(unfinished, path);
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

/** Yields the lines of a stream of bytes. Throws a {@link PackError} for one that no pack has. */
async function* splitLines(bytes: AsyncIterable<Buffer>): AsyncIterable<string> {
  let pieces: Buffer[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      yield Buffer.concat([...pieces, chunk.subarray(start, end)]).toString('utf8');
      pieces = [];
      length = 0;
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    pieces.push(rest);
    length += rest.length;
    if (length > LONGEST_LINE) throw new PackError(`it has a line of more than ${LONGEST_LINE} bytes`);
  }
  // Each line of a pack ends; one that does not was cut off.
  if (length > 0) throw new PackError('its last line is cut off');
}

function parsed(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new PackError(`line ${number} is no JSON`);
  }
}

function checkHead(head: unknown): void {
  const isPack = typeof head === 'object' && head !== null && 'format' in head && head.format === FORMAT;
  if (!isPack) throw new PackError('its first line is not that of a pack');
  const version = 'version' in head ? head.version : undefined;
  if (version !== VERSION)
    throw new PackError(`it has version ${JSON.stringify(version)} and this node reads version ${VERSION}`);
}

function recordOf(line: unknown, number: number): PackedRecord {
  const [path, key, value] = Array.isArray(line) ? line : [];
  if (typeof path !== 'string' || typeof key !== 'string' || value === undefined)
    throw new PackError(`line ${number} is no record, an array of file, key and value`);
  const slash = path.indexOf('/');
  const first = path.slice(0, Math.max(0, slash));
  const upstream = UPSTREAM_FORM.test(first) ? first : null;
  const file = upstream === null ? path : path.slice(slash + 1);
  if (!FILE_FORM.test(file)) throw new PackError(`line ${number} names a file that no cache has`);
  return { upstream, file, key, value };
}

/**
 * Yields the records of a pack, compressed or not, in their order. Throws a {@link PackError} that says why it is none,
 * and the error of the system where it cannot be read.
 */
export async function* readPack(path: string): AsyncIterable<PackedRecord> {
  const gunzip = (await isCompressed(path)) ? createGunzip() : null;
  const source = createReadStream(path);
  const bytes: AsyncIterable<Buffer> = gunzip === null ? source : source.pipe(gunzip);
  // An error of the file does not reach what it is piped into.
  if (gunzip !== null) source.once('error', (error) => gunzip.destroy(error));
  let number = 0;
  try {
    for await (const line of splitLines(bytes)) {
      number++;
      if (number === 1) checkHead(parsed(line, number));
      else yield recordOf(parsed(line, number), number);
    }
  } catch (error) {
    const isDamaged = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
    throw isDamaged
      ? new PackError('it is damaged: its compressed data end too early or make no sense')
      : error;
  } finally {
    source.destroy();
  }
  if (number === 0) throw new PackError('it is empty');
}

/** Returns the text that the record is sorted by. */
function placeOf({ upstream, file, key }: PackedRecord): string {
  return JSON.stringify([upstream ?? '', file, key]);
}

/** Returns the records in the one order that packs have. */
export function inOrder(records: readonly PackedRecord[]): PackedRecord[] {
  const placed = records.map((record) => [placeOf(record), record] as const);
  return placed.sort(([left], [right]) => (left < right ? -1 : 1)).map(([, record]) => record);
}
