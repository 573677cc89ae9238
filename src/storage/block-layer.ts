import { LIMITS, NO_DIFFERENCES, StateHistory } from '../history/state-history.ts';
import { equalBytes } from '../primitives/bytes.ts';
import { type Block, logCountOf } from '../protocol/block.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { Task } from '../scheduling/task.ts';
import { inOnePiece, type WorkPieces } from '../scheduling/work-pieces.ts';
import type { AccountDifference } from '../state/account-differences.ts';
import type { WorldState } from '../state/world-state.ts';
import { BlockIndex, type BlockIndexItem, type BlockSummary, BlockWalk } from './block-index.ts';
import type { LogMarks } from './block-index-store.ts';
import { type BlockAndRange, BlockStorage, type Removal, type TransactionPosition } from './block-storage.ts';
import { MemoryStore } from './key-value-store.ts';
import type { BloomTest, LogCriteria } from './log-criteria.ts';
import { hasManyLogs, LogIndex, type LogsInBlock, logMarksInPieces, type RemovedMarks } from './log-index.ts';
import type { LogRecord } from './log-record.ts';
import { type BlockEntry, type ChainEntry, lowestOf, type ReservedRange } from './reserved-range.ts';

const RECENT_BLOCKS = 256;
/** The limit of the transactions and logs in these, because decoded ones take several times the bytes of their record: a kilobyte each. */
const RECENT_PARTS = 2_048;

/** The entry of a block of a layer. An old state and the changes are computed on access, because not all callers want them. */
class LayerEntry implements BlockEntry {
  readonly block: Block;
  readonly hasRootOfHeader: boolean;
  readonly #walk: BlockWalk;

  constructor(block: Block, walk: BlockWalk, hasRootOfHeader: boolean) {
    this.block = block;
    this.#walk = walk;
    this.hasRootOfHeader = hasRootOfHeader;
  }

  get state(): WorldState {
    const { number } = this.block.header;
    const state = this.#walk.index.state(number);
    if (state === undefined) throw new RangeError(`block ${number} is no longer in the chain`);
    return state;
  }

  changes(pieces: WorkPieces): Task<readonly AccountDifference[] | null> {
    return this.#walk.changes(this.block.header.number, pieces);
  }

  stateInPieces(pieces: WorkPieces): Task<WorldState> {
    return this.#walk.state(this.block.header.number, pieces);
  }
}

/** Units of work for reading a block, and one of its transactions. */
const ENTRY_WORK = 1_024;

/** Returns the entries in their order. Each is read and decoded, in pieces if there are many. */
export function* entriesInPieces(entries: Iterable<ChainEntry>, pieces: WorkPieces): Task<ChainEntry[]> {
  const read: ChainEntry[] = [];
  for (const entry of entries) {
    read.push(entry);
    const transactions = 'block' in entry ? entry.block.transactions.length : 0;
    const turn = pieces.spend(ENTRY_WORK * (1 + transactions));
    if (turn !== undefined) yield turn;
  }
  return read;
}

/** Blocks and transactions that leave a layer in one time slice. */
export const PARTS_AT_ONCE = 2_048;
/** Units of work for removing a block or a transaction whose removal is prepared. */
export const REMOVAL_WORK = 128;

/** Returns the number of the lowest block of an entry. */
function numberOf(entry: ChainEntry): number {
  return 'range' in entry ? entry.range.first : entry.block.header.number;
}

/** Returns the number of blocks and transactions of the entries. A range has one record. */
export function partsOf(entries: readonly ChainEntry[]): number {
  let parts = 0;
  for (const entry of entries) parts += 'block' in entry ? 1 + entry.block.transactions.length : 1;
  return parts;
}

/** The blocks and index entries that leave a layer together. */
export interface LayerRemoval {
  readonly stored: Removal;
  readonly marks: RemovedMarks;
}

/**
 * Consecutive blocks from any number on, with all their data. One chain appends to a layer and truncates it; others can
 * read it up to the block that was its last when they were created.
 */
export class BlockLayer {
  readonly #ruleSet: RuleSet;
  #storage: BlockStorage | null;
  readonly #index: BlockIndex;
  /** The index counts blocks by their place in the layer's block index. */
  readonly #logs = new LogIndex();
  /** The blocks appended or read last, by number, so that the hot path decodes nothing. */
  readonly #recent = new Map<number, { readonly block: Block; readonly parts: number }>();
  #recentParts = 0;
  /** The numbers of the blocks whose state may have another root than their header. */
  readonly #otherRoots = new Set<number>();
  /** By block number, how many chains read the layer up to that block, without the chain that appends to the layer. */
  readonly #readers = new Map<number, number>();
  /** False when no chain appends to the layer any more, so that only its readers need it. */
  #isAppended = true;
  #isTrimming = false;
  #isReserved = false;

