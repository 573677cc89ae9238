import type { Chain } from '../../src/chain/chain.ts';
import type { Block } from '../../src/protocol/block.ts';
import type { CanonicalBlocks } from '../../src/storage/canonical-blocks.ts';
import type { LogCriteria } from '../../src/storage/log-criteria.ts';
import { type FoundLogs, type LogQuery, lookForLogs, lookInBlock } from '../../src/storage/log-search.ts';
import type { LocatedLog } from '../../src/wire/log.ts';

/** Returns the result of a search, without its empty steps. */
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

/** Returns the matching logs of one block in order. */
export function logsOfBlock(block: Block, criteria: LogCriteria, removed = false): LocatedLog[] {
  return [...lookInBlock(block, criteria, removed)].flat();
}
