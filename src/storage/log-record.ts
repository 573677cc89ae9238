// The stored form of a block's logs. Searches read it without decoding.

import { hexKey } from '../primitives/hex.ts';
import { finish, ITEMS_PER_STEP, type Steps } from '../primitives/steps.ts';
import type { SealedBlock } from '../protocol/block.ts';
import type { Log, LogSequence } from '../protocol/receipt.ts';
import { BlockRecordError } from './errors.ts';
import { ANY_LOG, type LogCriteria, manyKeys } from './log-criteria.ts';

export interface RecordedLog {
  readonly log: Log;
  /** `null` for a log without a transaction. */
  readonly transactionHash: Uint8Array | null;
  readonly transactionIndex: number;
  /** Index in the block. */
  readonly logIndex: number;
}

const HASH_SIZE = 32;
const ADDRESS_SIZE = 20;
const TOPIC_SIZE = 32;
const INTEGER_SIZE = 4;
/** Transaction index and number of topics. */
const LOG_HEAD_SIZE = 2 * INTEGER_SIZE;

function logSize({ topics, data }: Log): number {
  return LOG_HEAD_SIZE + ADDRESS_SIZE + topics.length * TOPIC_SIZE + data.length;
}

/** The parts of a block that its log record contains. */
type RecordedBlock = Pick<SealedBlock, 'receipts' | 'transactions'>;

/** Work units per log. */
const LOG_WORK = 16;

/** Returns the number of transaction hashes in a log record: all of the block, or 0 if it has no logs. */
function hashCount({ receipts, transactions }: RecordedBlock): number {
  for (const { logs } of receipts) if (logs.length > 0) return transactions.length;
  return 0;
}

/** Bytes of the record of a block without logs; all are 0. */
export const EMPTY_LOG_RECORD_SIZE: number = 2 * INTEGER_SIZE;

/** Returns the number of bytes that {@link writeLogRecord} writes. Yields between logs. */
export function* logRecordSize(block: RecordedBlock): Steps<number> {
  let size = EMPTY_LOG_RECORD_SIZE + hashCount(block) * HASH_SIZE;
  let measured = 0;
  for (const { logs } of block.receipts) {
    for (const log of logs) {
      size += INTEGER_SIZE + logSize(log);
      if (++measured % ITEMS_PER_STEP === 0) yield LOG_WORK * ITEMS_PER_STEP;
    }
  }
  return size;
}

/**
 * Writes the log record of a block to the start of the buffer. Layout: number of hashes, number of logs,
 * transaction hashes, end offset of each log, logs. A block without logs has no hashes. Integers have four
 * bytes, big-endian. Any log can be found without reading others. Yields between logs.
 */
export function* writeLogRecord(record: Buffer, { receipts, transactions }: RecordedBlock): Steps<void> {
  let logCount = 0;
  for (const { logs } of receipts) logCount += logs.length;
  const hashes = logCount === 0 ? [] : transactions;
  let end = record.writeUInt32BE(logCount, record.writeUInt32BE(hashes.length));
  for (const { hash } of hashes) {
    record.set(hash, end);
    end += HASH_SIZE;
  }
  let position = end + logCount * INTEGER_SIZE;
  let [transactionIndex, work] = [-1, 0];
  for (const { logs } of receipts) {
    transactionIndex++;
    for (const log of logs) {
      position = writeLog(record, position, log, transactionIndex);
      end = record.writeUInt32BE(position, end);
      work += LOG_WORK + log.data.length;
      if (work < LOG_WORK * ITEMS_PER_STEP) continue;
      yield work;
      work = 0;
    }
  }
}

/** Returns the bytes of {@link writeLogRecord}. */
export function encodeLogRecord(block: RecordedBlock): Uint8Array {
  const record = Buffer.allocUnsafeSlow(finish(logRecordSize(block)));
  finish(writeLogRecord(record, block));
  return new Uint8Array(record.buffer);
}

/** Returns the end offset of the log. */
function writeLog(
  record: Buffer,
  start: number,
  { address, topics, data }: Log,
  transactionIndex: number,
): number {
  let end = record.writeUInt32BE(topics.length, record.writeUInt32BE(transactionIndex, start));
  record.set(address, end);
  end += ADDRESS_SIZE;
  for (const topic of topics) {
    record.set(topic, end);
    end += TOPIC_SIZE;
  }
  record.set(data, end);
  return end + data.length;
}

/** The offsets of the parts of a log in its record. Each part ends at the start of the next. */
export interface LogPosition {
  readonly address: number;
  readonly topics: number;
  readonly data: number;
  readonly end: number;
}

/** The logs and transaction hashes of a block, read in place from a log record. */
export class LogRecord {
  /** Read-only. */
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  readonly #transactionCount: number;
  /** The offset of the list of end offsets. */
  readonly #ends: number;
  readonly logCount: number;
  /** The timestamp of the block (seconds since 1970). It is not part of the bytes. */
  readonly blockTimestamp: number;

