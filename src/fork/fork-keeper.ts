import type { UpstreamCache } from './cache/fork-cache.ts';
import type { ForkRecord } from './fork-options.ts';

/** Stores a fork with its upstream responses for later runs. */
export interface ForkKeeper {
  /** The stored fork with masked secrets, or `null`. */
  readonly record: ForkRecord | null;
  /** Stores the fork, with present and future responses. Throws a `DataDirectoryError`. */
  keep(record: ForkRecord): void;
  /** Returns a cache that reads this store first and then `cache`, and writes to both. */
  over(cache: UpstreamCache): UpstreamCache;
}

/** Returns the cache with the keeper in front of it, if there is a keeper. */
export function cachedIn(keeper: ForkKeeper | undefined, cache: UpstreamCache): UpstreamCache {
  return keeper === undefined ? cache : keeper.over(cache);
}
