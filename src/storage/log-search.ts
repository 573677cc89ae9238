// The search for logs in the canonical chain, in steps that a caller can spread over time.

import type { Block } from '../protocol/block.ts';
import { logsOf } from '../protocol/receipt.ts';
import type { LocatedLog } from '../wire/log.ts';
import type { CanonicalBlocks } from './canonical-blocks.ts';
import { bloomTest, type LogCriteria, matchesCriteria } from './log-criteria.ts';
import { encodeLogRecord, LogRecord } from './log-record.ts';

/** Logs of a block that are looked at before others may run. */
const SELECTED_AT_ONCE = 1_024;

/** Yields the matching logs of one block, in their order: those among a thousand together, maybe none. */
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

/** Matching logs of one block of the canonical chain, as part of the log record in storage. */
export interface FoundLogs {
  readonly blockNumber: number;
  readonly blockHash: Uint8Array;
  readonly record: LogRecord;
  /** Their positions in the block, ascending. */
  readonly logIndexes: readonly number[];
}

/** Returns the matching logs of a block, whether or not it is on the chain. */
export function foundLogsOf(block: Block, criteria: LogCriteria): FoundLogs {
  const record = new LogRecord(encodeLogRecord(block), block.header.timestamp);
  const { header, hash: blockHash } = block;
  return { blockNumber: header.number, blockHash, record, logIndexes: record.select(null, criteria) };
}

/** Returns the logs one by one, in one list. */
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

/** The criteria and the range of blocks (both ends included) of a search. */
export interface LogQuery extends LogCriteria {
  readonly fromBlock: number;
  readonly toBlock: number;
}

/**
 * Yields the matching logs of the canonical chain, oldest first, block by block, and `null` for each block without a match, for
 * each section of blocks that was left out at once and for each thousand logs of a block, for callers that divide a long search. Blocks above the head have none. Each
 * block is searched when its item is requested, so a caller that has enough just stops. The chain must not change meanwhile.
 */
export function* lookForLogs(
  blockchain: CanonicalBlocks,
  query: LogQuery,
): Generator<FoundLogs | null, void, undefined> {
  const from = Math.max(query.fromBlock, blockchain.first);
  const to = Math.min(query.toBlock, blockchain.head.header.number);
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
