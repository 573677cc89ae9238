import type { UpstreamCache } from './cache/fork-cache.ts';
import type { ForkRecord } from './fork-options.ts';

/** A place that keeps a fork, with the answers of its upstream, for later runs. */
export interface ForkKeeper {
  /** The fork that is kept; `null` for none. Its secrets are masked. */
  readonly record: ForkRecord | null;
  /** Keeps the fork from now on, with the answers so far and later ones. Throws a `DataDirectoryError`. */
  keep(record: ForkRecord): void;
  /** Returns a cache that looks into this place first and into `cache` then, and writes to both. */
  over(cache: UpstreamCache): UpstreamCache;
}

/** Returns the cache, with the keeper before it if there is one. */
export function keptIn(keeper: ForkKeeper | undefined, cache: UpstreamCache): UpstreamCache {
  return keeper === undefined ? cache : keeper.over(cache);
}
