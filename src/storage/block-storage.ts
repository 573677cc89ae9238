import { finish, type Steps, WORK_PER_STEP } from '../primitives/steps.ts';
import { type Block, type FiledBlock, logCountOf, type SealedBlock } from '../protocol/block.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { WorldState } from '../state/world-state.ts';
import { type BlockIndexStore, encodeMarks } from './block-index-store.ts';
import { decodeBlockRecord, decodeFiledBlock, encodeBlockRecord, logsOfBlockRecord } from './block-record.ts';
import {
  type ChainEntry,
  type EmptyBlockRange,
  encodeRangeRecord,
  lowestOf,
  rangesOf,
} from './empty-block-range.ts';
import {
  type KeyValueStore,
  NUMBER_SIZE,
  numberBytes,
  numberKey,
  readNumber,
  type Write,
  writeNumber,
} from './key-value-store.ts';
import { LogRecord } from './log-record.ts';

/** Maximum bytes of cached log records. */
const CAPACITY = 64 * 2 ** 20;
/** Approximate memory of a log record in addition to its bytes. */
const LOG_RECORD_OBJECT = 512;

interface Kept {
  readonly logs: LogRecord;
  /** Bytes in memory. */
  readonly size: number;
}

/** Caches the newest or last read log records by block number, up to a limit of bytes. */
export class LogRecordCache {
  readonly #kept = new Map<number, Kept>();
  #size = 0;

  get(number: number): LogRecord | undefined {
    return this.#kept.get(number)?.logs;
  }

  /** Caches the logs of a block (`size` bytes) and evicts the oldest above the limit. */
  set(number: number, logs: LogRecord, size: number): void {
    this.delete(number);
    this.#kept.set(number, { logs, size });
    this.#size += size;
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= CAPACITY) return;
      this.delete(oldest);
    }
  }

  delete(number: number): void {
    this.#size -= this.#kept.get(number)?.size ?? 0;
    this.#kept.delete(number);
  }
}

/** The position of a transaction in the canonical chain. */
export interface TransactionPosition {
  readonly number: number;
  readonly index: number;
}

/** Work units per transaction position. */
const POSITION_WORK = 256;
const POSITIONS_AT_ONCE = WORK_PER_STEP / POSITION_WORK;

const INDEX_SIZE = 4;
const POSITION_SIZE = NUMBER_SIZE + INDEX_SIZE;

function blockKey(number: number): string {
  return numberKey('b', number);
}

/** The key prefixes of block hashes and transaction hashes. */
const HASH = 'h';
const TRANSACTION = 't';

function rangeKey({ first }: EmptyBlockRange): string {
  return numberKey('r', first);
}

const NO_POSITIONS = new Uint8Array(0);

/** Appends a position. The result owns its memory, because stored values must not retain a slab. */
function withPosition(positions: Uint8Array, number: number, index: number): Uint8Array {
  const { length } = positions;
  const bytes = new Uint8Array(length + POSITION_SIZE);
  if (length > 0) bytes.set(positions);
  writeNumber(bytes, length, NUMBER_SIZE, number);
  writeNumber(bytes, length + NUMBER_SIZE, INDEX_SIZE, index);
  return bytes;
}

function blockNumberAt(positions: Uint8Array, offset: number): number {
  return readNumber(positions, offset, NUMBER_SIZE);
}

/** Returns the positions (ascending) in blocks below this number. */
function positionsBelow(positions: Uint8Array, number: number): Uint8Array {
  let end = positions.length;
  while (end > 0 && blockNumberAt(positions, end - POSITION_SIZE) >= number) end -= POSITION_SIZE;
  return end === positions.length ? positions : positions.subarray(0, end);
}

/** A block to be stored, and the range of reserved blocks directly below it (`null` for none). */
export interface SealedEntry {
  readonly range: EmptyBlockRange | null;
  readonly block: SealedBlock;
  /** The state after the block. */
  readonly state: WorldState;
}

export interface BlockAndRange extends SealedEntry {
  readonly block: Block;
}

/** The blocks and records that are removed together. */
export interface Removal {
  readonly blocks: readonly Block[];
  /** The deletions of all records of the blocks and ranges. */
  readonly deletions: Write[];
}

/**
 * The canonical blocks and their indexes in a key-value store. Each block is one batch, so it is written
 * completely or not at all. A range of reserved blocks is one record without index entries.
 */
export class BlockStorage {
  #store: KeyValueStore;
  readonly #ruleSet: RuleSet;
  /** `null` for a chain in memory. */
  #indexStore: BlockIndexStore | null;
  readonly #logs = new LogRecordCache();
  /** True if the store is a read-only snapshot of the disk. */
  #isFrozen = false;

  /** `store` must be open. `indexStore` must write to the same store. */
  constructor(store: KeyValueStore, ruleSet: RuleSet, indexStore: BlockIndexStore | null = null) {
    this.#store = store;
    this.#ruleSet = ruleSet;
    this.#indexStore = indexStore;
  }

  /** True if the chain is on disk. */
  get isDurable(): boolean {
    return this.#indexStore !== null;
  }

  /** True for a writable store in memory. */
  get isInMemory(): boolean {
    return this.#indexStore === null && !this.#isFrozen;
  }

  get ruleSet(): RuleSet {
    return this.#ruleSet;
  }

  /**
   * Writes the block, its hash, its transactions' positions, and the range of reserved blocks below it.
   * Yields for large blocks; nothing is written before the last yield.
   */
  *append(entry: SealedEntry): Steps<void> {
    this.#store.batch(yield* this.#puts(entry));
  }

