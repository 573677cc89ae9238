// The search for logs in the canonical chain, in steps that a caller can spread over time.

import type { Blockchain } from './blockchain.ts';
import type { FoundLogs } from './located-log.ts';
import { bloomTest, type LogCriteria } from './log-record.ts';

/** The criteria and the range of blocks (both ends included) of a search. */
export interface LogQuery extends LogCriteria {
  readonly fromBlock: number;
  readonly toBlock: number;
}

interface Candidates {
  readonly number: number;
  /** Positions in the block; `null` for all its logs. */
  readonly logIndexes: readonly number[] | null;
}

/** Reserved blocks have no logs. */
function* everyBlock(
  blockchain: Blockchain,
  from: number,
  to: number,
): Generator<Candidates, void, undefined> {
  for (const number of blockchain.unreserved(from, to)) yield { number, logIndexes: null };
}

/** Yields the matching logs of the canonical chain, oldest first, block by block. Blocks above the head have none. */
export function* searchLogs(blockchain: Blockchain, query: LogQuery): Generator<FoundLogs, void, undefined> {
  for (const found of lookForLogs(blockchain, query)) if (found !== null) yield found;
}

/**
 * Same as {@link searchLogs}, with `null` for each searched block without a match, for callers that divide a long
 * search. Each block is searched when its item is requested, so a caller that has enough just stops. The chain must not
 * change meanwhile.
 */
export function* lookForLogs(
  blockchain: Blockchain,
  query: LogQuery,
): Generator<FoundLogs | null, void, undefined> {
  const from = Math.max(query.fromBlock, blockchain.first);
  const to = Math.min(query.toBlock, blockchain.head.header.number);
  if (from > to) return;
  const found = blockchain.logIndex.find(query, from, to);
  // The index has matched emitters and first topics already.
  const laterTopics = query.topics.map((wanted, position) => (position === 0 ? null : wanted));
  const left = found === null ? query : { addresses: [], topics: laterTopics };
  const bloomMayMatch = bloomTest(left);
  for (const { number, logIndexes: candidates } of found ?? everyBlock(blockchain, from, to)) {
    const { hash: blockHash, logsBloom } = blockchain.summary(number);
    if (logsBloom === null || !bloomMayMatch(logsBloom)) {
      yield null;
      continue;
    }
    const record = blockchain.logs(number);
    const logIndexes = record?.select(candidates, left) ?? [];
    const isFound = record !== undefined && logIndexes.length > 0;
    yield isFound ? { blockNumber: number, blockHash, record, logIndexes } : null;
  }
}
