import type { Chain } from '../../src/chain/chain.ts';
import type { CanonicalBlocks } from '../../src/storage/canonical-blocks.ts';
import { type FoundLogs, type LogQuery, lookForLogs } from '../../src/storage/log-search.ts';

/** Returns what a search finds, without the steps that find nothing. */
export function logsFound(chain: Chain, query: LogQuery): FoundLogs[] {
  return Array.from(searchLogs(chain.blocks, query));
}

/** Yields the matching logs of the canonical chain, oldest first, block by block. Blocks above the head have none. */
export function* searchLogs(
  blockchain: CanonicalBlocks,
  query: LogQuery,
): Generator<FoundLogs, void, undefined> {
  for (const found of lookForLogs(blockchain, query)) if (found !== null) yield found;
}
