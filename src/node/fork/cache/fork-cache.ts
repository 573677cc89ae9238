import { join } from 'node:path';
import type { WallClock } from '../../../primitives/clock.ts';
import { keyOf } from '../../../primitives/hex.ts';
import { keccak256 } from '../../../primitives/keccak.ts';
import { makeDirectories } from '../../../primitives/make-directories.ts';
import { ForkCacheError } from '../errors.ts';
import type { BlockPin } from '../upstream/upstream-endpoint.ts';
import { RecordFile } from './record-file.ts';

/** Answers of an upstream about the chain up to one block: they stay right for ever. */
export interface AnswerCache {
  /** `undefined` for what nobody asked yet. */
  get(text: string): unknown;
  set(text: string, answer: unknown): unknown;
  /** All that it holds. */
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

/**
 * What upstreams answered, on disk for later runs and for other processes: `<chain id>/<block hash>.jsonl` has the
 * answers about the chain up to that block, `<chain id>/blocks.jsonl` the blocks by number, `urls.jsonl` the chain id
 * behind each URL, which stands there as a hash since it may hold secrets.
 */
export class ForkCache {
  /** `null` to keep nothing. */
  readonly #directory: string | null;
  readonly #clock: WallClock;
  readonly #files = new Map<string, RecordFile>();

  constructor(directory: string | null, clock: WallClock) {
    this.#directory = directory;
    this.#clock = clock;
  }

  /** The file of that name; `null` when nothing is kept. Throws a {@link ForkCacheError} when its directory cannot be made. */
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

  /** The chain id that the URL answered; `undefined` when it was never asked. */
  chainIdAt(url: string): number | undefined {
    const chainId = this.#file('urls.jsonl')?.get(urlKey(url));
    return typeof chainId === 'number' ? chainId : undefined;
  }

  /** Keeps the chain id that the URL answers. */
  keepChainId(url: string, chainId: number): void {
    this.#file('urls.jsonl')?.set(urlKey(url), chainId);
  }

  /** The block of that name, if it can be counted on; `atAnyAge` to be content with what was once so. */
  block(chainId: number, name: string, atAnyAge: boolean): unknown {
    const record = this.#file(`${chainId}`, 'blocks.jsonl')?.get(name);
    if (typeof record !== 'object' || record === null || !('block' in record)) return undefined;
    const isSure = 'isDeep' in record && record.isDeep === true;
    const keptAt = 'keptAt' in record && typeof record.keptAt === 'number' ? record.keptAt : 0;
    return isSure || atAnyAge || this.#clock.now() - keptAt < SHALLOW_TIME ? record.block : undefined;
  }

  /** Keeps a block by a name of the caller's choice: its number, or the hash of a transaction that it has. */
  keepBlock(chainId: number, name: string, known: KnownBlock): void {
    this.#file(`${chainId}`, 'blocks.jsonl')?.set(name, { ...known, keptAt: this.#clock.now() });
  }

  /** Forgets the block of that name, whose place another one has taken. */
  forgetBlock(chainId: number, name: string): void {
    this.#file(`${chainId}`, 'blocks.jsonl')?.set(name, null);
  }

  /** The answers about the chain up to that block. */
  answers(chainId: number, { hash }: BlockPin): AnswerCache {
    const file = this.#file(`${chainId}`, `${keyOf(hash)}.jsonl`);
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

function urlKey(url: string): string {
  return keyOf(keccak256(new TextEncoder().encode(url)));
}
