/** A chain's blocks as a line of cells, together with side blocks and removed blocks. */

import { equalBytes } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import type { Steps } from '../../primitives/steps.ts';
import type { Block } from '../../protocol/block.ts';
import type { CancelCheck } from '../../scheduling/cancel-check.ts';
import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import type { ChainCore } from '../chain-core.ts';

export interface BlockCell {
  readonly kind: 'block';
  readonly number: number;
  readonly hash: Uint8Array;
  readonly parentHash: Uint8Array;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly gasUsed: bigint;
  readonly gasLimit: bigint;
  readonly transactions: number;
  readonly failed: number;
}

/** A run of consecutive empty blocks. */
export interface EmptyCell {
  readonly kind: 'empty';
  readonly first: number;
  readonly last: number;
  /** Seconds since 1970, of the first and the last block. */
  readonly firstTimestamp: number;
  readonly lastTimestamp: number;
}

export type TimelineCell = BlockCell | EmptyCell;

/** A side block or a removed block. */
export interface SideCell extends BlockCell {
  /** `lost` to another block of its height, or `removed` from the chain by a revert. */
  readonly reason: 'lost' | 'removed';
}

export interface Timeline {
  /** Newest first. */
  readonly cells: readonly TimelineCell[];
  /** The highest block below the cells; `null` if they reach the first block. */
  readonly next: number | null;
  /** The number of blocks in the cells. A range of reserved blocks counts as one. */
  readonly looked: number;
  /** Newest first. */
  readonly side: readonly SideCell[];
}

/** Minimum number of consecutive empty blocks that are folded into one cell. */
const FOLDED_FROM = 6;

/** Maximum number of blocks that one request reads, including folded blocks. */
const MAX_LOOKED_AT = 20_000;

/** Maximum number of cached runs. The oldest are evicted. */
const MAX_RUNS = 64;

/** Maximum number of cached removed blocks. The oldest are evicted. */
const MAX_REMOVED = 256;

/** Work units per block. */
const BLOCK_WORK = 200;

function cellOf({ hash, header, receipts, transactions }: Block): BlockCell {
  const { number, parentHash, timestamp, gasUsed, gasLimit } = header;
  let failed = 0;
  for (const { succeeded } of receipts) if (!succeeded) failed++;
  return {
    kind: 'block',
    number,
    hash,
    parentHash,
    timestamp,
    gasUsed,
    gasLimit,
    transactions: transactions.length,
    failed,
  };
}

type NumberAndTime = Pick<BlockCell, 'number' | 'timestamp'>;

/** A cached run of empty blocks. The hash of its newest block identifies it. */
interface KnownRun {
  readonly cell: EmptyCell;
  readonly hash: Uint8Array;
}

/** Collects consecutive empty blocks from the top down. */
class EmptyRun {
  /** Used until the run is folded. */
  readonly #cells: BlockCell[] = [];
  #folded: KnownRun | undefined;

  get folded(): KnownRun | undefined {
    return this.#folded;
  }

  get cells(): readonly TimelineCell[] {
    return this.#folded === undefined ? this.#cells : [this.#folded.cell];
  }

  /** Adds the block below the run. */
  add(block: BlockCell): void {
    if (this.#folded === undefined) this.#cells.push(block);
    if (this.#folded !== undefined || this.#cells.length >= FOLDED_FROM)
      this.#fold({ cell: emptyCell(block, block), hash: block.hash });
  }

  /** Adds a cached run below the run. */
  join(run: KnownRun): void {
    this.#fold(run);
  }

  #fold({ cell, hash }: KnownRun): void {
    const [newest] = this.#cells;
    const { last, lastTimestamp } =
      this.#folded?.cell ?? (newest === undefined ? cell : emptyCell(newest, newest));
    this.#folded = {
      cell: { ...cell, last, lastTimestamp },
      hash: this.#folded?.hash ?? newest?.hash ?? hash,
    };
  }
}

export class ChainTimeline {
  readonly #core: ChainCore;
  /**
   * Recently read runs by the number of their newest block. A chain that mines on a timer has long runs, and
   * the explorer requests them with each block.
   */
  readonly #runs = new Map<number, KnownRun>();
  /** By hash, in order of removal. */
  readonly #removed = new Map<string, BlockCell>();

  constructor(core: ChainCore) {
    this.#core = core;
    core.events.on('removed', (blocks, successors) => {
      if (successors !== 'same blocks') this.#remember(blocks);
    });
  }

