import type { Funds } from './fork-state.ts';

/** Where a fork begins, and how its upstream is asked. */
export interface ForkOptions {
  /** URLs of nodes of one chain (see {@link isUpstreamUrl}), the best first. */
  readonly urls: readonly string[];
  /** The number of the block to begin after; `null` for the newest. */
  readonly blockNumber: number | null;
  /** 32 bytes: begin right before that transaction; `null` to begin after a block. */
  readonly transactionHash: Uint8Array | null;
  /** The upstream's chain id where it is known; `null` to ask for it. */
  readonly chainId: number | null;
  /** HTTP headers that go with each request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds that an answer may take. */
  readonly timeout: number;
  /** How often a request is tried again. */
  readonly retries: number;
  /** Milliseconds before the first retry. */
  readonly retryBackoff: number;
  /** `null` for the usual number, kept to once the upstream says that it was asked too much. */
  readonly computeUnitsPerSecond: number | null;
  readonly noRateLimit: boolean;
  /** Ask nobody: what the cache does not hold is not to be had. */
  readonly isOffline: boolean;
  /** Have dumps hold all that was fetched, so that they can be loaded offline. */
  readonly dumpsFetched: boolean;
  /** Where answers are kept for later runs; `null` for nowhere. */
  readonly cacheDirectory: string | null;
}

/** Where else a fork is to begin; `null` leaves it as it is, and a block number to the newest. */
export interface ForkTarget {
  readonly url: string | null;
  readonly blockNumber: number | null;
}

/** What a chain has as it was told, whatever the chain has that it is forked from. */
export interface FixedSettings {
  readonly chainId: boolean;
  readonly gasLimit: boolean;
  readonly minimumGasPrice: boolean;
}

/** What requests stand with where nothing else is said. */
export const DEFAULT_FORK_REQUESTS = {
  headers: {},
  timeout: 45_000,
  retries: 5,
  retryBackoff: 1_000,
  computeUnitsPerSecond: null,
  noRateLimit: false,
  isOffline: false,
  dumpsFetched: false,
} as const satisfies Partial<ForkOptions>;

/** True for the URL of a node that can be asked: over HTTP or WebSocket, with or without TLS. */
export function isUpstreamUrl(text: string): boolean {
  return URL.canParse(text) && /^(https?|wss?):$/.test(new URL(text).protocol);
}

/** Returns a URL with a block number after it (`https://host/path@123`) in its parts; `null` for a URL without. */
export function splitForkUrl(text: string): { readonly url: string; readonly blockNumber: number | null } {
  const match = /^(.+:\/\/.+)@(\d{1,15})$/.exec(text);
  return match?.[1] === undefined
    ? { url: text, blockNumber: null }
    : { url: match[1], blockNumber: Number(match[2]) };
}

/** What a dump tells of the fork that its chain is: enough to open it again. */
export interface ForkRecord {
  /** The URLs of the upstream, secrets starred out; the best first. */
  readonly urls: readonly string[];
  /** The upstream's chain id. */
  readonly chainId: number;
  /** The pinned block: its number. */
  readonly number: number;
  /** The pinned block: its hash (32 bytes). */
  readonly hash: Uint8Array;
  /** The pinned block as `eth_getBlockByNumber` gives it. */
  readonly block: unknown;
  /** What the fork begins before, `null` for a fork that begins after a block. */
  readonly before: { readonly block: unknown; readonly index: number } | null;
  /** The accounts that have other funds than upstream. */
  readonly funds: Funds;
  /** All that was fetched, by the text of the call; `null` when it was left out. */
  readonly answers: ReadonlyMap<string, unknown> | null;
}
