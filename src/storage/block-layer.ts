import { CompactHistory } from '../history/compact-history.ts';
import { FullHistory } from '../history/full-history.ts';
import { equalBytes } from '../primitives/bytes.ts';
import type { Steps } from '../primitives/steps.ts';
import { type Block, type FiledBlock, logCountOf } from '../protocol/block.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { AccountDifference } from '../state/account-differences.ts';
import type { WorldState } from '../state/world-state.ts';
import { BlockIndex, type BlockIndexItem, type BlockSummary, BlockWalk } from './block-index.ts';
import type { LogMarks } from './block-index-store.ts';
import {
  type BlockAndRange,
  BlockStorage,
  type Removal,
  type SealedEntry,
  type TransactionPosition,
} from './block-storage.ts';
import { type BlockEntry, type ChainEntry, type EmptyBlockRange, lowestOf } from './empty-block-range.ts';
import { MemoryStore } from './key-value-store.ts';
import type { BloomTest, LogCriteria } from './log-criteria.ts';
import { hasManyLogs, LogIndex, type LogsInBlock, logMarks, type RemovedMarks } from './log-index.ts';
import type { LogRecord } from './log-record.ts';

const RECENT_BLOCKS = 256;
/** Maximum number of transactions and logs in the recent blocks. Decoded, they take about a kilobyte each. */
const RECENT_PARTS = 2_048;

/** A block of a layer. Its content, state and changes are read on access, because not all readers need them. */
class LayerEntry implements BlockEntry {
  readonly hasRootOfHeader: boolean;
  readonly #number: number;
  readonly #layer: BlockLayer;
  readonly #walk: BlockWalk;
  #block: Block | undefined;
  #filed: FiledBlock | undefined;

  constructor(number: number, layer: BlockLayer, walk: BlockWalk, hasRootOfHeader: boolean) {
    this.#number = number;
    this.#layer = layer;
    this.#walk = walk;
    this.hasRootOfHeader = hasRootOfHeader;
  }

  get block(): Block {
    this.#block ??= this.#layer.block(this.#number);
    return this.#existing(this.#block);
  }

  filed(): FiledBlock {
    this.#filed ??= this.#block ?? this.#layer.filed(this.#number);
    return this.#existing(this.#filed);
  }

  get state(): WorldState {
    return this.#existing(this.#walk.index.state(this.#number));
  }

  #existing<Value>(value: Value | undefined): Value {
    if (value === undefined) throw new RangeError(`block ${this.#number} is no longer in the chain`);
    return value;
  }

  changes(): Steps<readonly AccountDifference[] | null> {
    return this.#walk.changes(this.#number);
  }

  stateInSteps(): Steps<WorldState> {
    return this.#walk.state(this.#number);
  }
}

/** Work units per block and per transaction. */
const ENTRY_WORK = 1_024;

/** Reads and decodes the entries, in order. Yields between entries. */
export function* listEntries(entries: Iterable<ChainEntry>): Steps<ChainEntry[]> {
  const read: ChainEntry[] = [];
  for (const entry of entries) {
    read.push(entry);
    const transactions = 'block' in entry ? entry.block.transactions.length : 0;
    yield ENTRY_WORK * (1 + transactions);
  }
  return read;
}

/** Maximum number of blocks and transactions to remove in one time slice. */
export const PARTS_AT_ONCE = 2_048;
/** Work units for removing a prepared block or transaction. */
export const REMOVAL_WORK = 128;

/** Returns the number of the lowest block of an entry. */
function numberOf(entry: ChainEntry): number {
  return 'range' in entry ? entry.range.first : entry.block.header.number;
}

/** Returns the number of blocks and transactions of the entries. A range counts as one. */
export function partsOf(entries: readonly ChainEntry[]): number {
  let parts = 0;
  for (const entry of entries) parts += 'block' in entry ? 1 + entry.block.transactions.length : 1;
  return parts;
}

/** The blocks and index entries that are removed together. */
export interface LayerRemoval {
  readonly stored: Removal;
  readonly marks: RemovedMarks;
}

