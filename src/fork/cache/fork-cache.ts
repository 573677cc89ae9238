// The cache of upstream answers on disk.

import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { WallClock } from '../../primitives/clock.ts';
import { checkDirectory, makeDirectories } from '../../primitives/file-system.ts';
import { hexKey } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import type { Awaitable } from '../../scheduling/task.ts';
import { asObject, tolerantQuantity } from '../../wire/tolerant.ts';
import { ForkCacheError } from '../errors.ts';
import { maskUrl } from '../upstream/mask-url.ts';
import type { BlockPin } from '../upstream/upstream-endpoint.ts';
import { inOrder, type PackedRecord } from './cache-pack.ts';
import { RecordFile } from './record-file.ts';

/** The properties of the system that the default cache directory depends on. */
export interface UserSurroundings {
  readonly platform: NodeJS.Platform;
  /** Environment variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The user's home directory. */
  readonly home: string;
}

/**
 * Returns the default directory of the cache, below the platform's directory for caches of the user. If XDG_CACHE_HOME is set, or
 * the platform has no such directory, the XDG Base Directory Specification decides.
 */
export function forkCacheDirectory({ platform, environment, home }: UserSurroundings): string {
  const xdg = environment.XDG_CACHE_HOME;
  const local = environment.LOCALAPPDATA;
  const caches =
    xdg !== undefined && xdg !== ''
      ? xdg
      : platform === 'darwin'
        ? join(home, 'Library', 'Caches')
        : platform === 'win32' && local !== undefined
          ? local
          : join(home, '.cache');
  return join(caches, 'node-cli', 'fork');
}

/** Answers of an upstream about the chain up to one block, which never become invalid. */
export interface AnswerCache {
  /** Returns an answer in memory; `undefined` for none. */
  get(text: string): unknown;
  set(text: string, answer: unknown): unknown;
  /** Returns all entries in memory. */
  entries(): Iterable<readonly [text: string, answer: unknown]>;
  /** Reads the answers that other processes have added into memory; returns `undefined` if there are none. */
  readOn(): Awaitable<void>;
}

/** Answers that are in memory only. */
class AnswersInMemory extends Map<string, unknown> implements AnswerCache {
  /** @inheritdoc */
  readOn(): undefined {
    return undefined;
  }
}

/** A block as returned by the upstream. */
export interface KnownBlock {
  /** The block as returned by `eth_getBlockByNumber`. */
  readonly block: unknown;
  /** False for a block so near the head that a reorganization may replace it. */
  readonly isDeep: boolean;
}

/** The answers of one upstream, wherever they are kept. */
export interface UpstreamCache {
  /** Returns the chain id that the upstream answered; `undefined` when it was never asked. */
  chainId(): Promise<number | undefined>;
  /** Stores the chain id that the upstream answered. */
  keepChainId(chainId: number): void;
  /** Returns the block of that name if it is still valid; with `atAnyAge` also if it has expired. */
  block(chainId: number, name: string, atAnyAge: boolean): Promise<unknown>;
  /** Returns the number of the block that was stored last by its number; `undefined` if there is none. */
  lastBlock(chainId: number): Promise<number | undefined>;
  /** Stores a block by a name of the caller's choice: its number, or the hash of a transaction in it. */
  keepBlock(chainId: number, name: string, known: KnownBlock): void;
  /** Forgets the block of that name after a reorganization replaced it. */
  forgetBlock(chainId: number, name: string): void;
  /** Returns the answers about the chain up to that block. */
  answers(chainId: number, pin: BlockPin): Promise<AnswerCache>;
  /** Returns the questions, as texts, that the last run asked about another block; none if there was no run. */
  earlierQuestions(chainId: number, pin: BlockPin): Promise<readonly string[]>;
}

/** Returns the file of the answers about the chain up to that block, below the directory of the upstream. */
export function answersFile(chainId: number, { hash }: BlockPin): string {
  return `${chainId}/${hexKey(hash)}.jsonl`;
}

