import { equalBytes } from '../primitives/bytes.ts';
import { hexKey } from '../primitives/hex.ts';
import type { Task } from '../primitives/task.ts';
import type { WorkPieces } from '../primitives/work-pieces.ts';
import type { Block } from '../protocol/block.ts';
import { bloomProbe } from '../protocol/bloom.ts';
import type { Log } from '../protocol/receipt.ts';
import { BlockRecordError } from './errors.ts';

/** Which logs are asked for. */
export interface LogCriteria {
  /** Any of these emitters; all when empty. */
  readonly addresses: readonly Uint8Array[];
  /**
   * By position: `null` or an empty list matches anything, a list any of its topics. Positions left out match
   * anything too; a log with fewer topics than there are positions does not match.
   */
  readonly topics: readonly (readonly Uint8Array[] | null)[];
}

/** Any log at all. */
export const ANY_LOG: LogCriteria = { addresses: [], topics: [] };

/** So many candidates are looked up by their keys instead of being compared one after the other. */
const MANY_CANDIDATES = 32;
/** Units of work for the key of a candidate. */
const KEY_WORK = 16;

/** By list, for the long ones: a filter is asked again and again. */
const keysByList = new WeakMap<readonly Uint8Array[], ReadonlySet<string>>();

/** The candidates as {@link hexKey} spells them. */
export function keysOf(candidates: readonly Uint8Array[]): ReadonlySet<string> {
  const isLong = candidates.length > MANY_CANDIDATES;
  const known = isLong ? keysByList.get(candidates) : undefined;
  if (known !== undefined) return known;
  const keys = new Set(candidates.map(hexKey));
  if (isLong) keysByList.set(candidates, keys);
  return keys;
}

/** Makes what a search by the criteria looks its candidates up with; in pieces where they are many. */
export function* prepareCriteria({ addresses, topics }: LogCriteria, pieces: WorkPieces): Task<void> {
  for (const candidates of [addresses, ...topics]) {
    if (candidates === null || candidates.length <= MANY_CANDIDATES || keysByList.has(candidates)) continue;
    const keys = new Set<string>();
    for (const candidate of candidates) {
      keys.add(hexKey(candidate));
      const turn = pieces.spend(KEY_WORK);
      if (turn !== undefined) yield turn;
    }
    keysByList.set(candidates, keys);
  }
}

/** The keys of the candidates where they are many; `null` where comparing them one after the other is as fast. */
export function manyKeys(candidates: readonly Uint8Array[]): ReadonlySet<string> | null {
  return candidates.length > MANY_CANDIDATES ? keysOf(candidates) : null;
}

function isOneOf(value: Uint8Array, candidates: readonly Uint8Array[]): boolean {
  const keys = manyKeys(candidates);
  if (keys !== null) return keys.has(hexKey(value));
  return candidates.some((candidate) => equalBytes(candidate, value));
}

/** True when the log is one of those asked for. */
export function matchesCriteria(log: Log, { addresses, topics }: LogCriteria): boolean {
  if (addresses.length > 0 && !isOneOf(log.address, addresses)) return false;
  if (topics.length > log.topics.length) return false;
  return topics.every((wanted, position) => {
    if (wanted === null || wanted.length === 0) return true;
    const topic = log.topics[position];
    return topic !== undefined && isOneOf(topic, wanted);
  });
}

/**
 * A test of blooms: false when none of the logs behind the bloom can be one of those asked for. Many candidates are left
 * out: hardly a bloom has the bits of none of them.
 */
export function bloomTest({ addresses, topics }: LogCriteria): (bloom: Uint8Array) => boolean {
  const alternatives = [addresses, ...topics.map((wanted) => wanted ?? [])]
    .filter((items) => items.length > 0 && items.length <= MANY_CANDIDATES)
    .map((items) => items.map(bloomProbe));
  return (bloom) => alternatives.every((probes) => probes.some((mayBeIn) => mayBeIn(bloom)));
}

/** A log as storage keeps it. */
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

/**
 * The logs of a block with the hashes of its transactions, as the bytes that storage keeps: the number of hashes and of
 * logs, the hashes, where each log ends, the logs. Integers have four bytes, big-endian. Any log is found without
 * reading the others.
 */
