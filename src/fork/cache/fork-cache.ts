import { join } from 'node:path';
import type { WallClock } from '../../primitives/clock.ts';
import { makeDirectories } from '../../primitives/file-system.ts';
import { hexKey } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import { ForkCacheError } from '../errors.ts';
import { maskUrl } from '../upstream/mask-url.ts';
import type { BlockPin } from '../upstream/upstream-endpoint.ts';
import { RecordFile } from './record-file.ts';

/** What the place of a user's caches depends on. */
export interface UserSurroundings {
  readonly platform: NodeJS.Platform;
  /** Environment variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The user's home directory. */
  readonly home: string;
}

/**
 * Where answers of upstreams are kept by default: in the directory that the platform has for caches of the user (XDG
 * Base Directory Specification, where XDG_CACHE_HOME is set or the platform has no custom of its own).
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

/** Answers of an upstream about the chain up to one block: they stay right for ever. */
export interface AnswerCache {
  /** `undefined` for what nobody asked yet. */
  get(text: string): unknown;
  set(text: string, answer: unknown): unknown;
  /** Returns all that it holds. */
  entries(): Iterable<readonly [text: string, answer: unknown]>;
}

/** A block as the upstream told it. */
export interface KnownBlock {
  /** The block as `eth_getBlockByNumber` gives it. */
  readonly block: unknown;
  /** False for one that was so near the head that another may take its place. */
  readonly isDeep: boolean;
}

/** How long a block near the head is taken for granted, in milliseconds. */
const SHALLOW_TIME = 10 * 60_000;

/** Bytes of an answer that is too large to be kept. */
const LARGEST_ANSWER = 2 ** 24;

/** The file in an upstream's directory that says which one it is, and its chain id. */
export const UPSTREAM_FILE = 'upstream.jsonl';

/** The file in a chain's directory with the blocks by name. */
export const BLOCKS_FILE = 'blocks.jsonl';

/** Digits of the hash in the name of an upstream's directory. */
const NAME_DIGITS = 40;

/** Returns the URL as it is asked: what two spellings of one URL have in common. */
function asAsked(url: string): string {
  const asked = new URL(url);
  asked.hash = '';
  return asked.href;
}

/**
 * Returns the directory of the answers of these URLs, which stand in for one another. A hash, since URLs may hold
 * secrets: the whole of each URL counts, as paths and keys of one server can lead to different nodes.
 */
function upstreamDirectory(urls: readonly string[]): string {
  const asked = [...new Set(urls.map(asAsked))].sort();
  const hash = hexKey(keccak256(new TextEncoder().encode(JSON.stringify(asked))));
  return `upstream-${hash.slice(0, NAME_DIGITS)}`;
}

/** True for the name of a directory that holds the answers of one upstream. */
export function isUpstreamDirectory(name: string): boolean {
  return /^upstream-[0-9a-f]{40}$/.test(name);
}

/**
 * The answers of one upstream, on disk for later runs and for other processes. An upstream is a list of URLs that stand in
 * for one another: what others answered is neither read nor added to. In its directory `<chain id>/<block hash>.jsonl` has
 * the answers about the chain up to that block, `<chain id>/blocks.jsonl` the blocks by number, and `upstream.jsonl` the
 * chain id and the URLs with their secrets starred out.
 */
export class ForkCache {
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
   * Returns the file of that name; `null` when nothing is kept. Throws a {@link ForkCacheError} when its directory
   * cannot be made.
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

  /** The chain id that the upstream answered; `undefined` when it was never asked. */
  chainId(): number | undefined {
    const chainId = this.#file(UPSTREAM_FILE)?.get('chainId');
    return typeof chainId === 'number' ? chainId : undefined;
  }

  /** Keeps the chain id that the upstream answers. */
  keepChainId(chainId: number): void {
    const file = this.#file(UPSTREAM_FILE);
    file?.set('urls', this.#urls.map(maskUrl));
    file?.set('chainId', chainId);
  }

  /** Returns the block of that name, if it can be counted on; `atAnyAge` to be content with what was once so. */
  block(chainId: number, name: string, atAnyAge: boolean): unknown {
    const record = this.#file(`${chainId}`, BLOCKS_FILE)?.get(name);
    if (typeof record !== 'object' || record === null || !('block' in record)) return undefined;
    const isSure = 'isDeep' in record && record.isDeep === true;
    const keptAt = 'keptAt' in record && typeof record.keptAt === 'number' ? record.keptAt : 0;
    return isSure || atAnyAge || this.#clock.now() - keptAt < SHALLOW_TIME ? record.block : undefined;
  }

  /** Keeps a block by a name of the caller's choice: its number, or the hash of a transaction that it has. */
  keepBlock(chainId: number, name: string, known: KnownBlock): void {
    this.#file(`${chainId}`, BLOCKS_FILE)?.set(name, { ...known, keptAt: this.#clock.now() });
  }

  /** Forgets the block of that name, whose place another one has taken. */
  forgetBlock(chainId: number, name: string): void {
    this.#file(`${chainId}`, BLOCKS_FILE)?.set(name, null);
  }

  /** Returns the answers about the chain up to that block. */
  answers(chainId: number, { hash }: BlockPin): AnswerCache {
    const file = this.#file(`${chainId}`, `${hexKey(hash)}.jsonl`);
    if (file === null) return new Map<string, unknown>();
    return {
      get: (text) => file.get(text),
      set: (text, answer) => {
        if (JSON.stringify(answer).length <= LARGEST_ANSWER) file.set(text, answer);
      },
      entries: () => file.entries(),
    };
  }
}

/**
 * Returns the URLs of the upstream whose directory that is, secrets starred out; none where they were not written down.
 */
export function upstreamUrls(directory: string): string[] {
  const urls = new RecordFile(join(directory, UPSTREAM_FILE)).get('urls');
  return Array.isArray(urls) ? urls.filter((url) => typeof url === 'string') : [];
}
