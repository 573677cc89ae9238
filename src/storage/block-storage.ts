import { type Block, logCountOf } from '../protocol/block.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { Task } from '../scheduling/task.ts';
import { inOnePiece, type WorkPieces } from '../scheduling/work-pieces.ts';
import type { WorldState } from '../state/world-state.ts';
import { type BlockIndexStore, encodeMarksInPieces } from './block-index-store.ts';
import { decodeBlockRecord, encodeBlockRecordInPieces, logsOfBlockRecord } from './block-record.ts';
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
import {
  type ChainEntry,
  encodeRangeRecord,
  lowestOf,
  type ReservedRange,
  rangesOf,
} from './reserved-range.ts';

/** The limit in bytes of the log records that are kept in memory. */
const CAPACITY = 64 * 2 ** 20;
/** About what a log record takes besides its bytes. */
const LOG_RECORD_OBJECT = 512;

interface Kept {
  readonly logs: LogRecord;
  /** The size in bytes of what is kept. */
  readonly size: number;
}

/**
 * The log records read or written last, by block number, up to a limit of bytes, so that a search with matches in a
 * thousand blocks does not read each of them from storage.
 */
export class LogRecordCache {
  readonly #kept = new Map<number, Kept>();
  #size = 0;

  get(number: number): LogRecord | undefined {
    return this.#kept.get(number)?.logs;
  }

  /** Keeps the logs of a block, which take `size` bytes; drops the oldest when the limit is exceeded. */
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

/** Units of work for the position of a transaction. */
const POSITION_WORK = 256;

const INDEX_SIZE = 4;
const POSITION_SIZE = NUMBER_SIZE + INDEX_SIZE;

function blockKey(number: number): string {
  return numberKey('b', number);
}

/** The kinds of keys for the hash of a block, and of a transaction. */
const HASH = 'h';
const TRANSACTION = 't';

function rangeKey({ first }: ReservedRange): string {
  return numberKey('r', first);
}

const NO_POSITIONS = new Uint8Array(0);

/**
 * Returns the positions with one more, in memory of its own, because what is kept in the store must not retain a shared
 * slab.
 */
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

/** Returns the positions (ascending) that are in blocks below that number. */
function positionsBelow(positions: Uint8Array, number: number): Uint8Array {
  let end = positions.length;
  while (end > 0 && blockNumberAt(positions, end - POSITION_SIZE) >= number) end -= POSITION_SIZE;
  return end === positions.length ? positions : positions.subarray(0, end);
}

/** A block and the range of reserved blocks directly below it, `null` for none. */
export interface BlockAndRange {
  readonly range: ReservedRange | null;
  readonly block: Block;
  /** The state after the block. */
  readonly state: WorldState;
}

/** The blocks and records that leave the storage together. */
export interface Removal {
  readonly blocks: readonly Block[];
  /** The removal of all that stands for the blocks, and of the ranges. */
  readonly deletions: Write[];
}

/**
 * The canonical blocks and their indexes in a key-value store: one batch per block, so that a block is written as a
 * whole or not at all. A range of reserved blocks is one record, and in no index.
 */
export class BlockStorage {
  #store: KeyValueStore;
  readonly #ruleSet: RuleSet;
  /** `null` where the chain is gone with its process, and never opened again. */
  #indexStore: BlockIndexStore | null;
  readonly #logs = new LogRecordCache();
  /** True when the store is a view of the disk that takes no writes. */
  #isFrozen = false;

  /** `store` must be open, and must be the one that `indexStore` writes to. */
  constructor(store: KeyValueStore, ruleSet: RuleSet, indexStore: BlockIndexStore | null = null) {
    this.#store = store;
    this.#ruleSet = ruleSet;
    this.#indexStore = indexStore;
  }

  /** True when the chain is kept beyond its process. */
  get isDurable(): boolean {
    return this.#indexStore !== null;
  }

  /** True if the records are gone with the process, and can change until then. */
  get isInMemory(): boolean {
    return this.#indexStore === null && !this.#isFrozen;
  }

  /** The rules of the blocks. */
  get ruleSet(): RuleSet {
    return this.#ruleSet;
  }

  /**
   * Writes the block, its hash and its transactions' positions, and the range of reserved blocks below it if there is one;
   * in pieces when the block has many transactions. Nothing is written before the last of them.
   */
  *appendInPieces(entry: BlockAndRange, pieces: WorkPieces): Task<void> {
    this.#store.batch(yield* this.#puts(entry, pieces));
  }

  #hashKey(hash: Uint8Array): string {
    return this.#store.keyOf(HASH, hash);
  }