/**
 * Consecutive blocks from any number, with all their data. One chain appends to a layer and truncates it.
 * Other chains can read it up to the block that was its last when they were created.
 */
export class BlockLayer {
  readonly #ruleSet: RuleSet;
  #storage: BlockStorage | null;
  readonly #index: BlockIndex;
  /** The log index numbers blocks like the block index, from 0 per entry. */
  readonly #logs = new LogIndex();
  /** The newest or last read blocks by number, so that the hot path decodes nothing. */
  readonly #recent = new Map<number, { readonly block: Block; readonly parts: number }>();
  #recentParts = 0;
  /** The numbers of blocks whose state root may differ from their header. */
  readonly #otherRoots = new Set<number>();
  /** Number of chains that read the layer up to a block, without the appending chain, by block number. */
  readonly #readers = new Map<number, number>();
  /** False once no chain appends to the layer, so that only its readers need it. */
  #isAppended = true;
  #isTrimming = false;
  #isReserved = false;

  /**
   * Creates an empty layer. `first` is the number of its first block. Without a storage it opens one in
   * memory on the first append.
   */
  constructor(first: number, ruleSet: RuleSet, storage: BlockStorage | null = null) {
    // A chain on disk reads its states from there.
    this.#index = new BlockIndex(
      first,
      storage?.isDurable === true ? new FullHistory() : new CompactHistory(),
    );
    this.#ruleSet = ruleSet;
    this.#storage = storage;
  }

  /** The number of the lowest block, which need not exist yet. */
  get first(): number {
    return this.#index.first;
  }

  get isEmpty(): boolean {
    return this.#index.length === 0;
  }

  /** `null` until the first block is stored. */
  get storage(): BlockStorage | null {
    return this.#storage;
  }

  /** The highest block that other chains read; below the first one if no chain reads the layer. */
  get readByOthers(): number {
    let highest = this.first - 1;
    for (const number of this.#readers.keys()) highest = Math.max(highest, number);
    return highest;
  }

  /** Registers a reader of the blocks up to `last`. They do not change until {@link release}. */
  share(last: number): void {
    this.#readers.set(last, (this.#readers.get(last) ?? 0) + 1);
  }

  /** Ends a registration of {@link share}. */
  release(last: number): void {
    const readers = (this.#readers.get(last) ?? 0) - 1;
    if (readers > 0) this.#readers.set(last, readers);
    else this.#readers.delete(last);
  }

  /** True if no chain appends to the layer. A chain that reads all of it can then append its own blocks. */
  get isFree(): boolean {
    const isChanging = this.#isAppended || this.#isReserved || this.#isTrimming;
    return !isChanging && this.#storage?.isInMemory === true;
  }

  /**
   * Reserves a free layer for a chain that appends blocks to it with yields in between. Until
   * {@link endReservation}, no other chain appends to the layer or removes blocks from it.
   */
  reserve(): void {
    this.#isReserved = true;
  }

  /** Ends the reservation. Before that, {@link share} must register the appended blocks. */
  endReservation(): void {
    this.#isReserved = false;
  }

  /** Called if the appending chain continues in another layer. */
  abandon(): void {
    this.#isAppended = false;
  }

  /**
   * Removes the blocks that no chain can read any more. Yields between blocks. A chain on disk keeps its
   * blocks for the next process. `read` are the highest entries, highest first, if they were read already.
   */
  *trim(read: readonly ChainEntry[] = []): Steps<void> {
    if (this.#isAppended || this.#isReserved || this.#isTrimming) return;
    if (this.#storage?.isDurable === true) return;
    this.#isTrimming = true;
    try {
      // More readers can leave during a yield. A layer without readers is garbage-collected as a whole.
      for (let last = this.readByOthers; last >= this.first && last < this.last; last = this.readByOthers) {
        const known = read.filter((entry) => numberOf(entry) > last && numberOf(entry) <= this.last);
        const lowestKnown = known.at(-1);
        const highest = lowestKnown === undefined ? this.last : numberOf(lowestKnown) - 1;
        const entries = yield* listEntries(this.entries(last + 1, highest));
        yield* this.#remove([...known, ...entries.reverse()]);
      }
    } finally {
      this.#isTrimming = false;
    }
  }

  /** Removes the highest entries, highest first. No chain may read them. */
  *#remove(entries: readonly ChainEntry[]): Steps<void> {
    let step: ChainEntry[] = [];
    let parts = 0;
    for (const [index, entry] of entries.entries()) {
      step.push(entry);
      parts += partsOf([entry]);
      if (index + 1 < entries.length && parts < PARTS_AT_ONCE) continue;
      const removal = yield* this.removal(step);
      yield REMOVAL_WORK * parts;
      this.truncate(numberOf(entry) - 1, removal, null);
      step = [];
      parts = 0;
    }
  }

  get last(): number {
    return this.#index.numberAt(this.#index.length) - 1;
  }

  /**
   * Stores the block and the range below it, and appends them. Yields for large blocks. Readers see the block
   * after the last yield only. `recent` is the block if it will be read soon.
   */
  *append(entry: SealedEntry, recent: Block | null = null): Steps<void> {
    this.#storage ??= new BlockStorage(new MemoryStore(), this.#ruleSet);
    if (hasManyLogs(entry.block)) yield* this.#logs.addAhead(entry.block);
    yield* this.#storage.append(entry);
    this.take(entry, recent);
  }

  /** Appends a stored block or range from its index entry. */
  restore(entry: BlockIndexItem, state: WorldState, logs: readonly LogMarks[]): void {
    this.#index.push(entry, state);
    this.#logs.appendLogs(logs);
  }

  /** Appends a stored block and the range below it. */
  take({ block, state, range }: SealedEntry, recent: Block | null): void {
    if (range !== null) {
      this.#index.push(range, range.state);
      this.#logs.appendLogs([]);
    }
    const logCount = logCountOf(block);
    this.#index.push({ hash: block.hash, logsBloom: logCount > 0 ? block.header.logsBloom : null }, state);
    if (!state.isKnown || !equalBytes(state.root, block.header.stateRoot))
      this.#otherRoots.add(block.header.number);
    this.#logs.append(block);
    if (recent !== null) this.#remember(recent, logCount);
  }

  /** Prepares the removal of the entries, highest first. Yields between entries. It only reads. */
  *removal(entries: readonly ChainEntry[]): Steps<LayerRemoval> {
    const stored =
      this.#storage === null
        ? { blocks: entries.map(lowestOf), deletions: [] }
        : yield* this.#storage.removal(entries);
    return { stored, marks: yield* logMarks(stored.blocks) };
  }

  /**
   * Removes the blocks above `last` (not inside a range) with their prepared removal. The replacement is
   * written to storage only; the caller appends it.
   */
  truncate(last: number, { stored, marks }: LayerRemoval, replacement: BlockAndRange | null): void {
    this.#storage?.remove(stored, replacement);
    this.#index.truncate(this.#index.placeOf(last + 1));
    this.#logs.remove(stored.blocks.length, marks);
    this.#forgetAbove(last, stored.blocks);
    for (const number of this.#otherRoots) if (number > last) this.#otherRoots.delete(number);
  }

  #forgetAbove(last: number, removed: readonly Block[]): void {
    // Any block of a removed range can be among the recent ones.
    const top = removed[0]?.header.number ?? last;
    if (top - last === removed.length) for (const { header } of removed) this.#forget(header.number);
    else for (const number of this.#recent.keys()) if (number > last) this.#forget(number);
  }

  /**
   * Caches a block with its number of decoded logs and evicts the oldest above the limits. The new block
   * stays even if it is too large.
   */
  #remember(block: Block, decodedLogs: number): void {
    const { number } = block.header;
    this.#forget(number);
    const parts = block.transactions.length + decodedLogs;
    this.#recent.set(number, { block, parts });
    this.#recentParts += parts;
    if (this.#isWithinLimits()) return;
    for (const oldest of this.#recent.keys()) {
      if (oldest === number) return;
      this.#forget(oldest);
      if (this.#isWithinLimits()) return;
    }
  }

  #isWithinLimits(): boolean {
    return this.#recent.size <= RECENT_BLOCKS && this.#recentParts <= RECENT_PARTS;
  }

  #forget(number: number): void {
    const known = this.#recent.get(number);
    if (known === undefined) return;
    this.#recentParts -= known.parts;
    this.#recent.delete(number);
  }

  summary(number: number): BlockSummary | undefined {
    return this.#index.summary(number);
  }

  state(number: number): WorldState | undefined {
    return this.#index.state(number);
  }

  /** True if the state after the block is known to equal the state before it. Not for the lowest block. */
  isUnchanged(number: number): boolean {
    return this.#index.isUnchanged(number);
  }

  /** Returns the range that contains the block, or `undefined`. */
  rangeAt(number: number): EmptyBlockRange | undefined {
    return this.#index.rangeAt(number);
  }

  /** Replaces the state after a block. Throws a `RangeError` for a reserved or missing block. */
  replaceState(number: number, state: WorldState): void {
    this.#index.replaceState(number, state);
    this.#otherRoots.add(number);
    this.#storage?.replaceState(number, state);
  }

  /** The block must exist. */
  block(number: number): Block | undefined {
    const recent = this.#recent.get(number);
    if (recent !== undefined) return recent.block;
    const block = this.rangeAt(number)?.block(number) ?? this.#storage?.block(number);
    if (block !== undefined) this.#remember(block, 0);
    return block;
  }

  /** Like {@link block}, without decoding the transactions of older blocks. The block must not be reserved. */
  filed(number: number): FiledBlock | undefined {
    return this.#recent.get(number)?.block ?? this.#storage?.filed(number);
  }

  /** Yields the entries from `from` to `to`. Each bound may be at an end of a range, but not inside it. */
  *entries(from: number, to: number): Generator<ChainEntry, void, undefined> {
    const walk = new BlockWalk(this.#index);
    // Blocks from disk are not checked.
    const isChecked = this.#storage?.isDurable !== true;
    for (let number = from; number <= to; number++) {
      const range = this.rangeAt(number);
      if (range !== undefined) {
        yield { range };
        number = range.last;
        continue;
      }
      if (number > this.last) return;
      yield new LayerEntry(number, this, walk, isChecked && !this.#otherRoots.has(number));
    }
  }

  /**
   * Yields the blocks from `from` to `to` that may have matching logs, with the indexes of logs whose emitter
   * and first topic match. Yields `null` for each block or section that `mayMatch` excludes by its bloom.
   */
  *findLogs(
    criteria: LogCriteria,
    mayMatch: BloomTest,
    from: number,
    to: number,
  ): Generator<LogsInBlock | null, void, undefined> {
    const index = this.#index;
    const found = this.#logs.find(criteria, index.placeOf(from), index.placeOf(to), index.skip(mayMatch));
    for (const ofBlock of found) {
      const mayHave = ofBlock !== null && index.entryMayHave(ofBlock.number, mayMatch);
      yield mayHave ? { number: index.numberAt(ofBlock.number), logIndexes: ofBlock.logIndexes } : null;
    }
  }

  /** Returns the logs of the block; `undefined` if it has no logs or is missing. */
  logs(number: number): LogRecord | undefined {
    return this.#index.hasLogs(number) ? this.#storage?.logs(number) : undefined;
  }

  /** Returns the number of the ordinary block with this hash, or `undefined`. */
  numberOf(hash: Uint8Array): number | undefined {
    return this.#storage?.numberOf(hash);
  }

  /** Returns the transaction's highest position in the blocks up to `last`, or `undefined`. */
  positionOf(transactionHash: Uint8Array, last: number): TransactionPosition | undefined {
    return this.#storage?.positionOf(transactionHash, last);
  }
}
