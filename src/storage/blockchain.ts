import { equalBytes } from '../primitives/bytes.ts';
import { finish, type Steps } from '../primitives/steps.ts';
import type { Block } from '../protocol/block.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { runTask } from '../scheduling/task.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import type { WorldState } from '../state/world-state.ts';
import {
  BlockLayer,
  type LayerRemoval,
  listEntries,
  PARTS_AT_ONCE,
  partsOf,
  REMOVAL_WORK,
} from './block-layer.ts';
import type { BlockAndRange, BlockStorage, Removal } from './block-storage.ts';
import { uncalledBelow } from './blocks-without-calls.ts';
import { CanonicalBlocks, type ChainHead } from './canonical-blocks.ts';
import { type ChainEntry, type EmptyBlockRange, lowestOf } from './empty-block-range.ts';
import { SharedBlocks } from './shared-blocks.ts';

/** The limits of pruning. */
const PRUNING = {
  /** Blocks kept below the first one, because contracts can read their hashes, and REMASC their fees. */
  ancestors: 257,
  /** Minimum size of a layer (or an eighth of the kept blocks if that is more) before a new one starts. */
  minLayer: 128,
};
const LAYERS_KEPT = 8;

/** Returns the rest of a range after the removal of its blocks above `number`. */
function restOf(range: EmptyBlockRange, number: number): BlockAndRange {
  return {
    range: number === range.first ? null : range.until(number - 1),
    block: range.block(number),
    state: range.state,
  };
}

function lowestNumber({ range, block }: BlockAndRange): number {
  return range?.first ?? block.header.number;
}

/**
 * The canonical chain: sealed blocks in order, each with the state after it. A long run of empty blocks can
 * be a range of reserved blocks. Their content is computed on access, and readers see no difference. The head
 * is always an ordinary block.
 *
 * Forked chains share the blocks up to the fork. A chain reads shared blocks in place and appends its own to
 * a layer that only it changes. It starts a new layer if a change would affect blocks that other chains read.
 */
export class Blockchain extends CanonicalBlocks {
  readonly #ruleSet: RuleSet;
  #watch = { lowest: 0 };
  /** Former layers with removed blocks of this chain, and the removed entries. */
  readonly #left: { readonly layer: BlockLayer; readonly entries: readonly ChainEntry[] }[] = [];

  private constructor(ruleSet: RuleSet, shared: SharedBlocks | null, top: BlockLayer, head: ChainHead) {
    super(shared, top, head);
    this.#ruleSet = ruleSet;
  }

  /** Creates a chain with only its first block, which can have any number, and writes it to `storage`. */
  static create(storage: BlockStorage, first: Block, state: WorldState): Blockchain {
    const { ruleSet } = storage;
    const layer = new BlockLayer(first.header.number, ruleSet, storage);
    finish(layer.append({ block: first, state, range: null }, first));
    return new Blockchain(ruleSet, null, layer, { block: first, state });
  }

  /** Returns the chain of a layer's blocks. `head` is the highest one, an ordinary block. */
  static of(layer: BlockLayer, ruleSet: RuleSet, head: ChainHead): Blockchain {
    return new Blockchain(ruleSet, null, layer, head);
  }

  /**
   * Returns an independent chain with the same blocks and states up to `number` (default: the head). Its own
   * blocks are kept in memory. Blocks are shared, not copied. Throws a `RangeError` for a missing block.
   */
  fork(number = this.head.block.header.number): Blockchain {
    const head = { block: this.existing(number), state: this.state(number) };
    const range = this.rangeAt(number);
    const shared = this.#blocksToShare().until(range === undefined ? number : range.first - 1);
    const top = this.#layerAbove(shared?.last ?? number);
    if (range !== undefined) {
      const rest = restOf(range, number);
      finish(top.append(rest, rest.block));
    }
    const forked = new Blockchain(this.#ruleSet, shared, top, head);
    forked.oldest = this.oldest;
    forked.origin = this.origin;
    forked.originTimestamp = this.originTimestamp;
    return forked;
  }

  /**
   * Prunes all except the newest blocks. Blocks from the number `needed` always remain. Memory is freed once
   * a whole layer is pruned and no other chain shares it. For chains in memory only.
   *
   * @example blockchain.prune(1_000, lowestSnapshot); // the head and 999 blocks below it are left
   */
  prune(newest: number, needed = Number.POSITIVE_INFINITY, { ancestors, minLayer } = PRUNING): void {
    const { number } = this.head.block.header;
    const oldest = this.#entryBelow(Math.min(number - newest + 1, needed));
    if (oldest <= this.first) return;
    if (this.oldest === 0) {
      this.originTimestamp = this.firstTimestamp;
      this.origin = this.first;
    }
    this.oldest = oldest;
    if (number - this.top.first + 1 >= Math.max(minLayer, newest / LAYERS_KEPT)) {
      this.shared = this.#blocksToShare();
      this.top = this.#layerAbove(number);
    }
    this.shared = this.shared?.from(Math.min(oldest - 1, number - ancestors)) ?? null;
  }

  /**
   * Returns the number, or the number below the blocks without system calls that contain it. Replaying the
   * block above requires those blocks. The first block is always an ordinary one.
   */
  #entryBelow(number: number): number {
    if (number <= this.first) return number;
    const uncalled = uncalledBelow(number + 1, {
      lowest: this.lowest,
      rangeAt: (of) => this.rangeAt(of),
      hash: (of) => this.summary(of).hash,
      block: (of) => this.ancestor(of),
    });
    const below = uncalled === undefined ? number : uncalled.first - 1;
    const range = this.rangeAt(below);
    return range === undefined ? below : range.first - 1;
  }