  #hashKey(hash: Uint8Array): string {
    return this.#store.keyOf(HASH, hash);
  }

  #transactionKey(hash: Uint8Array): string {
    return this.#store.keyOf(TRANSACTION, hash);
  }

  *#puts({ block, state, range }: SealedEntry): Steps<Write[]> {
    const { number } = block.header;
    const record = yield* encodeBlockRecord(block);
    const operations: Write[] = [
      { type: 'put', key: blockKey(number), value: record },
      { type: 'put', key: this.#hashKey(block.hash), value: numberBytes(number) },
    ];
    if (range !== null)
      operations.push({ type: 'put', key: rangeKey(range), value: encodeRangeRecord(range) });
    let index = 0;
    for (const { hash } of block.transactions) {
      const key = this.#transactionKey(hash);
      const value = withPosition(this.#positions(key), number, index++);
      operations.push({ type: 'put', key, value });
      if (index % POSITIONS_AT_ONCE === 0) yield WORK_PER_STEP;
    }
    const marks = this.#indexStore === null ? null : yield* encodeMarks(block);
    // All writes happen in one time slice. A large record can fill it.
    yield record.length;
    // The writes come last, because the reads above can fail.
    if (logCountOf(block) > 0) this.#keepLogs(number, record, block.header.timestamp);
    if (marks !== null) this.#indexStore?.put(block, marks, state);
    return operations;
  }

  /**
   * Prepares the removal of the entries, highest first. Yields between blocks. It only reads, so the blocks
   * must not change before the removal.
   */
  *removal(entries: readonly ChainEntry[]): Steps<Removal> {
    const blocks = entries.map(lowestOf);
    let lowest = Number.POSITIVE_INFINITY;
    for (const { header } of blocks) lowest = Math.min(lowest, header.number);
    const deletions: Write[] = [];
    for (const block of blocks) {
      deletions.push({ type: 'del', key: blockKey(block.header.number) });
      deletions.push({ type: 'del', key: this.#hashKey(block.hash) });
      for (const { hash } of block.transactions) deletions.push(this.#forget(hash, lowest));
      yield POSITION_WORK * (1 + block.transactions.length);
    }
    for (const range of rangesOf(entries)) deletions.push({ type: 'del', key: rangeKey(range) });
    return { blocks, deletions };
  }

  /**
   * Removes the blocks, all references to them, and the ranges, and writes the replacement. A read-only
   * snapshot keeps the records.
   */
  remove({ blocks, deletions }: Removal, replacement: BlockAndRange | null): void {
    for (const { header } of blocks) {
      this.#logs.delete(header.number);
      this.#indexStore?.delete(header.number);
    }
    if (this.#isFrozen) return;
    const puts = replacement === null ? [] : finish(this.#puts(replacement));
    this.#store.batch(puts.length === 0 ? deletions : [...deletions, ...puts]);
  }

  #forget(transactionHash: Uint8Array, from: number): Write {
    const key = this.#transactionKey(transactionHash);
    const value = positionsBelow(this.#positions(key), from);
    return value.length === 0 ? { type: 'del', key } : { type: 'put', key, value };
  }

  /** Returns the positions of a transaction. It can be mined again if its sender's nonce was lowered. */
  #positions(key: string): Uint8Array {
    return this.#store.getSync(key) ?? NO_POSITIONS;
  }

  block(number: number): Block | undefined {
    const record = this.#store.getSync(blockKey(number));
    return record === undefined ? undefined : decodeBlockRecord(record, this.#ruleSet);
  }

  filed(number: number): FiledBlock | undefined {
    const record = this.#store.getSync(blockKey(number));
    return record === undefined ? undefined : decodeFiledBlock(record);
  }

  logs(number: number): LogRecord | undefined {
    const known = this.#logs.get(number);
    if (known !== undefined) return known;
    const record = this.#store.getSync(blockKey(number));
    return record === undefined ? undefined : this.#keepLogs(number, record);
  }

  #keepLogs(number: number, record: Uint8Array, timestamp?: number): LogRecord {
    const { bytes, blockTimestamp } = logsOfBlockRecord(record, timestamp);
    // A view would retain the whole record and the 8 kB pool of Node's buffers.
    const logs = new LogRecord(new Uint8Array(bytes), blockTimestamp);
    this.#logs.set(number, logs, bytes.length + LOG_RECORD_OBJECT);
    return logs;
  }

  numberOf(hash: Uint8Array): number | undefined {
    const value = this.#store.getSync(this.#hashKey(hash));
    return value === undefined ? undefined : readNumber(value, 0, NUMBER_SIZE);
  }

  /** Returns the highest position of the transaction in the blocks up to `highest`, or `undefined`. */
  positionOf(
    transactionHash: Uint8Array,
    highest = Number.POSITIVE_INFINITY,
  ): TransactionPosition | undefined {
    const positions = positionsBelow(this.#positions(this.#transactionKey(transactionHash)), highest + 1);
    if (positions.length === 0) return undefined;
    const last = positions.length - POSITION_SIZE;
    return {
      number: blockNumberAt(positions, last),
      index: readNumber(positions, last + NUMBER_SIZE, INDEX_SIZE),
    };
  }

  replaceState(number: number, state: WorldState): void {
    this.#indexStore?.replaceState(number, state);
  }

  /**
   * Makes this storage read-only and returns a writable storage for the chain. Returns `null` in memory,
   * because a new storage suffices there.
   */
  successor(): BlockStorage | null {
    if (this.#indexStore === null) return null;
    const successor = new BlockStorage(this.#store, this.#ruleSet, this.#indexStore);
    this.#store = this.#indexStore.frozen();
    this.#indexStore = null;
    this.#isFrozen = true;
    return successor;
  }

  /** Closes the store. No read or write may follow. */
  close(): Promise<void> {
    return this.#store.close();
  }
}
