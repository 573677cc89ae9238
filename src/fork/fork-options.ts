// The options of a fork, and its record in a dump.

import type { Funds } from './fork-state.ts';
import { USUAL_RETRIES } from './upstream/usual-retries.ts';

/** The transaction that a fork starts at. */
export interface ForkTransaction {
  /** 32 bytes. */
  readonly hash: Uint8Array;
  /** True to fork directly after the transaction, false to fork directly before it. */
  readonly isApplied: boolean;
}

/** The option of a transaction to fork at. */
export function transactionOption({ isApplied }: ForkTransaction): string {
  return isApplied ? '--fork-transaction-hash' : '--fork-before-transaction';
}

/** The fork block and the options of the upstream. */
export interface ForkOptions {
  /** URLs of nodes of one chain (see {@link isUpstreamUrl}), the best first. */
  readonly urls: readonly string[];
  /** The fork block number; a negative number counts back from the newest block. `null` for the newest. */
  readonly blockNumber: number | null;
  /** The transaction to fork at; `null` to fork after a block. */
  readonly transaction: ForkTransaction | null;
  /** Seconds between two checks for new blocks of the upstream; `null` to stay at the fork block. */
  readonly follow: number | null;
  /** The upstream's chain id; `null` to request it. */
  readonly chainId: number | null;
  /** HTTP headers of each request. */
  readonly headers: Readonly<Record<string, string>>;
  /** The URL of a proxy, or `none`; `null` for the proxy of the environment. */
  readonly proxy: string | null;
  /** The response timeout in milliseconds. */
  readonly timeout: number;
  /** The number of retries per request. */
  readonly retries: number;
  /** Milliseconds before the second retry, or before the first one at a rate limit. */
  readonly retryBackoff: number;
  /** `null` for the default limit, which applies after the first rate limit error of the upstream. */
  readonly computeUnitsPerSecond: number | null;
  readonly noRateLimit: boolean;
  /** True to use only the cache, without any request. */
  readonly isOffline: boolean;
  /** True to prefetch, in the background, the state that the last run requested at another block. */
  readonly prefetches: boolean;
  /** `auto`: ask the upstream which values a message reads, if it serves that. */
  readonly hints: 'auto' | 'off';
  /** True if dumps contain all fetched data, so that they can be loaded offline. */
  readonly dumpsFetched: boolean;
  /** The directory for cached responses; `null` for no cache. */
  readonly cacheDirectory: string | null;
}

/** The changes of a reset. A `null` URL keeps the present one; a `null` number means the newest block. */
export interface ForkTarget {
  readonly url: string | null;
  readonly blockNumber: number | null;
  /** False for a fork that stays at its block. Default: the fork follows its chain if the options require it. */
  readonly follows?: boolean;
}

/** The explicitly set settings of a chain. They are not taken from the upstream. */
export interface FixedSettings {
  readonly chainId: boolean;
  readonly gasLimit: boolean;
  readonly minimumGasPrice: boolean;
}

/** The default options of requests. */
export const DEFAULT_FORK_REQUESTS = {
  follow: null,
  headers: {},
  proxy: null,
  timeout: 45_000,
  retries: USUAL_RETRIES,
  retryBackoff: 1_000,
  computeUnitsPerSecond: null,
  noRateLimit: false,
  isOffline: false,
  prefetches: false,
  hints: 'auto',
  dumpsFetched: false,
} as const satisfies Partial<ForkOptions>;

/** True for a supported URL of a node: HTTP or WebSocket, with or without TLS. */
export function isUpstreamUrl(text: string): boolean {
  return URL.canParse(text) && /^(https?|wss?):$/.test(new URL(text).protocol);
}

const SPLIT_URL = /^(.+:\/\/.+)@(-?\d{1,15})$/;

/** Splits a URL with an optional block number (`https://host/path@123` or `…@-5`). */
export function splitForkUrl(text: string): { readonly url: string; readonly blockNumber: number | null } {
  const match = SPLIT_URL.exec(text);
  return match?.[1] === undefined
    ? { url: text, blockNumber: null }
    : { url: match[1], blockNumber: Number(match[2]) };
}

/** The record of a fork in a dump, sufficient to open it again. */
export interface ForkRecord {
  /** The upstream's URLs with masked secrets, the best first. */
  readonly urls: readonly string[];
  /** The upstream's chain id. */
  readonly chainId: number;
  /** The pinned block: its number. */
  readonly number: number;
  /** The pinned block: its hash (32 bytes). */
  readonly hash: Uint8Array;
  /** The pinned block as returned by `eth_getBlockByNumber`. */
  readonly block: unknown;
  /** The fork starts within this block, after `index` transactions of it; `null` for a fork after a block. */
  readonly before: { readonly block: unknown; readonly index: number } | null;
  /** The accounts whose funds differ from the upstream's. */
  readonly funds: Funds;
  /** All fetched responses by request text; `null` if omitted. */
  readonly answers: ReadonlyMap<string, unknown> | null;
}