  /** Keeps the lowest blocks, because they are next to the chain. */
  #remember(blocks: readonly Block[]): void {
    const kept = blocks.slice(-MAX_REMOVED);
    for (const block of kept.reverse()) this.#removed.set(hexKey(block.hash), cellOf(block));
    for (const key of this.#removed.keys()) {
      if (this.#removed.size <= MAX_REMOVED) break;
      this.#removed.delete(key);
    }
  }

  /**
   * Resolves to at most `count` cells from block `from` downwards, with side blocks and removed blocks. A run
   * of empty blocks is one cell. Rejects with any error of `checkCancelled`.
   */
  async read(from: number, count: number, checkCancelled: CancelCheck): Promise<Timeline> {
    return runTask(this.#read(from, count), new TimeSlice(checkCancelled));
  }

  *#read(from: number, count: number): Steps<Timeline> {
    const { blockchain } = this.#core;
    const cells: TimelineCell[] = [];
    let run = new EmptyRun();
    let number = Math.min(from, blockchain.head.block.header.number);
    // A removed branch can be higher than the present head.
    const highest = from < blockchain.head.block.header.number ? from : Number.POSITIVE_INFINITY;
    let looked = 0;
    const endRun = (): void => {
      cells.push(...run.cells);
      this.#know(run);
      run = new EmptyRun();
    };
    // The chain can prune blocks during a yield.
    while (number >= blockchain.first && looked < MAX_LOOKED_AT) {
      const isFull = cells.length + run.cells.length >= count;
      const range = blockchain.rangeAt(number);
      if (range !== undefined) {
        endRun();
        if (cells.length >= count) break;
        const below = Math.max(blockchain.first, range.first);
        cells.push(emptyCell(range.block(below).header, range.block(number).header));
        number = below - 1;
        looked++;
        continue;
      }
      // Read one by one, the blocks would be folded too.
      const isFolding = run.folded !== undefined || cells.length + FOLDED_FROM <= count;
      const known = isFolding ? this.#knownRun(number) : undefined;
      if (known !== undefined) {
        run.join(known);
        looked += known.cell.last - known.cell.first + 1;
        number = known.cell.first - 1;
        continue;
      }
      const block = blockchain.block(number);
      // The chain became shorter during a yield.
      if (block === undefined) {
        number = blockchain.head.block.header.number;
        continue;
      }
      const cell = cellOf(block);
      const isEmpty = cell.transactions === 0;
      if (isFull && !(isEmpty && run.folded !== undefined)) break;
      if (!isEmpty) endRun();
      if (isEmpty) run.add(cell);
      else cells.push(cell);
      number--;
      looked++;
      yield BLOCK_WORK + cell.transactions;
    }
    endRun();
    const side = this.#side(number + 1, highest);
    return { cells, next: number < blockchain.first ? null : number, looked, side };
  }

  /** Returns the cached run whose newest block is the canonical block with this number. */
  #knownRun(number: number): KnownRun | undefined {
    const { blockchain } = this.#core;
    const known = this.#runs.get(number);
    if (
      known === undefined ||
      number > blockchain.head.block.header.number ||
      known.cell.first < blockchain.first
    )
      return undefined;
    return equalBytes(blockchain.summary(number).hash, known.hash) ? known : undefined;
  }

  #know({ folded }: EmptyRun): void {
    if (folded === undefined) return;
    const { first, last } = folded.cell;
    for (const [number, { cell }] of this.#runs)
      if (cell.first === first && cell.last < last) this.#runs.delete(number);
    this.#runs.set(last, folded);
    for (const number of this.#runs.keys()) {
      if (this.#runs.size <= MAX_RUNS) break;
      this.#runs.delete(number);
    }
  }

  #side(lowest: number, highest: number): SideCell[] {
    const { blockchain, sideBlocks } = this.#core;
    const isBeside = ({ number, hash }: BlockCell): boolean => {
      if (number < lowest || number > highest) return false;
      return (
        number > blockchain.head.block.header.number || !equalBytes(blockchain.summary(number).hash, hash)
      );
    };
    const lost = sideBlocks.all.map(({ block }): SideCell => ({ ...cellOf(block), reason: 'lost' }));
    const removed = Array.from(this.#removed.values())
      .filter(({ hash }) => sideBlocks.get(hash) === undefined)
      .map((cell): SideCell => ({ ...cell, reason: 'removed' }));
    return [...removed, ...lost].filter(isBeside).reverse();
  }
}

function emptyCell(first: NumberAndTime, last: NumberAndTime): EmptyCell {
  return {
    kind: 'empty',
    first: first.number,
    last: last.number,
    firstTimestamp: first.timestamp,
    lastTimestamp: last.timestamp,
  };
}