  #transactionKey(hash: Uint8Array): string {
    return this.#store.keyOf(TRANSACTION, hash);
  }

  *#puts({ block, state, range }: BlockAndRange, pieces: WorkPieces): Task<Write[]> {
    const { number } = block.header;
    const record = yield* encodeBlockRecordInPieces(block, pieces);
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
      const turn = pieces.spend(POSITION_WORK);
      if (turn !== undefined) yield turn;
    }
    const marks = this.#indexStore === null ? null : yield* encodeMarksInPieces(block, pieces);
    // All that writes comes in one turn, which may take long by itself where the record is.
    const turn = pieces.spend(record.length);
    if (turn !== undefined) yield turn;
    // The last steps: they write, and those above read, which can fail.
    if (logCountOf(block) > 0) this.#keepLogs(number, record, block.header.timestamp);
    if (marks !== null) this.#indexStore?.put(block, marks, state);
    return operations;
  }

  /**
   * Returns what is to be removed with the entries, highest first, in pieces when they are many. Reads only: the blocks must
   * not change before it is removed.
   */
  *removalInPieces(entries: readonly ChainEntry[], pieces: WorkPieces): Task<Removal> {
    const blocks = entries.map(lowestOf);
    let lowest = Number.POSITIVE_INFINITY;
    for (const { header } of blocks) lowest = Math.min(lowest, header.number);
    const deletions: Write[] = [];
    for (const block of blocks) {
      deletions.push({ type: 'del', key: blockKey(block.header.number) });
      deletions.push({ type: 'del', key: this.#hashKey(block.hash) });
      for (const { hash } of block.transactions) deletions.push(this.#forget(hash, lowest));
      const turn = pieces.spend(POSITION_WORK * (1 + block.transactions.length));
      if (turn !== undefined) yield turn;
    }
    for (const range of rangesOf(entries)) deletions.push({ type: 'del', key: rangeKey(range) });
    return { blocks, deletions };
  }

  /**
   * Removes the blocks, all references to them, and the ranges; writes the replacement of the lowest, `null` for none. A
   * storage that was left to readers keeps the records, because its store cannot change.
   */
  remove({ blocks, deletions }: Removal, replacement: BlockAndRange | null): void {
    for (const { header } of blocks) {
      this.#logs.delete(header.number);
      this.#indexStore?.delete(header.number);
    }
    if (this.#isFrozen) return;
    const puts = replacement === null ? [] : inOnePiece((pieces) => this.#puts(replacement, pieces));
    this.#store.batch(puts.length === 0 ? deletions : [...deletions, ...puts]);
  }

  #forget(transactionHash: Uint8Array, from: number): Write {
    const key = this.#transactionKey(transactionHash);
    const value = positionsBelow(this.#positions(key), from);
    return value.length === 0 ? { type: 'del', key } : { type: 'put', key, value };
  }

  /**
   * Returns the positions that stand under the key of a transaction. There can be several: it can be mined again when its
   * sender's nonce was set back.
   */
  #positions(key: string): Uint8Array {
    return this.#store.getSync(key) ?? NO_POSITIONS;
  }

  /** Returns the block with that number, or `undefined`. */
  block(number: number): Block | undefined {
    const record = this.#store.getSync(blockKey(number));
    return record === undefined ? undefined : decodeBlockRecord(record, this.#ruleSet);
  }

  /** Returns the logs of the block with that number, or `undefined`. */
  logs(number: number): LogRecord | undefined {
    const known = this.#logs.get(number);
    if (known !== undefined) return known;
    const record = this.#store.getSync(blockKey(number));
    return record === undefined ? undefined : this.#keepLogs(number, record);
  }

  #keepLogs(number: number, record: Uint8Array, timestamp?: number): LogRecord {
    const { bytes, blockTimestamp } = logsOfBlockRecord(record, timestamp);
    // A view of the record would keep all of it in memory, and the eight kilobytes that Node's buffers share besides.
    const logs = new LogRecord(new Uint8Array(bytes), blockTimestamp);
    this.#logs.set(number, logs, bytes.length + LOG_RECORD_OBJECT);
    return logs;
  }

  /** Returns the number of the block with that hash, or `undefined`. */
  numberOf(hash: Uint8Array): number | undefined {
    const value = this.#store.getSync(this.#hashKey(hash));
    return value === undefined ? undefined : readNumber(value, 0, NUMBER_SIZE);
  }

  /**
   * Returns the position of the transaction in the blocks up to `highest`, the last when there are several, or
   * `undefined`.
   */
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

  /** Replaces the state after a block. */
  replaceState(number: number, state: WorldState): void {
    this.#indexStore?.replaceState(number, state);
  }

  /**
   * Returns the storage in which a chain continues after leaving this one to others, so that its changes do not affect
   * this one. `null` in memory, where any storage will do.
   */
  successor(): BlockStorage | null {
    if (this.#indexStore === null) return null;
    const successor = new BlockStorage(this.#store, this.#ruleSet, this.#indexStore);
    this.#store = this.#indexStore.frozen();
    this.#indexStore = null;
    this.#isFrozen = true;
    return successor;
  }

  /** Closes the store; nothing may be read or written afterwards. */
  close(): Promise<void> {
    return this.#store.close();
  }
}