/** The time for which a block near the head is considered valid, in milliseconds. */
const SHALLOW_TIME = 10 * 60_000;

/** The size in bytes from which an answer is too large to be kept. */
const LARGEST_ANSWER = 2 ** 24;

/** The file in an upstream's directory that names its URLs and chain id. */
export const UPSTREAM_FILE = 'upstream.jsonl';

/** The file in a chain's directory with the blocks by name. */
export const BLOCKS_FILE = 'blocks.jsonl';

/** The name of a block that is stored by its number. */
const BLOCK_NUMBER = /^\d+$/;

/** The name of a file with the answers about the chain up to one block: its hash. */
const BLOCK_FILE = /^[0-9a-f]{64}\.jsonl$/;

/** Digits of the hash in the name of an upstream's directory. */
const NAME_DIGITS = 40;

/** Returns the normal form of the URL, which equivalent spellings share. */
function asAsked(url: string): string {
  const asked = new URL(url);
  asked.hash = '';
  return asked.href;
}

/**
 * Returns the directory of the answers of these URLs, which are interchangeable. Its name is a hash, since URLs may
 * hold secrets; the whole of each URL counts, as paths and keys of one server can lead to different nodes.
 */
export function upstreamDirectory(urls: readonly string[]): string {
  const asked = [...new Set(urls.map(asAsked))].sort();
  const hash = hexKey(keccak256(new TextEncoder().encode(JSON.stringify(asked))));
  return `upstream-${hash.slice(0, NAME_DIGITS)}`;
}

/** Returns the name of the file that was written last, of those that are wanted; `null` for none. */
function latestFile(directory: string, isWanted: (name: string) => boolean): string | null {
  const times = readdirSync(directory)
    .filter(isWanted)
    .map((name) => [name, lstatSync(join(directory, name)).mtimeMs] as const);
  return times.sort(([, left], [, right]) => right - left)[0]?.[0] ?? null;
}

/**
 * Creates the directories of a file below that directory. Throws a {@link ForkCacheError} if that fails, and for a
 * symbolic link below it, which could lead to files outside the cache.
 */
function makeCacheDirectories(upstream: string, names: readonly string[]): void {
  try {
    makeDirectories(upstream);
    checkDirectory(upstream);
    let directory = upstream;
    for (const name of names.slice(0, -1)) {
      directory = join(directory, name);
      makeDirectories(directory);
      checkDirectory(directory);
    }
  } catch (error) {
    throw new ForkCacheError(error);
  }
}

/** True for the name of a directory that holds the answers of one upstream. */
export function isUpstreamDirectory(name: string): boolean {
  return /^upstream-[0-9a-f]{40}$/.test(name);
}

/**
 * The answers of one upstream, on disk for later runs and for other processes. An upstream is a list of interchangeable
 * URLs: answers of other upstreams are neither read nor changed. In its directory, `<chain id>/<block hash>.jsonl` has
 * the answers about the chain up to that block, `<chain id>/blocks.jsonl` the blocks by number, and `upstream.jsonl`
 * the chain id and the URLs with their secrets masked.
 */
export class ForkCache implements UpstreamCache {
  /** `null` to keep nothing. */
  readonly #directory: string | null;
  readonly #urls: readonly string[];
  readonly #clock: WallClock;
  readonly #files = new Map<string, RecordFile>();

  constructor(directory: string | null, urls: readonly string[], clock: WallClock) {
    this.#directory = directory === null ? null : join(directory, upstreamDirectory(urls));
    this.#urls = urls;
    this.#clock = clock;
  }

