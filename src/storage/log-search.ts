// Searches logs in the canonical chain. The caller can yield between the steps.

import type { Block } from '../protocol/block.ts';
import { logsOf } from '../protocol/receipt.ts';
import type { LocatedLog } from '../wire/log.ts';
import type { CanonicalBlocks } from './canonical-blocks.ts';
import { bloomTest, type LogCriteria, matchesCriteria } from './log-criteria.ts';
import { encodeLogRecord, LogRecord } from './log-record.ts';

/** Number of a block's logs between two steps. */
const SELECTED_AT_ONCE = 1_024;

/** Yields the matching logs of one block in order, as one possibly empty list per 1,024 logs. */
export function* lookInBlock(
  block: Block,
  criteria: LogCriteria,
  removed: boolean,
): Generator<readonly LocatedLog[], void, undefined> {
  const { number: blockNumber, timestamp: blockTimestamp } = block.header;
  let found: LocatedLog[] = [];
  let logIndex = 0;
  for (const [transactionIndex, receipt] of block.receipts.entries()) {
    const transactionHash = block.transactions[transactionIndex]?.hash ?? null;
    for (const log of logsOf(receipt)) {
      if (matchesCriteria(log, criteria)) {
        const place = { blockNumber, blockHash: block.hash, blockTimestamp, transactionHash };
        found.push({ log, ...place, transactionIndex, logIndex, removed });
      }
      logIndex++;
      if (logIndex % SELECTED_AT_ONCE > 0) continue;
      yield found;
      found = [];
    }
  }
  yield found;
}

/** Matching logs of a canonical block, as references into its log record. */
export interface FoundLogs {
  readonly blockNumber: number;
  readonly blockHash: Uint8Array;
  readonly record: LogRecord;
  /** Indexes in the block, ascending. */
  readonly logIndexes: readonly number[];
}

/** Returns the matching logs of a block, canonical or not. */
export function foundLogsOf(block: Block, criteria: LogCriteria): FoundLogs {
  const record = new LogRecord(encodeLogRecord(block), block.header.timestamp);
  const { header, hash: blockHash } = block;
  return { blockNumber: header.number, blockHash, record, logIndexes: record.select(null, criteria) };
}

/** Decodes the logs into one list. */
export function locatedLogs(found: Iterable<FoundLogs>): LocatedLog[] {
  const logs: LocatedLog[] = [];
  for (const { blockNumber, blockHash, record, logIndexes } of found) {
    const { blockTimestamp } = record;
    for (const recorded of record.read(logIndexes)) {
      logs.push({ ...recorded, blockNumber, blockHash, blockTimestamp, removed: false });
    }
  }
  return logs;
}

/** The criteria and the block range (inclusive) of a search. */
export interface LogQuery extends LogCriteria {
  readonly fromBlock: number;
  readonly toBlock: number;
}

/**
 * Yields the matching logs of the canonical chain by block, oldest first. Additional `null` items mark a
 * block without a match, a skipped section, and every 1,024 logs of a block. They let the caller yield to
 * other work. The search is lazy: each item is computed on request. The chain must not change meanwhile.
 */
export function* lookForLogs(
  blockchain: CanonicalBlocks,
  query: LogQuery,
): Generator<FoundLogs | null, void, undefined> {
  const from = Math.max(query.fromBlock, blockchain.first);
  const to = Math.min(query.toBlock, blockchain.head.block.header.number);
  if (from > to) return;
  const isIndexed = query.addresses.length > 0 || (query.topics[0] ?? []).length > 0;
  // The index matches emitters and first topics.
  const laterTopics = query.topics.map((wanted, position) => (position === 0 ? null : wanted));
  const left = isIndexed ? { addresses: [], topics: laterTopics } : query;
  for (const candidates of blockchain.findLogs(query, bloomTest(left), from, to)) {
    const record = candidates === null ? undefined : blockchain.logs(candidates.number);
    if (candidates === null || record === undefined) {
      yield null;
      continue;
    }
    const { number } = candidates;
    const logIndexes = record.select(candidates.logIndexes, left, 0, SELECTED_AT_ONCE);
    const count = candidates.logIndexes?.length ?? record.logCount;
    for (let start = SELECTED_AT_ONCE; start < count; start += SELECTED_AT_ONCE) {
      yield null;
      const more = record.select(candidates.logIndexes, left, start, start + SELECTED_AT_ONCE);
      for (const logIndex of more) logIndexes.push(logIndex);
    }
    const { hash } = blockchain.summary(number);
    yield logIndexes.length > 0 ? { blockNumber: number, blockHash: hash, record, logIndexes } : null;
  }
}