  #blocksToShare(): SharedBlocks {
    if (this.shared !== null && this.top.isEmpty) return this.shared;
    return SharedBlocks.of(this.top, this.head.block.header.number, this.shared);
  }

  #layerAbove(number: number): BlockLayer {
    return new BlockLayer(number + 1, this.#ruleSet);
  }

  /**
   * Appends the block to the head, after its range of empty blocks if it has one. Yields for large blocks.
   * Readers see the old chain until the last yield. Nothing else may change the chain meanwhile.
   */
  *append(entry: BlockAndRange): Steps<void> {
    yield* this.top.append(entry, entry.block);
    this.setHead(entry.block, entry.state);
  }

  /**
   * Returns a record of the lowest block that is removed or gets another state from now on. Pruning is not
   * recorded. An earlier record ends: its `lowest` becomes 0.
   */
  watchChanges(): { readonly lowest: number } {
    this.#watch.lowest = 0;
    this.#watch = { lowest: Number.POSITIVE_INFINITY };
    return this.#watch;
  }

  #noteChange(number: number): void {
    if (number < this.#watch.lowest) this.#watch.lowest = number;
  }

  /** Replaces the state after the head. The header does not change. */
  replaceHeadState(state: WorldState): void {
    if (state !== this.head.state) this.replaceState(this.head.block.header.number, state);
  }

  /** Replaces the state after a block. Throws a `RangeError` for a reserved or missing block. */
  replaceState(number: number, state: WorldState): void {
    this.#noteChange(number);
    this.#replaceStoredState(number, state);
    const { block } = this.head;
    if (number === block.header.number) this.setHead(block, state);
  }

  #replaceStoredState(number: number, state: WorldState): void {
    // The shared blocks store the state after their last block themselves.
    if (number >= this.top.first && number >= this.top.readByOthers) {
      this.top.replaceState(number, state);
      return;
    }
    const shared = this.#blocksToShare();
    this.shared = shared.withState(number, state);
    if (!this.top.isEmpty) this.top = this.#ownLayer(shared.last + 1);
    this.top.storage?.replaceState(number, state);
  }

  /** Returns an empty layer for this chain, which leaves the top layer to other chains. */
  #ownLayer(first: number): BlockLayer {
    return new BlockLayer(first, this.#ruleSet, this.top.storage?.successor() ?? null);
  }

  /** Replaces the chain with another first block. Returns the removed blocks, as {@link rewind}. */
  *restart(first: Block, state: WorldState): Steps<readonly Block[]> {
    const last = this.lowest - 1;
    const entries = yield* this.#entriesAbove(last);
    const replacement = { range: null, block: first, state };
    const removed = yield* this.#replaceAbove(last, entries, replacement);
    const oldest = this.first;
    this.oldest = 0;
    this.setHead(first, state);
    return removed.filter(({ header }) => header.number >= oldest);
  }

  /**
   * Removes the blocks above `number` and returns them, highest first. A range of reserved blocks is
   * represented by its lowest block. Readers see the old chain until the last yield; nothing else may change
   * the chain meanwhile. Throws a `RangeError` for a number below the first block.
   */
  *rewind(number: number): Steps<readonly Block[]> {
    if (number >= this.head.block.header.number) return [];
    const range = this.rangeAt(number);
    if (range === undefined) {
      const head = this.existing(number);
      const entries = yield* this.#entriesAbove(number);
      const removed = yield* this.#replaceAbove(number, entries, null);
      this.setHead(head, this.state(number));
      return removed;
    }
    const rest = restOf(range, number);
    const last = range.first - 1;
    const entries = yield* this.#entriesAbove(last);
    const removed = yield* this.#replaceAbove(last, entries, rest);
    this.setHead(rest.block, rest.state);
    const ofRange = number === range.last ? [] : [range.block(number + 1)];
    return [...removed.slice(0, -1), ...ofRange];
  }

  /**
   * Makes this chain equal to its parent chain or to one of its forks. Returns the blocks above the last
   * common block. Yields like {@link rewind}.
   */
  *become(other: Blockchain): Steps<readonly Block[]> {
    const lowest = this.#lowestUnlike(other);
    const entries = yield* this.#entriesAbove(lowest - 1);
    const removed = entries.map((entry) =>
      'range' in entry ? entry.range.block(Math.max(entry.range.first, lowest)) : entry.block,
    );
    const shared = other.#blocksToShare();
    this.#noteChange(0);
    this.shared = shared;
    this.top = this.#layerAbove(shared.last);
    this.oldest = other.oldest;
    this.origin = other.origin;
    this.originTimestamp = other.originTimestamp;
    this.setHead(other.head.block, other.head.state);
    return removed;
  }

  /** Returns the lowest block number that differs. Chains with a common block share all blocks below it. */
  #lowestUnlike(other: Blockchain): number {
    let low = Math.max(this.first, other.first);
    if (low > Math.min(this.head.block.header.number, other.head.block.header.number)) return this.first;
    if (!equalBytes(this.summary(low).hash, other.summary(low).hash)) return this.first;
    let high = Math.min(this.head.block.header.number, other.head.block.header.number) + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (equalBytes(this.summary(middle).hash, other.summary(middle).hash)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Reads and decodes the entries above the block `last`, highest first. */
  *#entriesAbove(last: number): Steps<ChainEntry[]> {
    const entries = yield* listEntries(this.entries(last + 1));
    return entries.reverse();
  }

  /**
   * Replaces the entries above the block `last` (not inside a range). Returns the removed blocks, highest
   * first. Nothing is removed before the last yield.
   */
  *#replaceAbove(
    last: number,
    entries: readonly ChainEntry[],
    replacement: BlockAndRange | null,
  ): Steps<readonly Block[]> {
    const take = (joined: SharedBlocks): void => {
      this.shared = joined;
    };
    this.#noteChange(last + 1);
    if (this.shared !== null) yield* this.shared.join(take);
    const top = this.top;
    if (top.storage?.isInMemory === true && partsOf(entries) > PARTS_AT_ONCE) {
      this.#leaveTop(last, entries, null, replacement);
      return entries.map(lowestOf);
    }
    const { stored, marks } = yield* top.removal(entries);
    // A chain on disk removes all of them in one time slice, because its storage must always be consistent.
    yield REMOVAL_WORK * entries.length;
    // Checked after the yields, because other chains can start to read the blocks during one.
    if (last >= top.first - 1 && last >= top.readByOthers)
      this.#replaceInTop(last, { stored, marks }, replacement);
    else this.#leaveTop(last, entries, stored, replacement);
    return stored.blocks;
  }

  /**
   * Frees the blocks that {@link rewind} removed, unless other chains read them. Call it when readers
   * may see the shorter chain.
   */
  *trim(): Steps<void> {
    for (const { layer, entries } of this.#left.splice(0)) yield* layer.trim(entries);
  }

  #replaceInTop(last: number, removal: LayerRemoval, replacement: BlockAndRange | null): void {
    this.top.truncate(last, removal, replacement);
    if (replacement === null) return;
    // The first block of a restarted chain may have another number.
    if (this.top.isEmpty)
      this.top = new BlockLayer(lowestNumber(replacement), this.#ruleSet, this.top.storage);
    this.top.take(replacement, replacement.block);
  }

  /**
   * Continues in a new layer. Blocks that other chains read stay in the old one; the rest stays until
   * {@link trim}. `stored` is the removal from the disk.
   */
  #leaveTop(
    last: number,
    entries: readonly ChainEntry[],
    stored: Removal | null,
    replacement: BlockAndRange | null,
  ): void {
    const shared = this.#sharedUntil(last);
    const first = replacement === null ? last + 1 : lowestNumber(replacement);
    const left = this.top;
    const top = this.#ownLayer(first);
    if (stored !== null) top.storage?.remove(stored, null);
    if (replacement !== null) finish(top.append(replacement, replacement.block));
    this.shared = shared;
    this.top = top;
    this.#left.push({ layer: left, entries });
  }

  #sharedUntil(last: number): SharedBlocks | null {
    if (last >= this.top.first) return SharedBlocks.of(this.top, last, this.shared);
    return this.shared?.until(last) ?? null;
  }

  /** Closes the storage unless other chains read it, and frees the own blocks. No read may follow. */
  async close(slice: TimeSlice = new TimeSlice()): Promise<void> {
    const layers = [this.top, ...(this.shared?.layers() ?? [])];
    this.leave();
    if (this.top.readByOthers < this.top.first) await this.top.storage?.close();
    for (const layer of layers) await runTask(layer.trim(), slice);
  }
}
