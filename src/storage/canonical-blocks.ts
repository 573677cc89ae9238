import type { Block } from '../protocol/block.ts';
import type { WorldState } from '../state/world-state.ts';
import type { BlockSummary } from './block-index.ts';
import type { BlockLayer } from './block-layer.ts';
import type { TransactionPosition } from './block-storage.ts';
import { type ChainEntry, type EmptyBlockRange, reservedNumber } from './empty-block-range.ts';
import type { BloomTest, LogCriteria } from './log-criteria.ts';
import type { LogsInBlock } from './log-index.ts';
import type { LogRecord } from './log-record.ts';
import type { SharedBlocks } from './shared-blocks.ts';

/** The highest block and the state after it. The block is never a reserved one. */
export interface ChainHead {
  readonly block: Block;
  /** Differs from the state of the header if a client changed it. */
  readonly state: WorldState;
}

/**
 * Read access to the blocks of a chain and to the state after each: blocks shared with other chains, and an
 * own layer on top. The subclass changes them.
 */
export abstract class CanonicalBlocks {
  #shared: SharedBlocks | null = null;
  #top: BlockLayer;
  #hasLeft = false;
  /** A new object for each change, so that readers can compare heads by identity. */
  readonly head: ChainHead;
  /** The number of the oldest readable block after pruning; 0 before. */
  protected oldest = 0;
  /** The number of the first block before pruning. */
  protected origin = 0;
  /** The timestamp of the first block before pruning (seconds since 1970). */
  protected originTimestamp = 0;

  protected constructor(shared: SharedBlocks | null, top: BlockLayer, head: ChainHead) {
    this.shared = shared;
    this.#top = top;
    this.head = head;
  }

  protected setHead(block: Block, state: WorldState): void {
    // The field is read-only for all other code.
    (this as { head: ChainHead }).head = { block, state };
  }

  /** The blocks below the top layer, or `null`. Their layers keep them while they are set here. */
  protected get shared(): SharedBlocks | null {
    return this.#shared;
  }

  protected set shared(blocks: SharedBlocks | null) {
    if (blocks === this.#shared) return;
    blocks?.share();
    this.#shared?.release();
    this.#shared = blocks;
  }

  /** Ends all reads of this chain, so that other chains can change or remove the blocks. */
  protected leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#shared?.release();
    this.#top.abandon();
  }

  /** The layer that only this chain appends to. */
  protected get top(): BlockLayer {
    return this.#top;
  }

  protected set top(layer: BlockLayer) {
    this.#top.abandon();
    this.#top = layer;
  }

  /** Like {@link BlockLayer.findLogs} for the blocks `from` to `to`. */
  *findLogs(
    criteria: LogCriteria,
    mayMatch: BloomTest,
    from: number,
    to: number,
  ): Generator<LogsInBlock | null, void, undefined> {
    const top = this.top;
    if (this.shared !== null && from < top.first) yield* this.shared.findLogs(criteria, mayMatch, from, to);
    if (to >= top.first) yield* top.findLogs(criteria, mayMatch, Math.max(from, top.first), to);
  }

  /** The number of the oldest block that is not pruned. */
  get first(): number {
    return Math.max(this.oldest, this.lowest);
  }

  /** The timestamp of the first block, even if it is pruned (seconds since 1970). */
  get firstTimestamp(): number {
    return this.oldest === 0 ? this.existing(this.lowest).header.timestamp : this.originTimestamp;
  }

  /** The number of the lowest stored block. Hashes and states of pruned blocks are needed for a while. */
  get lowest(): number {
    return this.shared?.first ?? this.top.first;
  }

  /** True for the number of a pruned block. */
  isPruned(number: number): boolean {
    return this.oldest > 0 && number < this.first && number >= this.origin;
  }

  /**
   * Returns the entries from a number (default: the first block). A range must start there or above. The last
   * entry is never a range.
   */
  entries(from = this.first): Iterable<ChainEntry> {
    const { shared, top } = this;
    if (shared === null || from >= top.first)
      return top.entries(Math.max(from, top.first), this.head.block.header.number);
    return this.#entriesOfAll(shared, from);
  }

  *#entriesOfAll(shared: SharedBlocks, from: number): Generator<ChainEntry, void, undefined> {
    yield* shared.entries(from);
    yield* this.top.entries(this.top.first, this.head.block.header.number);
  }

  /** Returns the range that contains the block, or `undefined`. */
  rangeAt(number: number): EmptyBlockRange | undefined {
    return (number >= this.top.first ? this.top : this.shared)?.rangeAt(number);
  }

  /** Yields the numbers of ordinary blocks from `from` to `to` (inclusive), up to the head. */
  *unreserved(from: number, to: number): Generator<number, void, undefined> {
    const last = Math.min(to, this.head.block.header.number);
    for (let number = Math.max(from, this.first); number <= last; number++) {
      const range = this.rangeAt(number);
      if (range === undefined) yield number;
      else number = range.last;
    }
  }

  /** Reads pruned blocks too if they are still stored. Throws a `RangeError` for a missing block. */
  summary(number: number): BlockSummary {
    const summary = (number >= this.top.first ? this.top : this.shared)?.summary(number);
    if (summary === undefined) throw new RangeError(`there is no block ${number}`);
    return summary;
  }

  /** Reads pruned blocks too if they are still stored. Throws a `RangeError` for a missing block. */
  state(number: number): WorldState {
    if (number === this.head.block.header.number) return this.head.state;
    const state = (number >= this.top.first ? this.top : this.shared)?.state(number);
    if (state === undefined) throw new RangeError(`there is no block ${number}`);
    return state;
  }

  /** True if the state after the block is known to equal the state before it. Not for the first block. */
  isUnchanged(number: number): boolean {
    if (number > this.top.first) return this.top.isUnchanged(number);
    return number < this.top.first && this.shared?.isUnchanged(number) === true;
  }

  /** Returns the block, or `undefined` if it is missing or pruned. */
  block(number: number): Block | undefined {
    return number < this.oldest ? undefined : this.ancestor(number);
  }

  /** Like {@link block}, but also reads pruned blocks that are still stored. Used for rules on ancestors. */
  ancestor(number: number): Block | undefined {
    const { block } = this.head;
    if (number === block.header.number) return block;
    if (number > block.header.number) return undefined;
    return (number >= this.top.first ? this.top : this.shared)?.block(number);
  }

  /** Throws a `RangeError` for a missing block. */
  protected existing(number: number): Block {
    const block = this.block(number);
    if (block === undefined) throw new RangeError(`there is no block ${number}`);
    return block;
  }

  /** Returns the logs of the block; `undefined` if it has no logs, is reserved or missing. */
  logs(number: number): LogRecord | undefined {
    const layer = number >= this.top.first ? this.top : this.shared?.layerOf(number);
    return layer?.logs(number);
  }

  blockByHash(hash: Uint8Array): Block | undefined {
    const number = this.top.numberOf(hash) ?? this.shared?.numberOf(hash) ?? this.#reservedNumber(hash);
    return number === undefined ? undefined : this.block(number);
  }

  #reservedNumber(hash: Uint8Array): number | undefined {
    const number = Number(reservedNumber(hash));
    return this.rangeAt(number)?.isHashOf(hash, number) === true ? number : undefined;
  }

  /** Returns the position of a mined transaction, or `undefined`. */
  positionOf(transactionHash: Uint8Array): TransactionPosition | undefined {
    const inTop = this.top.positionOf(transactionHash, this.head.block.header.number);
    const position = inTop ?? this.shared?.positionOf(transactionHash);
    return position !== undefined && position.number < this.oldest ? undefined : position;
  }
}
