// Logs with their position in the chain, as answers and notifications need them.

import type { Block } from '../protocol/block.ts';
import type { Log } from '../protocol/receipt.ts';
import { encodeLogRecord, type LogCriteria, LogRecord, matchesCriteria } from './log-record.ts';

/** A log and its position in the chain. */
export interface LocatedLog {
  readonly log: Log;
  readonly blockNumber: number;
  readonly blockHash: Uint8Array;
  /** The timestamp of the block, in seconds since 1970. */
  readonly blockTimestamp: number;
  /** `null` for a log that no transaction made. */
  readonly transactionHash: Uint8Array | null;
  readonly transactionIndex: number;
  /** Position in the block. */
  readonly logIndex: number;
  /** True when the block has been removed from the chain. */
  readonly removed: boolean;
}

/** Returns the matching logs of one block, in their order. */
export function logsOfBlock(block: Block, criteria: LogCriteria, removed = false): LocatedLog[] {
  const { number: blockNumber, timestamp: blockTimestamp } = block.header;
  const found: LocatedLog[] = [];
  let logIndex = 0;
  for (const [transactionIndex, receipt] of block.receipts.entries()) {
    const transactionHash = block.transactions[transactionIndex]?.hash ?? null;
    for (const log of receipt.logs) {
      if (matchesCriteria(log, criteria)) {
        const place = { blockNumber, blockHash: block.hash, blockTimestamp, transactionHash };
        found.push({ log, ...place, transactionIndex, logIndex, removed });
      }
      logIndex++;
    }
  }
  return found;
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
