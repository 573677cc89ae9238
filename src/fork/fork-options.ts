// The options of a fork and the record of one in a dump.

import type { Funds } from './fork-state.ts';
import { USUAL_RETRIES } from './upstream/upstream-client.ts';

/** The block that a fork begins at, and the options of its upstream. */
export interface ForkOptions {
  /** URLs of nodes of one chain (see {@link isUpstreamUrl}), the best first. */
  readonly urls: readonly string[];
  /** The number of the block to begin after; `null` for the newest. */
  readonly blockNumber: number | null;
  /** 32 bytes: begin directly before that transaction; `null` to begin after a block. */
  readonly transactionHash: Uint8Array | null;
  /** The upstream's chain id if it is known; `null` to ask for it. */
  readonly chainId: number | null;
  /** HTTP headers of each request. */
  readonly headers: Readonly<Record<string, string>>;
  /** The timeout of an answer in milliseconds. */
  readonly timeout: number;
  /** The number of times that a request is retried. */
  readonly retries: number;
  /** Milliseconds before the first retry. */
  readonly retryBackoff: number;
  /** `null` for the usual number, kept to once the upstream says that it was asked too much. */
  readonly computeUnitsPerSecond: number | null;
  readonly noRateLimit: boolean;
  /** True to use only the cache, without any request. */
  readonly isOffline: boolean;
  /** True to ask in advance, in the background, what the last run asked about another block. */
  readonly prefetches: boolean;
  /** True if dumps contain all fetched data, so that they can be loaded offline. */
  readonly dumpsFetched: boolean;
  /** The directory where answers are cached for later runs; `null` for no cache. */
  readonly cacheDirectory: string | null;
}

/**
 * The changes of a reset to a fork; `null` in a field leaves it unchanged, or for the block number means the newest.
 */
export interface ForkTarget {
  readonly url: string | null;
  readonly blockNumber: number | null;
}

/** The settings of a chain that were given explicitly, and so are not taken from the upstream. */
export interface FixedSettings {
  readonly chainId: boolean;
  readonly gasLimit: boolean;
  readonly minimumGasPrice: boolean;
}

/** The default options of requests. */
export const DEFAULT_FORK_REQUESTS = {
  headers: {},
  timeout: 45_000,
  retries: USUAL_RETRIES,
  retryBackoff: 1_000,
  computeUnitsPerSecond: null,
  noRateLimit: false,
  isOffline: false,
  prefetches: false,
  dumpsFetched: false,
} as const satisfies Partial<ForkOptions>;

/** True for a supported URL of a node: HTTP or WebSocket, with or without TLS. */
export function isUpstreamUrl(text: string): boolean {
  return URL.canParse(text) && /^(https?|wss?):$/.test(new URL(text).protocol);
}

/** Returns the parts of a URL with a block number after it (`https://host/path@123`); `null` for a URL without one. */
export function splitForkUrl(text: string): { readonly url: string; readonly blockNumber: number | null } {
  const match = /^(.+:\/\/.+)@(\d{1,15})$/.exec(text);
  return match?.[1] === undefined
    ? { url: text, blockNumber: null }
    : { url: match[1], blockNumber: Number(match[2]) };
}

/** The record of a fork in a dump, which is sufficient to open it again. */
export interface ForkRecord {
  /** The URLs of the upstream, with secrets masked; the best first. */
  readonly urls: readonly string[];
  /** The upstream's chain id. */
  readonly chainId: number;
  /** The pinned block: its number. */
  readonly number: number;
  /** The pinned block: its hash (32 bytes). */
  readonly hash: Uint8Array;
  /** The pinned block as returned by `eth_getBlockByNumber`. */
  readonly block: unknown;
  /** The transaction that the fork begins before; `null` for a fork that begins after a block. */
  readonly before: { readonly block: unknown; readonly index: number } | null;
  /** The accounts whose funds differ from the upstream's. */
  readonly funds: Funds;
  /** All fetched answers, by the text of the call; `null` when they were omitted. */
  readonly answers: ReadonlyMap<string, unknown> | null;
}
