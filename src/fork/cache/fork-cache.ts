// The fork cache: upstream responses on disk.

import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Awaitable } from '../../primitives/awaitable.ts';
import type { WallClock } from '../../primitives/clock.ts';
import { checkDirectory, makeDirectories } from '../../primitives/file-system.ts';
import { hexKey } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import { asObject, tolerantQuantity } from '../../wire/tolerant.ts';
import { ForkCacheError } from '../errors.ts';
import { maskUrl } from '../upstream/mask-url.ts';
import type { BlockPin } from '../upstream/upstream-call.ts';
import { inOrder, type PackedRecord } from './cache-pack.ts';
import { RecordFile } from './record-file.ts';

/** Upstream responses about the chain up to one block. They never become invalid. */
export interface AnswerCache {
  /** Returns a response in memory, or `undefined`. */
  get(text: string): unknown;
  /** Returns false if the answer is too long for the cache. */
  set(text: string, answer: unknown): boolean;
  /** Returns all entries in memory. */
  entries(): Iterable<readonly [text: string, answer: unknown]>;
  /** Loads responses that other processes have added. Returns `undefined` if there are no new ones. */
  readOn(): Awaitable<void>;
}

/** Returns a cache in memory only. */
export function answersInMemory(): AnswerCache {
  const answers = new Map<string, unknown>();
  return {
    get: (text) => answers.get(text),
    set: (text, answer) => answers.set(text, answer).has(text),
    entries: () => answers,
    readOn: () => undefined,
  };
}

export interface KnownBlock {
  /** The block as returned by `eth_getBlockByNumber`. */
  readonly block: unknown;
  /** False for a block near the head, which a reorganization may replace. */
  readonly isDeep: boolean;
}

/** The cached responses of one upstream. */
export interface UpstreamCache {
  /** Returns the upstream's chain id; `undefined` before the first response. */
  chainId(): Promise<number | undefined>;
  keepChainId(chainId: number): void;
  /** Returns the block with this name if it is valid. `atAnyAge` includes expired blocks. */
  block(chainId: number, name: string, atAnyAge: boolean): Promise<unknown>;
  /** Returns the number of the last block stored by number, or `undefined`. */
  lastBlock(chainId: number): Promise<number | undefined>;
  /** Stores a block under a name: its number, or the hash of one of its transactions. */
  keepBlock(chainId: number, name: string, known: KnownBlock): void;
  /** Removes the block after a reorganization replaced it. */
  forgetBlock(chainId: number, name: string): void;
  /** Returns the responses about the chain up to this block. */
  answers(chainId: number, pin: BlockPin): Promise<AnswerCache>;
  /** Returns the requests of the last run at another block, as text; empty if there was no run. */
  earlierQuestions(chainId: number, pin: BlockPin): Promise<readonly string[]>;
}

/** Returns the path of the responses up to this block, below the upstream's directory. */
export function answersFile(chainId: number, { hash }: BlockPin): string {
  return `${chainId}/${hexKey(hash)}.jsonl`;
}

/** Validity of a block near the head, in milliseconds. */
const SHALLOW_TIME = 10 * 60_000;

/** Maximum characters of a cached response. */
const MAX_ANSWER_SIZE = 2 ** 24;

/** The file in an upstream's directory with its URLs and chain id. */
export const UPSTREAM_FILE = 'upstream.jsonl';

/** The file in a chain's directory with the blocks by name. */
export const BLOCKS_FILE = 'blocks.jsonl';

/** The name of a block that is stored by number. */
const BLOCK_NUMBER = /^\d+$/;

/** The name of a file with the responses up to one block: the block's hash. */
const BLOCK_FILE = /^[0-9a-f]{64}\.jsonl$/;

/** Number of hash digits in an upstream directory's name. */
const NAME_DIGITS = 40;

/** Returns the normal form of a URL. */
function asAsked(url: string): string {
  const asked = new URL(url);
  asked.hash = '';
  return asked.href;
}

/**
 * Returns the directory for these interchangeable URLs. Its name is a hash, because URLs may contain secrets.
 * The hash covers the complete URLs, because paths and keys of a server can lead to different nodes.
 */
