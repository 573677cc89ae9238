import type { Funds } from './fork-state.ts';

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
