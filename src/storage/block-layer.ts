import type { Block } from '../protocol/block.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { WorldState } from '../state/world-state.ts';
import { BlockIndex, type BlockIndexItem, type BlockSummary } from './block-index.ts';
import type { LogMarks } from './block-index-store.ts';
import { type BlockAndRange, BlockStorage, type TransactionPosition } from './block-storage.ts';
import { MemoryStore } from './key-value-store.ts';
import { LogIndex, type LogsInBlock } from './log-index.ts';
import type { LogCriteria, LogRecord } from './log-record.ts';
import type { ReservedRange } from './reserved-range.ts';
import { type ChainEntry, lowestOf, rangesOf } from './reserved-range.ts';

const RECENT_BLOCKS = 256;

function summaryOf(block: Block, state: WorldState): BlockSummary {
  const hasLogs = block.receipts.some((receipt) => receipt.logs.length > 0);
  return { hash: block.hash, state, logsBloom: hasLogs ? block.header.logsBloom : null };
}

/**
 * Blocks that follow each other, from one with any number on, with all that is known of them. One chain adds to a layer
 * and takes away from it at its end; others can read it up to the block that was its last when they were made.
 */
export class BlockLayer {
  readonly #ruleSet: RuleSet;
  #storage: BlockStorage | null;
  readonly #line: BlockIndex;
  /** Its blocks are the places of the line. */
  readonly #logs = new LogIndex();
  /** The blocks taken in or read last, by number, so that the hot path decodes nothing. */
  readonly #recent = new Map<number, Block>();
  #readByOthers: number;

  /**
   * A layer without blocks whose first one is to have that number. Without a storage it opens one in memory with its
   * first block.
   */
  constructor(first: number, ruleSet: RuleSet, storage: BlockStorage | null = null) {
    this.#line = new BlockIndex(first);
    this.#ruleSet = ruleSet;
    this.#storage = storage;
    this.#readByOthers = first - 1;
  }

  /** The number of the lowest block, which need not be there yet. */
  get first(): number {
    return this.#line.first;
  }

  get isEmpty(): boolean {
    return this.#line.length === 0;
  }

  /** The storage, `null` as long as nothing was to be stored. */
  get storage(): BlockStorage | null {
    return this.#storage;
  }

  /** The highest block that others read; below the first one when nobody does. */
  get readByOthers(): number {
    return this.#readByOthers;
  }

  /** Takes note that from now on others read the blocks up to that number: these must stay as they are. */
  share(last: number): void {
    this.#readByOthers = Math.max(this.#readByOthers, last);
  }

  /** Writes the block, and the range below it, to storage and puts them at the end. */
  append(block: Block, state: WorldState, range: ReservedRange | null = null): void {
    this.#storage ??= new BlockStorage(new MemoryStore(), this.#ruleSet);
    this.#storage.append(block, state, range);
    this.take(block, state, range);
  }

  /** Puts what storage had of a block, or a range, at the end. */
  restore(entry: BlockIndexItem, logs: readonly LogMarks[]): void {
    this.#line.push(entry);
    this.#logs.appendLogs(logs);
  }

  /** Puts a block that storage has, and the range below it, at the end. */
  take(block: Block, state: WorldState, range: ReservedRange | null = null): void {
    if (range !== null) {
      this.#line.push(range);
      this.#logs.append(range.block(range.first));
    }
    this.#line.push(summaryOf(block, state));
    this.#logs.append(block);
    this.#remember(block);
  }

  /**
   * Takes the blocks above `last`, which must not be within a range, out of storage and away from the end. `removed` is
   * what stands there, highest first. What comes in its place is written to storage; it is the caller's to take it in.
   */
  truncate(last: number, removed: readonly ChainEntry[], replacement: BlockAndRange | null): void {
    const blocks = removed.map(lowestOf);
    this.#storage?.remove({ blocks, ranges: rangesOf(removed), replacement });
    this.#line.truncate(this.#line.placeOf(last + 1));
    this.#logs.remove(blocks);
    for (const number of this.#recent.keys()) if (number > last) this.#recent.delete(number);
  }

  #remember(block: Block): void {
    this.#recent.set(block.header.number, block);
    if (this.#recent.size <= RECENT_BLOCKS) return;
    const [oldest] = this.#recent.keys();
    if (oldest !== undefined) this.#recent.delete(oldest);
  }

  /** What is at hand of the block with that number, or `undefined`. */
  summary(number: number): BlockSummary | undefined {
    return this.#line.summary(number);
  }

  /** The range of reserved blocks that the block with that number is in, or `undefined`. */
  rangeAt(number: number): ReservedRange | undefined {
    return this.#line.rangeAt(number);
  }

  /** Puts another state in the place of that after a block. Throws a `RangeError` for one that is reserved or not there. */
  replaceState(number: number, state: WorldState): void {
    this.#line.replaceState(number, state);
    this.#storage?.replaceState(number, state);
  }

  /** The block with that number, which must be there. */
  block(number: number): Block | undefined {
    const recent = this.#recent.get(number);
    if (recent !== undefined) return recent;
    const block = this.rangeAt(number)?.block(number) ?? this.#storage?.block(number);
    if (block !== undefined) this.#remember(block);
    return block;
  }

  /** The entries of the blocks with the numbers `from` to `to`, neither of them within a range but at its ends. */
  *entries(from: number, to: number): Generator<ChainEntry, void, undefined> {
    for (let number = from; number <= to; number++) {
      const range = this.rangeAt(number);
      if (range !== undefined) {
        yield { range };
        number = range.last;
        continue;
      }
      const block = this.block(number);
      const summary = this.summary(number);
      if (block !== undefined && summary !== undefined) yield { block, state: summary.state };
    }
  }

  /** As `LogIndex.find`, by the numbers of the blocks, for those from `from` to `to`. */
  *findLogs(criteria: LogCriteria, from: number, to: number): Generator<LogsInBlock, void, undefined> {
    const line = this.#line;
    for (const found of this.#logs.find(criteria, line.placeOf(from), line.placeOf(to)) ?? []) {
      yield { number: line.numberAt(found.number), logIndexes: found.logIndexes };
    }
  }

  /** The logs of the block with that number, or `undefined`. */
  logs(number: number): LogRecord | undefined {
    return this.#storage?.logs(number);
  }

  /** The number of the block with that hash that is not reserved, or `undefined`. */
  numberOf(hash: Uint8Array): number | undefined {
    return this.#storage?.numberOf(hash);
  }

  /** Where the transaction stands in the blocks up to `last`, the highest place of more than one, or `undefined`. */
  positionOf(transactionHash: Uint8Array, last: number): TransactionPosition | undefined {
    return this.#storage?.positionOf(transactionHash, last);
  }
}