export function upstreamDirectory(urls: readonly string[]): string {
  const asked = [...new Set(urls.map(asAsked))].sort();
  const hash = hexKey(keccak256(new TextEncoder().encode(JSON.stringify(asked))));
  return `upstream-${hash.slice(0, NAME_DIGITS)}`;
}

/** Returns the newest wanted file, or `null`. */
function latestFile(directory: string, isWanted: (name: string) => boolean): string | null {
  const times = readdirSync(directory)
    .filter(isWanted)
    .map((name) => [name, lstatSync(join(directory, name)).mtimeMs] as const);
  return times.sort(([, left], [, right]) => right - left)[0]?.[0] ?? null;
}

/**
 * Creates the parent directories of a file. Throws a {@link ForkCacheError} if that fails, or for a symbolic
 * link below the cache, which could lead to files outside.
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

/** True for the directory name of an upstream. */
export function isUpstreamDirectory(name: string): boolean {
  return /^upstream-[0-9a-f]{40}$/.test(name);
}

/**
 * The responses of one upstream, on disk for later runs and other processes. An upstream is a list of
 * interchangeable URLs; different upstreams share nothing. In its directory, `<chain id>/<block hash>.jsonl`
 * has the responses up to that block. `<chain id>/blocks.jsonl` has the blocks by number, and
 * `upstream.jsonl` the chain id and the masked URLs.
 */
export class ForkCache implements UpstreamCache {
  /** `null` disables the cache. */
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
   * Returns the file with this name, or `null` without a cache. Throws a {@link ForkCacheError} if its
   * directory cannot be created.
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
    // Blocks are in storage order.
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
    if (file === null) return answersInMemory();
    await file.readOn();
    return {
      readOn: () => file.readOn(),
      get: (text) => file.get(text),
      set: (text, answer) => {
        const length = typeof answer === 'string' ? answer.length : JSON.stringify(answer).length;
        if (length <= MAX_ANSWER_SIZE) file.set(text, answer);
        return length <= MAX_ANSWER_SIZE;
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
      // The requests only save time. An unreadable file must not prevent the fork.
      return [];
    }
  }
}

/** Returns a block record without its time of storage, which differs between runs, or `null`. */
function lastingBlock(record: unknown): KnownBlock | null {
  if (typeof record !== 'object' || record === null || !('block' in record)) return null;
  return { block: record.block, isDeep: 'isDeep' in record && record.isDeep === true };
}

/**
 * Returns the sorted records of a cache file for a pack. `file` is the path below the upstream's directory.
 * Rejects with a {@link ForkCacheError} if it cannot be read.
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
  // A `null` block was removed after a reorganization. A response can be `null`.
  return inOrder(entries.filter(({ value }) => !isOfBlocks || value !== null));
}

/** Characters of records per write call. */
const WRITTEN_AT_ONCE = 2 ** 18;

/** Adds the records of a pack to a cache directory. The records of a file must be consecutive. */
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
   * Adds a record to this upstream's directory. A present record stays, unless it is a block that may have
   * been replaced. Rejects with a {@link ForkCacheError} if the record cannot be written.
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

  /** Writes the last records. Returns the number of added records. Throws a {@link ForkCacheError}. */
  finish(): number {
    this.#write();
    return this.#added;
  }
}

/** Returns the records of a file; no records if it cannot be read. */
async function readableRecords(path: string): Promise<RecordFile> {
  const file = new RecordFile(path);
  try {
    await file.readOn();
  } catch (error) {
    // The cache can be listed and cleaned without the names and numbers.
    if (!(error instanceof ForkCacheError)) throw error;
  }
  return file;
}

/** Returns the block numbers in a chain's directory, by lower-case hash. */
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

/** Returns the upstream's URLs with masked secrets; empty if they are not recorded or unreadable. */
export async function upstreamUrls(directory: string): Promise<string[]> {
  const file = await readableRecords(join(directory, UPSTREAM_FILE));
  const urls = file.get('urls');
  return Array.isArray(urls) ? urls.filter((url) => typeof url === 'string') : [];
}
