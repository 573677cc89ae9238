// The cache of upstream answers on disk.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { WallClock } from '../../primitives/clock.ts';
import { makeDirectories } from '../../primitives/file-system.ts';
import { hexKey } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
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
 * Returns the default directory of the cache: below the platform's directory for caches of the user (XDG Base Directory
 * Specification, where XDG_CACHE_HOME is set or the platform has no convention of its own).
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
  /** `undefined` for a call that was not made yet. */
  get(text: string): unknown;
  set(text: string, answer: unknown): unknown;
  /** Returns all entries. */
  entries(): Iterable<readonly [text: string, answer: unknown]>;
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
  chainId(): number | undefined;
  /** Stores the chain id that the upstream answered. */
  keepChainId(chainId: number): void;
  /** Returns the block of that name if it is still valid; with `atAnyAge` also if it has expired. */
  block(chainId: number, name: string, atAnyAge: boolean): unknown;
  /** Stores a block by a name of the caller's choice: its number, or the hash of a transaction in it. */
  keepBlock(chainId: number, name: string, known: KnownBlock): void;
  /** Forgets the block of that name after a reorganization replaced it. */
  forgetBlock(chainId: number, name: string): void;
  /** Returns the answers about the chain up to that block. */
  answers(chainId: number, pin: BlockPin): AnswerCache;
  /** Returns the questions, as texts, that the last run asked about another block; none where there was no run. */
  earlierQuestions(chainId: number, pin: BlockPin): readonly string[];
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
    .map((name) => [name, statSync(join(directory, name)).mtimeMs] as const);
  return times.sort(([, left], [, right]) => right - left)[0]?.[0] ?? null;
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
    try {
      makeDirectories(join(path, '..'));
    } catch (error) {
      throw new ForkCacheError(error);
    }
    const file = new RecordFile(path);
    this.#files.set(path, file);
    return file;
  }

  /** @inheritdoc */
  chainId(): number | undefined {
    const chainId = this.#file(UPSTREAM_FILE)?.get('chainId');
    return typeof chainId === 'number' ? chainId : undefined;
  }

  /** @inheritdoc */
  keepChainId(chainId: number): void {
    const file = this.#file(UPSTREAM_FILE);
    file?.set('urls', this.#urls.map(maskUrl));
    file?.set('chainId', chainId);
  }

  /** @inheritdoc */
  block(chainId: number, name: string, atAnyAge: boolean): unknown {
    const record = this.#file(`${chainId}`, BLOCKS_FILE)?.get(name);
    if (typeof record !== 'object' || record === null || !('block' in record)) return undefined;
    const isSure = 'isDeep' in record && record.isDeep === true;
    const keptAt = 'keptAt' in record && typeof record.keptAt === 'number' ? record.keptAt : 0;
    return isSure || atAnyAge || this.#clock.now() - keptAt < SHALLOW_TIME ? record.block : undefined;
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
  answers(chainId: number, pin: BlockPin): AnswerCache {
    const file = this.#file(answersFile(chainId, pin));
    if (file === null) return new Map<string, unknown>();
    return {
      get: (text) => file.get(text),
      set: (text, answer) => {
        if (JSON.stringify(answer).length <= LARGEST_ANSWER) file.set(text, answer);
      },
      entries: () => file.entries(),
    };
  }

  /** @inheritdoc */
  earlierQuestions(chainId: number, pin: BlockPin): readonly string[] {
    if (this.#directory === null) return [];
    const directory = join(this.#directory, `${chainId}`);
    const latest = latestFile(
      directory,
      (name) => BLOCK_FILE.test(name) && name !== `${hexKey(pin.hash)}.jsonl`,
    );
    if (latest === null) return [];
    try {
      return Array.from(new RecordFile(join(directory, latest)).entries(), ([text]) => text);
    } catch {
      // They only save time: a file that cannot be read must not keep the fork from beginning.
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
 * the upstream. Throws a {@link ForkCacheError} when it cannot be read.
 */
export function packedRecords(directory: string, upstream: string, file: string): PackedRecord[] {
  const isOfBlocks = file.endsWith(BLOCKS_FILE);
  const entries = Array.from(new RecordFile(join(directory, upstream, file)).entries(), ([key, value]) => {
    return { upstream, file, key, value: isOfBlocks ? lastingBlock(value) : value };
  });
  // A block that is `null` was forgotten, after a reorganization; an answer can be `null`.
  return inOrder(entries.filter(({ value }) => !isOfBlocks || value !== null));
}

/** Adds the records of packs to the cache in a directory. */
export class CacheFiller {
  readonly #directory: string;
  #file: RecordFile | null = null;
  #path = '';

  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Adds a record, to the upstream of that directory; returns false where the cache has one already, which stays unless
   * it is of a block that may have been replaced. Throws a {@link ForkCacheError} when it cannot be written.
   */
  add({ file, key, value }: PackedRecord, upstream: string): boolean {
    const path = join(this.#directory, upstream, file);
    if (path !== this.#path || this.#file === null) {
      try {
        makeDirectories(join(path, '..'));
      } catch (error) {
        throw new ForkCacheError(error);
      }
      // One file is in memory at a time: packs are sorted by file.
      this.#file = new RecordFile(path);
      this.#path = path;
    }
    const known = this.#file.get(key);
    const mayBeOld = file.endsWith(BLOCKS_FILE) && lastingBlock(known)?.isDeep !== true;
    if (known !== undefined && !mayBeOld) return false;
    this.#file.set(key, value);
    return true;
  }
}

/** Returns the URLs of the upstream of that directory, with secrets masked; none when they were not recorded. */
export function upstreamUrls(directory: string): string[] {
  const urls = new RecordFile(join(directory, UPSTREAM_FILE)).get('urls');
  return Array.isArray(urls) ? urls.filter((url) => typeof url === 'string') : [];
}
