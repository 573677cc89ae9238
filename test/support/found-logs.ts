import type { Chain } from '../../src/chain/chain.ts';
import type { FoundLogs, LogQuery } from '../../src/storage/log-search.ts';

/** Returns what a search finds, without the steps that find nothing. */
export function logsFound(chain: Chain, query: LogQuery): FoundLogs[] {
  return Array.from(chain.lookForLogs(query)).filter((found) => found !== null);
}