  /**
   * Returns the file of that name; `null` when there is no cache. Throws a {@link ForkCacheError} when its directory
   * cannot be created.
   */
  #file(...names: readonly string[]): RecordFile | null {
    if (this.#directory === null) return null;
    const path = join(this.#directory, ...names);
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    makeCacheDirectories(this.#directory, names);
    const file = new RecordFile(path);
    this.#files.set(path, file);
    return file;
  }

  /** @inheritdoc */
  async chainId(): Promise<number | undefined> {
    const file = this.#file(UPSTREAM_FILE);
    await file?.readOn();
    const chainId = file?.get('chainId');
    return typeof chainId === 'number' ? chainId : undefined;
  }

  /** @inheritdoc */
  keepChainId(chainId: number): void {
    const file = this.#file(UPSTREAM_FILE);
    if (file === null) return;
    const records = { urls: this.#urls.map(maskUrl), chainId };
    // Each start keeps the chain id. Equal records would let the file grow.
    const changed = Object.entries(records).filter(
      ([key, value]) => JSON.stringify(file.get(key)) !== JSON.stringify(value),
    );
    if (changed.length > 0) file.setAll(changed);
  }

  /** @inheritdoc */
  async block(chainId: number, name: string, atAnyAge: boolean): Promise<unknown> {
    const file = this.#file(`${chainId}`, BLOCKS_FILE);
    await file?.readOn();
    const record = file?.get(name);
    if (typeof record !== 'object' || record === null || !('block' in record)) return undefined;
    const isSure = 'isDeep' in record && record.isDeep === true;
    const keptAt = 'keptAt' in record && typeof record.keptAt === 'number' ? record.keptAt : 0;
    return isSure || atAnyAge || this.#clock.now() - keptAt < SHALLOW_TIME ? record.block : undefined;
  }

  /** @inheritdoc */
  async lastBlock(chainId: number): Promise<number | undefined> {
    const file = this.#file(`${chainId}`, BLOCKS_FILE);
    await file?.readOn();
    let last: number | undefined;
    // Blocks are in the order of storing.
    for (const [name, record] of file?.entries() ?? [])
      if (BLOCK_NUMBER.test(name) && lastingBlock(record) !== null) last = Number(name);
    return last;
  }

  /** @inheritdoc */
  keepBlock(chainId: number, name: string, known: KnownBlock): void {
    this.#file(`${chainId}`, BLOCKS_FILE)?.set(name, { ...known, keptAt: this.#clock.now() });
  }

  /** @inheritdoc */
  forgetBlock(chainId: number, name: string): void {
    this.#file(`${chainId}`, BLOCKS_FILE)?.set(name, null);
  }

  /** @inheritdoc */
  async answers(chainId: number, pin: BlockPin): Promise<AnswerCache> {
    const file = this.#file(...answersFile(chainId, pin).split('/'));
    if (file === null) return new AnswersInMemory();
    await file.readOn();
    return {
      readOn: () => file.readOn(),
      get: (text) => file.get(text),
      set: (text, answer) => {
        if (JSON.stringify(answer).length <= LARGEST_ANSWER) file.set(text, answer);
      },
      entries: () => file.entries(),
    };
  }

  /** @inheritdoc */
  async earlierQuestions(chainId: number, pin: BlockPin): Promise<readonly string[]> {
    if (this.#directory === null) return [];
    const directory = join(this.#directory, `${chainId}`);
    try {
      const latest = latestFile(
        directory,
        (name) => BLOCK_FILE.test(name) && name !== `${hexKey(pin.hash)}.jsonl`,
      );
      if (latest === null) return [];
      const file = new RecordFile(join(directory, latest));
      await file.readOn();
      return Array.from(file.entries(), ([text]) => text);
    } catch {
      // The questions only save time: a file that cannot be read must not prevent the fork.
      return [];
    }
  }
}

/** Returns the record of a block without the time at which it was fetched, which differs from run to run; `null` for none. */
function lastingBlock(record: unknown): KnownBlock | null {
  if (typeof record !== 'object' || record === null || !('block' in record)) return null;
  return { block: record.block, isDeep: 'isDeep' in record && record.isDeep === true };
}

/**
 * Returns the records of a file of the cache, sorted, as they go into a pack. `file` is its path below the directory of
 * the upstream. Rejects with a {@link ForkCacheError} if it cannot be read.
 */
export async function packedRecords(
  directory: string,
  upstream: string,
  file: string,
): Promise<PackedRecord[]> {
  const isOfBlocks = file.endsWith(BLOCKS_FILE);
  const records = new RecordFile(join(directory, upstream, file));
  await records.readOn();
  const entries = Array.from(records.entries(), ([key, value]) => {
    return { upstream, file, key, value: isOfBlocks ? lastingBlock(value) : value };
  });
  // A block that is `null` was forgotten, after a reorganization; an answer can be `null`.
  return inOrder(entries.filter(({ value }) => !isOfBlocks || value !== null));
}

/** Characters of records that are written in one call of the system. */
const WRITTEN_AT_ONCE = 2 ** 18;

/** Adds the records of a pack to the cache in a directory. The records of one file must follow one another. */
export class CacheFiller {
  readonly #directory: string;
  #file: RecordFile | null = null;
  #path = '';
  #waiting: [key: string, value: unknown][] = [];
  #waitingLength = 0;
  #added = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Adds a record, to the upstream of that directory. A record that the cache has already stays, unless it is of a
   * block that may have been replaced. Rejects with a {@link ForkCacheError} if the record cannot be written.
   */
  async add({ file, key, value }: PackedRecord, upstream: string): Promise<void> {
    const directory = join(this.#directory, upstream);
    const path = join(directory, file);
    if (path !== this.#path || this.#file === null) {
      this.#write();
      makeCacheDirectories(directory, file.split('/'));
      this.#file = new RecordFile(path);
      this.#path = path;
      await this.#file.readOn();
    }
    const known = this.#file.get(key);
    const mayBeOld = file.endsWith(BLOCKS_FILE) && lastingBlock(known)?.isDeep !== true;
    if (known !== undefined && !mayBeOld) return;
    this.#waiting.push([key, value]);
    this.#waitingLength += key.length + JSON.stringify(value).length;
    if (this.#waitingLength >= WRITTEN_AT_ONCE) this.#write();
  }

  #write(): void {
    const records = this.#waiting;
    this.#waiting = [];
    this.#waitingLength = 0;
    if (this.#file === null || records.length === 0) return;
    if (this.#file.setAll(records)) this.#added += records.length;
  }

  /** Writes the last records; returns the number of records that were added. Throws a {@link ForkCacheError}. */
  finish(): number {
    this.#write();
    return this.#added;
  }
}

/** Returns the records of a file; none if it cannot be read. */
async function readableRecords(path: string): Promise<RecordFile> {
  const file = new RecordFile(path);
  try {
    await file.readOn();
  } catch (error) {
    // The cache can be listed and removed without the names and numbers.
    if (!(error instanceof ForkCacheError)) throw error;
  }
  return file;
}

/** Returns the numbers of the blocks that a chain's directory knows, by hash in lower case. */
export async function blockNumbers(directory: string): Promise<ReadonlyMap<string, number>> {
  const file = await readableRecords(join(directory, BLOCKS_FILE));
  const numbers = new Map<string, number>();
  for (const [, record] of file.entries()) {
    const fields = asObject(lastingBlock(record)?.block);
    const number = tolerantQuantity(fields?.number);
    if (typeof fields?.hash === 'string' && number !== undefined)
      numbers.set(fields.hash.toLowerCase(), Number(number));
  }
  return numbers;
}

/**
 * Returns the URLs of the upstream of that directory, with secrets masked; none if they were not recorded, or if the
 * file cannot be read.
 */
export async function upstreamUrls(directory: string): Promise<string[]> {
  const file = await readableRecords(join(directory, UPSTREAM_FILE));
  const urls = file.get('urls');
  return Array.isArray(urls) ? urls.filter((url) => typeof url === 'string') : [];
}
