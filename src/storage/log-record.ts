// The stored form of a block's logs, which is searched without decoding it.

import { hexKey } from '../primitives/hex.ts';
import type { Block } from '../protocol/block.ts';
import type { Log, LogSequence } from '../protocol/receipt.ts';
import type { Task } from '../scheduling/task.ts';
import { inOnePiece, type WorkPieces } from '../scheduling/work-pieces.ts';
import { BlockRecordError } from './errors.ts';
import { ANY_LOG, type LogCriteria, manyKeys } from './log-criteria.ts';

/** A log as decoded from storage. */
export interface RecordedLog {
  readonly log: Log;
  /** `null` for a log that no transaction made. */
  readonly transactionHash: Uint8Array | null;
  readonly transactionIndex: number;
  /** Position in the block. */
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

/** The parts of a block that its log record has. */
type RecordedBlock = Pick<Block, 'receipts' | 'transactions'>;

/** Units of work for measuring or writing a log. */
const LOG_WORK = 16;

/** Returns how many hashes of transactions a log record has: those of all, but none where there are no logs. */
function hashCount({ receipts, transactions }: RecordedBlock): number {
  for (const { logs } of receipts) if (logs.length > 0) return transactions.length;
  return 0;
}

/** The bytes of the record of a block without logs, all of which are 0. */
export const EMPTY_LOG_RECORD_SIZE: number = 2 * INTEGER_SIZE;

/** Returns the number of bytes that {@link writeLogRecord} writes, in pieces when there are many logs. */
export function* logRecordSize(block: RecordedBlock, pieces: WorkPieces): Task<number> {
  let size = EMPTY_LOG_RECORD_SIZE + hashCount(block) * HASH_SIZE;
  for (const { logs } of block.receipts) {
    for (const log of logs) {
      size += INTEGER_SIZE + logSize(log);
      const turn = pieces.spend(LOG_WORK);
      if (turn !== undefined) yield turn;
    }
  }
  return size;
}

/**
 * Writes the logs of a block with the hashes of its transactions to the beginning of `record`, as storage keeps them: the
 * number of hashes and of logs, the hashes (none where there are no logs), the end offset of each log, the logs. Integers have four bytes, big-endian.
 * Any log can be found without reading the others. Many logs are written in pieces.
 */
export function* writeLogRecord(
  record: Buffer,
  { receipts, transactions }: RecordedBlock,
  pieces: WorkPieces,
): Task<void> {
  let logCount = 0;
  for (const { logs } of receipts) logCount += logs.length;
  const hashes = logCount === 0 ? [] : transactions;
  let end = record.writeUInt32BE(logCount, record.writeUInt32BE(hashes.length));
  for (const { hash } of hashes) {
    record.set(hash, end);
    end += HASH_SIZE;
  }
  let position = end + logCount * INTEGER_SIZE;
  let transactionIndex = -1;
  for (const { logs } of receipts) {
    transactionIndex++;
    for (const log of logs) {
      position = writeLog(record, position, log, transactionIndex);
      end = record.writeUInt32BE(position, end);
      const turn = pieces.spend(LOG_WORK + log.data.length);
      if (turn !== undefined) yield turn;
    }
  }
}

/** Returns the bytes of {@link writeLogRecord}. */
export function encodeLogRecord(block: RecordedBlock): Uint8Array {
  return inOnePiece(function* (pieces) {
    const record = Buffer.allocUnsafeSlow(yield* logRecordSize(block, pieces));
    yield* writeLogRecord(record, block, pieces);
    return new Uint8Array(record.buffer);
  });
}

/** Returns the offset of the end of the log. */
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

/** The offsets of the parts of a log in its record: each begins where the one before it ends. */
export interface LogPlace {
  readonly address: number;
  readonly topics: number;
  readonly data: number;
  readonly end: number;
}

/** The logs and transaction hashes of a block, read in place from the bytes of {@link writeLogRecord}. */
export class LogRecord {
  /** Must not be written to. */
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  readonly #transactionCount: number;
  /** The offset of the list of the logs' ends. */
  readonly #ends: number;
  readonly logCount: number;
  /** The timestamp of the block, in seconds since 1970, which is not part of the bytes. */
  readonly blockTimestamp: number;

  /** Throws {@link BlockRecordError} for malformed bytes, as reading may do later. */
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
   * Returns the positions in the block of the logs that match the criteria, among these (ascending) or among all for
   * `null`; of those, from the one at `start` to the one before `end`. Reads no more of a log than the decision needs.
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

  /** Returns the logs at these positions in the block (ascending), or all of them for `null`. */
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

  /** Returns the logs of the transaction at that place in the block. None is read before it is its turn. */
  ofTransaction(transactionIndex: number): LogSequence {
    const first = this.firstLogOf(transactionIndex);
    const next = this.firstLogOf(transactionIndex + 1);
    return { length: next - first, [Symbol.iterator]: () => this.#between(first, next) };
  }

  *#between(first: number, next: number): Generator<Log, void, undefined> {
    for (let logIndex = first; logIndex < next; logIndex++) yield this.#log(logIndex);
  }

  /**
   * Returns how many logs the transactions before that place in the block made, which is the position of its own first
   * log. The search reads few logs, because they are in the order of their transactions.
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

  /** Returns the offsets of the log. Throws {@link BlockRecordError} when they are not within the record. */
  place(logIndex: number): LogPlace {
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

  /** Returns the index in the block of the transaction that made the log. */
  transactionIndex(logIndex: number): number {
    return this.#integer(this.#startOf(logIndex));
  }

  /** True if there is the hash of a transaction at that index in the block. */
  hasTransactionHash(transactionIndex: number): boolean {
    return transactionIndex < this.#transactionCount;
  }

  /** Returns the hash of a transaction, `null` when there is none at that index in the block. */
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

  /** Compares from the end: addresses and numbers, which most topics are, begin with zeros. */
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