  /**
   * Creates a layer without blocks whose first one is to have that number. Without a storage it opens one in memory
   * with its first block.
   */
  constructor(first: number, ruleSet: RuleSet, storage: BlockStorage | null = null) {
    // The states of a chain on disk are read from there.
    this.#index = new BlockIndex(
      first,
      new StateHistory(storage?.isDurable === true ? NO_DIFFERENCES : LIMITS),
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

  /** The storage, `null` until something is stored. */
  get storage(): BlockStorage | null {
    return this.#storage;
  }

  /** The highest block that other chains read; below the first one if no chain reads the layer. */
  get readByOthers(): number {
    let highest = this.first - 1;
    for (const number of this.#readers.keys()) highest = Math.max(highest, number);
    return highest;
  }

  /** Records that one more chain reads the blocks up to that number. They do not change until {@link release}. */
  share(last: number): void {
    this.#readers.set(last, (this.#readers.get(last) ?? 0) + 1);
  }

  /** Records that a chain for which {@link share} was called no longer reads the blocks up to that number. */
  release(last: number): void {
    const readers = (this.#readers.get(last) ?? 0) - 1;
    if (readers > 0) this.#readers.set(last, readers);
    else this.#readers.delete(last);
  }

  /** True if no chain appends to the layer, so that a chain that reads all of it can append blocks for itself. */
  get isFree(): boolean {
    const isChanging = this.#isAppended || this.#isReserved || this.#isTrimming;
    return !isChanging && this.#storage?.isInMemory === true;
  }

  /**
   * Reserves a free layer for a chain that appends blocks to it in pieces. Until {@link endReservation}, no other chain
   * appends to the layer, and none removes blocks from it.
   */
  reserve(): void {
    this.#isReserved = true;
  }

  /** Ends the reservation. By then {@link share} must have recorded the appended blocks. */
  endReservation(): void {
    this.#isReserved = false;
  }

  /** Records that the chain that appended to the layer continues elsewhere. */
  abandon(): void {
    this.#isAppended = false;
  }

  /**
   * Removes the blocks that no chain can read any more, in pieces if there are many. A chain on disk keeps its blocks for
   * the next process. `read` are the highest entries, highest first, if they are read already.
   */
  *trimInPieces(pieces: WorkPieces, read: readonly ChainEntry[] = []): Task<void> {
    if (this.#isAppended || this.#isReserved || this.#isTrimming) return;
    if (this.#storage?.isDurable === true) return;
    this.#isTrimming = true;
    try {
      // More readers can leave during the pieces. A layer without readers is garbage as a whole.
      for (let last = this.readByOthers; last >= this.first && last < this.last; last = this.readByOthers) {
        const known = read.filter((entry) => numberOf(entry) > last && numberOf(entry) <= this.last);
        const lowestKnown = known.at(-1);
        const highest = lowestKnown === undefined ? this.last : numberOf(lowestKnown) - 1;
        const entries = yield* entriesInPieces(this.entries(last + 1, highest), pieces);
        yield* this.#removeInSteps([...known, ...entries.reverse()], pieces);
      }
    } finally {
      this.#isTrimming = false;
    }
  }

  /** Removes the highest entries, highest first, which no chain reads. */
  *#removeInSteps(entries: readonly ChainEntry[], pieces: WorkPieces): Task<void> {
    let step: ChainEntry[] = [];
    let parts = 0;
    for (const [index, entry] of entries.entries()) {
      step.push(entry);
      parts += partsOf([entry]);
      if (index + 1 < entries.length && parts < PARTS_AT_ONCE) continue;
      const removal = yield* this.removalInPieces(step, pieces);
      const turn = pieces.spend(REMOVAL_WORK * parts);
      if (turn !== undefined) yield turn;
      this.truncate(numberOf(entry) - 1, removal, null);
      step = [];
      parts = 0;
    }
  }

  /** The number of the highest block. */
  get last(): number {
    return this.#index.numberAt(this.#index.length) - 1;
  }

  /** Writes the block, and the range below it, to storage and appends them. */
  append(block: Block, state: WorldState, range: ReservedRange | null = null): void {
    inOnePiece((pieces) => this.appendInPieces({ block, state, range }, pieces));
  }

  /** As {@link append}, in pieces when the block has many transactions or logs. Readers see nothing of it before the last of them. */
  *appendInPieces(entry: BlockAndRange, pieces: WorkPieces): Task<void> {
    this.#storage ??= new BlockStorage(new MemoryStore(), this.#ruleSet);
    if (hasManyLogs(entry.block)) yield* this.#logs.addAhead(entry.block, pieces);
    yield* this.#storage.appendInPieces(entry, pieces);
    this.take(entry.block, entry.state, entry.range);
  }

  /** Appends a block or a range that storage already has, from its index entry. */
  restore(entry: BlockIndexItem, state: WorldState, logs: readonly LogMarks[]): void {
    this.#index.push(entry, state);
    this.#logs.appendLogs(logs);
  }

  /** Appends a block that storage already has, and the range below it. */
  take(block: Block, state: WorldState, range: ReservedRange | null = null): void {
    if (range !== null) {
      this.#index.push(range, range.state);
      this.#logs.appendLogs([]);
    }
    const logCount = logCountOf(block);
    this.#index.push({ hash: block.hash, logsBloom: logCount > 0 ? block.header.logsBloom : null }, state);
    if (!state.isKnown || !equalBytes(state.root, block.header.stateRoot))
      this.#otherRoots.add(block.header.number);
    this.#logs.append(block);
    this.#remember(block, logCount);
  }

  /** Returns what is to be removed with the entries, highest first, in pieces when they are many. Reads only. */
  *removalInPieces(entries: readonly ChainEntry[], pieces: WorkPieces): Task<LayerRemoval> {
    const stored =
      this.#storage === null
        ? { blocks: entries.map(lowestOf), deletions: [] }
        : yield* this.#storage.removalInPieces(entries, pieces);
    return { stored, marks: yield* logMarksInPieces(stored.blocks, pieces) };
  }

  /**
   * Removes the blocks above `last`, which must not be within a range, from storage and from the layer: those that the
   * removal was made of. The replacement is written to storage only; the caller appends it.
   */
  truncate(last: number, { stored, marks }: LayerRemoval, replacement: BlockAndRange | null): void {
    this.#storage?.remove(stored, replacement);
    this.#index.truncate(this.#index.placeOf(last + 1));
    this.#logs.remove(stored.blocks.length, marks);
    this.#forgetAbove(last, stored.blocks);
    for (const number of this.#otherRoots) if (number > last) this.#otherRoots.delete(number);
  }

  #forgetAbove(last: number, removed: readonly Block[]): void {
    // Of a removed range, any block can have been read last.
    const top = removed[0]?.header.number ?? last;
    if (top - last === removed.length) for (const { header } of removed) this.#forget(header.number);
    else for (const number of this.#recent.keys()) if (number > last) this.#forget(number);
  }

  /** Keeps a block, of whose logs so many are decoded, and drops the oldest ones beyond the limits; this one is kept however large it is. */
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

  /** Returns the summary of the block with that number, or `undefined`. */
  summary(number: number): BlockSummary | undefined {
    return this.#index.summary(number);
  }

  /** Returns the state after the block with that number, or `undefined`. */
  state(number: number): WorldState | undefined {
    return this.#index.state(number);
  }

  /** True when the state after the block, which is not the lowest, is known to be the very one before it. */
  isUnchanged(number: number): boolean {
    return this.#index.isUnchanged(number);
  }

  /** Returns the range of reserved blocks that contains that number, or `undefined`. */
  rangeAt(number: number): ReservedRange | undefined {
    return this.#index.rangeAt(number);
  }

  /** Replaces the state after a block. Throws a `RangeError` for a block that is reserved or missing. */
  replaceState(number: number, state: WorldState): void {
    this.#index.replaceState(number, state);
    this.#otherRoots.add(number);
    this.#storage?.replaceState(number, state);
  }

  /** Returns the block with that number, which must exist. */
  block(number: number): Block | undefined {
    const recent = this.#recent.get(number);
    if (recent !== undefined) return recent.block;
    const block = this.rangeAt(number)?.block(number) ?? this.#storage?.block(number);
    if (block !== undefined) this.#remember(block, 0);
    return block;
  }

  /**
   * Yields the entries of the blocks with the numbers `from` to `to`, neither of which may be inside a range but at its
   * ends.
   */
  *entries(from: number, to: number): Generator<ChainEntry, void, undefined> {
    const walk = new BlockWalk(this.#index);
    // Of blocks that were read from a disk nothing is known.
    const isChecked = this.#storage?.isDurable !== true;
    for (let number = from; number <= to; number++) {
      const range = this.rangeAt(number);
      if (range !== undefined) {
        yield { range };
        number = range.last;
        continue;
      }
      const block = this.block(number);
      if (block !== undefined) yield new LayerEntry(block, walk, isChecked && !this.#otherRoots.has(number));
    }
  }

  /**
   * Yields the blocks from `from` to `to` that may have logs that match, and which of their logs have the emitters and first
   * topics; `null` for each block or section of blocks that `mayMatch` rules out by its bloom.
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

  /** Returns the logs of the block with that number; `undefined` for one without logs, and for one that is missing. */
  logs(number: number): LogRecord | undefined {
    return this.#index.hasLogs(number) ? this.#storage?.logs(number) : undefined;
  }

  /** Returns the number of the block with that hash that is not reserved, or `undefined`. */
  numberOf(hash: Uint8Array): number | undefined {
    return this.#storage?.numberOf(hash);
  }

  /**
   * Returns the position of the transaction in the blocks up to `last`, the highest when there are several, or
   * `undefined`.
   */
  positionOf(transactionHash: Uint8Array, last: number): TransactionPosition | undefined {
    return this.#storage?.positionOf(transactionHash, last);
  }
}