export function encodeLogRecord({ receipts, transactions }: Block): Uint8Array {
  const logCount = receipts.reduce((count, { logs }) => count + logs.length, 0);
  const logSizes = receipts.reduce(
    (size, { logs }) => logs.reduce((sum, log) => sum + logSize(log), size),
    0,
  );
  const ends = 2 * INTEGER_SIZE + transactions.length * HASH_SIZE;
  const record = Buffer.alloc(ends + logCount * INTEGER_SIZE + logSizes);
  record.writeUInt32BE(transactions.length, 0);
  record.writeUInt32BE(logCount, INTEGER_SIZE);
  for (const [index, { hash }] of transactions.entries())
    record.set(hash, 2 * INTEGER_SIZE + index * HASH_SIZE);
  let logIndex = 0;
  let position = ends + logCount * INTEGER_SIZE;
  for (const [transactionIndex, { logs }] of receipts.entries()) {
    for (const log of logs) {
      writeLog(record, position, log, transactionIndex);
      position += logSize(log);
      record.writeUInt32BE(position, ends + logIndex * INTEGER_SIZE);
      logIndex++;
    }
  }
  return new Uint8Array(record.buffer, record.byteOffset, record.length);
}

function writeLog(
  record: Buffer,
  start: number,
  { address, topics, data }: Log,
  transactionIndex: number,
): void {
  record.writeUInt32BE(transactionIndex, start);
  record.writeUInt32BE(topics.length, start + INTEGER_SIZE);
  let position = start + LOG_HEAD_SIZE;
  for (const field of [address, ...topics, data]) {
    record.set(field, position);
    position += field.length;
  }
}

/** Where the parts of a log stand in the bytes of its record: each begins where the one before it ends. */
export interface LogPlace {
  readonly address: number;
  readonly topics: number;
  readonly data: number;
  readonly end: number;
}

/** Logs and hashes of a block, read where they stand in the bytes that {@link encodeLogRecord} made. */
export class LogRecord {
  /** Not to be written to. */
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  readonly #transactionCount: number;
  /** Where the ends of the logs are listed. */
  readonly #ends: number;
  /** How many logs there are. */
  readonly logCount: number;
  /** When the block was made, in seconds since 1970; the bytes do not have it. */
  readonly blockTimestamp: number;

  /** Throws {@link BlockRecordError} for other bytes, as reading may do later. */
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
   * The positions in the block, of these (ascending) or of all for `null`, at which there are logs that match the
   * criteria. No more is read of a log than tells so.
   */
  select(positions: readonly number[] | null, criteria: LogCriteria = ANY_LOG): number[] {
    const selected: number[] = [];
    const count = positions?.length ?? this.logCount;
    for (let index = 0; index < count; index++) {
      const logIndex = positions === null ? index : (positions[index] ?? this.logCount);
      if (logIndex >= this.logCount) break;
      if (this.#matches(this.#startOf(logIndex), criteria)) selected.push(logIndex);
    }
    return selected;
  }

  /** The logs at these positions in the block (ascending), or all of them for `null`. */
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

  /** The logs of the transaction at that place in the block. Other logs are not read. */
  ofTransaction(transactionIndex: number): Log[] {
    const logs: Log[] = [];
    const next = this.firstLogOf(transactionIndex + 1);
    for (let logIndex = this.firstLogOf(transactionIndex); logIndex < next; logIndex++) {
      logs.push(this.#log(logIndex));
    }
    return logs;
  }

  /**
   * How many logs the transactions before that place in the block made, which is the position of its own first log. As
   * logs stand in the order of their transactions, few of them are looked at.
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

  /** Where the log stands. Throws {@link BlockRecordError} when that is not within the record. */
  place(logIndex: number): LogPlace {
    const start = this.#startOf(logIndex);
    const address = start + LOG_HEAD_SIZE;
    const topics = address + ADDRESS_SIZE;
    const data = topics + this.#integer(start + INTEGER_SIZE) * TOPIC_SIZE;
    const end = this.#integer(this.#ends + logIndex * INTEGER_SIZE);
    if (data > end || end > this.bytes.length) {
      throw new BlockRecordError('a log does not end where its record says');
    }
    return { address, topics, data, end };
  }

  /** The place in the block of the transaction that made the log. */
  transactionIndex(logIndex: number): number {
    return this.#integer(this.#startOf(logIndex));
  }

  /** True when there is the hash of a transaction at that place in the block. */
  hasTransactionHash(transactionIndex: number): boolean {
    return transactionIndex < this.#transactionCount;
  }

  /** The hash of a transaction, `null` when there is none at that place in the block. */
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
    if (topics.length > this.#integer(start + INTEGER_SIZE)) return false;
    let topic = address + ADDRESS_SIZE;
    for (const wanted of topics) {
      if (wanted !== null && wanted.length > 0 && !this.#isOneOf(topic, TOPIC_SIZE, wanted)) return false;
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

  /** From the end on: addresses and numbers, which most topics are, begin with zeros. */
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
