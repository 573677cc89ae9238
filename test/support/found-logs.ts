import type { Chain } from '../../src/chain/chain.ts';
import { type FoundLogs, type LogQuery, lookForLogs } from '../../src/storage/log-search.ts';

/** Returns what a search finds, without the steps that find nothing. */
export function logsFound(chain: Chain, query: LogQuery): FoundLogs[] {
  return Array.from(lookForLogs(chain.blocks, query)).filter((found) => found !== null);
}