  /** Throws {@link BlockRecordError} for malformed bytes, also later during reads. */
  constructor(bytes: Uint8Array, blockTimestamp: number) {
    this.bytes = bytes;
    this.blockTimestamp = blockTimestamp;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#transactionCount = this.#integer(0);
    this.logCount = this.#integer(INTEGER_SIZE);
    this.#ends = 2 * INTEGER_SIZE + this.#transactionCount * HASH_SIZE;
    if (this.#firstStart > bytes.length) throw new BlockRecordError('a log record ends too early');
  }

  /**
   * Returns the indexes of matching logs among `positions` (ascending; `null` for all). Only the candidates
   * from `start` to `end` (exclusive) are tested. It reads no more of a log than the test needs.
   */
  select(
    positions: readonly number[] | null,
    criteria: LogCriteria = ANY_LOG,
    start = 0,
    end = Number.POSITIVE_INFINITY,
  ): number[] {
    const selected: number[] = [];
    const count = Math.min(end, positions?.length ?? this.logCount);
    for (let index = start; index < count; index++) {
      const logIndex = positions === null ? index : (positions[index] ?? this.logCount);
      if (logIndex >= this.logCount) break;
      if (this.#matches(this.#startOf(logIndex), criteria)) selected.push(logIndex);
    }
    return selected;
  }

  /** Returns the logs at these indexes in the block (ascending), or all for `null`. */
  read(positions: readonly number[] | null): RecordedLog[] {
    let last: RecordedLog | undefined;
    return this.select(positions).map((logIndex) => {
      const transactionIndex = this.transactionIndex(logIndex);
      const transactionHash =
        last?.transactionIndex === transactionIndex
          ? last.transactionHash
          : this.transactionHash(transactionIndex);
      last = { log: this.#log(logIndex), transactionHash, transactionIndex, logIndex };
      return last;
    });
  }

  /** Returns the logs of a transaction. Each log is decoded during iteration. */
  ofTransaction(transactionIndex: number): LogSequence {
    const first = this.firstLogOf(transactionIndex);
    const next = this.firstLogOf(transactionIndex + 1);
    return { length: next - first, [Symbol.iterator]: () => this.#between(first, next) };
  }

  *#between(first: number, next: number): Generator<Log, void, undefined> {
    for (let logIndex = first; logIndex < next; logIndex++) yield this.#log(logIndex);
  }

  /**
   * Returns the number of logs of earlier transactions, equal to the index of the transaction's first log.
   * The binary search reads few logs.
   */
  firstLogOf(transactionIndex: number): number {
    let low = 0;
    let high = this.logCount;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.transactionIndex(middle) < transactionIndex) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns the offsets of the log. Throws {@link BlockRecordError} if they exceed the record. */
  place(logIndex: number): LogPosition {
    const start = this.#startOf(logIndex);
    const address = start + LOG_HEAD_SIZE;
    const topics = address + ADDRESS_SIZE;
    const data = topics + this.#integer(start + INTEGER_SIZE) * TOPIC_SIZE;
    const end = this.#integer(this.#ends + logIndex * INTEGER_SIZE);
    if (data > end || end > this.bytes.length) {
      throw new BlockRecordError('the length of a log differs from the length in its record');
    }
    return { address, topics, data, end };
  }

  /** Returns the index of the log's transaction in the block. */
  transactionIndex(logIndex: number): number {
    return this.#integer(this.#startOf(logIndex));
  }

  hasTransactionHash(transactionIndex: number): boolean {
    return transactionIndex < this.#transactionCount;
  }

  /** Returns the hash of a transaction, or `null` for an invalid index. */
  transactionHash(transactionIndex: number): Uint8Array | null {
    if (!this.hasTransactionHash(transactionIndex)) return null;
    const start = 2 * INTEGER_SIZE + transactionIndex * HASH_SIZE;
    return this.bytes.slice(start, start + HASH_SIZE);
  }

  get #firstStart(): number {
    return this.#ends + this.logCount * INTEGER_SIZE;
  }

  #startOf(logIndex: number): number {
    return logIndex === 0 ? this.#firstStart : this.#integer(this.#ends + (logIndex - 1) * INTEGER_SIZE);
  }

  #matches(start: number, { addresses, topics }: LogCriteria): boolean {
    const address = start + LOG_HEAD_SIZE;
    if (addresses.length > 0 && !this.#isOneOf(address, ADDRESS_SIZE, addresses)) return false;
    if (topics.length === 0) return true;
    let topic = address + ADDRESS_SIZE;
    const end = topic + this.#integer(start + INTEGER_SIZE) * TOPIC_SIZE;
    for (const wanted of topics) {
      if (wanted !== null && wanted.length > 0) {
        if (topic >= end || !this.#isOneOf(topic, TOPIC_SIZE, wanted)) return false;
      }
      topic += TOPIC_SIZE;
    }
    return true;
  }

  #isOneOf(start: number, size: number, candidates: readonly Uint8Array[]): boolean {
    const keys = manyKeys(candidates);
    if (keys !== null) return keys.has(hexKey(this.bytes.subarray(start, start + size)));
    for (const candidate of candidates) if (this.#isAt(start, candidate)) return true;
    return false;
  }

  /** Compares from the end, because addresses and numbers in topics begin with zeros. */
  #isAt(start: number, wanted: Uint8Array): boolean {
    const { bytes } = this;
    let offset = wanted.length - 1;
    while (offset >= 0 && bytes[start + offset] === wanted[offset]) offset--;
    return offset < 0;
  }

  #log(logIndex: number): Log {
    const { address, topics, data, end } = this.place(logIndex);
    const topicList: Uint8Array[] = [];
    for (let topic = topics; topic < data; topic += TOPIC_SIZE) {
      topicList.push(this.bytes.slice(topic, topic + TOPIC_SIZE));
    }
    return {
      address: this.bytes.slice(address, topics),
      topics: topicList,
      data: this.bytes.slice(data, end),
    };
  }

  #integer(position: number): number {
    if (position + INTEGER_SIZE > this.bytes.length) {
      throw new BlockRecordError('a log record ends too early');
    }
    return this.#view.getUint32(position);
  }
}
