import type { Block } from '../rules/block.ts';
import type { WorldState } from '../state/world-state.ts';
import { BlockLine, type BlockSummary } from './block-line.ts';
import type { BlockAndRange, BlockStorage, TransactionPosition } from './block-storage.ts';
import type { LocatedLog } from './located-log.ts';
import type { LogCriteria } from './log-criteria.ts';
import { LogIndex, type LogsInBlock } from './log-index.ts';
import { reservedNumber } from './reserved-hash.ts';
import { ReservedRange } from './reserved-range.ts';

/** What a chain is put together of: a block and the state after it, or a range of reserved blocks. */
export type ChainEntry =
  | { readonly block: Block; readonly state: WorldState }
  | { readonly range: ReservedRange };

const RECENT_BLOCKS = 256;

function summaryOf(block: Block, state: WorldState): BlockSummary {
  const hasLogs = block.receipts.some((receipt) => receipt.logs.length > 0);
  return { hash: block.hash, state, logsBloom: hasLogs ? block.header.logsBloom : null };
}

/** What stays of a range when the blocks above `number`, which is in it, go. */
function restOf(range: ReservedRange, number: number): BlockAndRange {
  return { range: number === range.first ? null : range.until(number - 1), block: range.block(number) };
}

/** The lowest block of an entry: all that matters of a range that goes. */
function lowestOf(entry: ChainEntry): Block {
  return 'block' in entry ? entry.block : entry.range.block(entry.range.first);
}

/**
 * The canonical chain: sealed blocks in order, each with the state after it. A long run of empty ones can be a range of
 * reserved blocks, which are made when they are asked for; who reads need not know. The head is always a block by itself.
 */
export class Blockchain {
  /** Where the logs of all blocks are. */
  readonly logIndex = {
    /** As `LogIndex.find` for the blocks `from` to `to`. */
    find: (criteria: LogCriteria, from: number, to: number): Iterable<LogsInBlock> | null => {
      const found = this.#logs.find(criteria, this.#line.placeOf(from), this.#line.placeOf(to));
      return found === null ? null : this.#byNumber(found);
    },
  };
  readonly #storage: BlockStorage;
  readonly #line = new BlockLine();
  /** Its block numbers are places in the line. */
  readonly #logs = new LogIndex();
  /** The blocks taken in last, by number, so that the hot path decodes nothing. */
  readonly #recent = new Map<number, Block>();
  #head: Block;

  private constructor(storage: BlockStorage, genesis: Block, state: WorldState) {
    this.#storage = storage;
    this.#head = genesis;
    this.#take(genesis, state);
  }

  /** A chain that has only its first block, written to `storage`. */
  static async create(storage: BlockStorage, genesis: Block, state: WorldState): Promise<Blockchain> {
    await storage.append(genesis);
    return new Blockchain(storage, genesis, state);
  }

  #take(block: Block, state: WorldState): void {
    this.#line.push(summaryOf(block, state));
    this.#logs.append(block);
    this.#remember(block);
    this.#head = block;
  }

  #takeRange(range: ReservedRange): void {
    this.#line.push(range);
    this.#logs.append(range.block(range.first));
  }

  *#byNumber(found: Iterable<LogsInBlock>): Generator<LogsInBlock, void, undefined> {
    for (const { number, logIndexes } of found) yield { number: this.#line.numberAt(number), logIndexes };
  }

  #remember(block: Block): void {
    this.#recent.set(block.header.number, block);
    if (this.#recent.size <= RECENT_BLOCKS) return;
    const [oldest] = this.#recent.keys();
    if (oldest !== undefined) this.#recent.delete(oldest);
  }

  /** The highest block. */
  get head(): Block {
    return this.#head;
  }

  /** The state after the highest block. */
  get headState(): WorldState {
    return this.summary(this.#head.header.number).state;
  }

  /** Puts the block on top of the head. Storage has it when the promise resolves. */
  async append(block: Block, state: WorldState): Promise<void> {
    await this.#storage.append(block);
    this.#take(block, state);
  }

  /** Puts the range on top of the head and the block on top of that. Storage has both when the promise resolves. */
  async appendAbove(range: ReservedRange, block: Block, state: WorldState): Promise<void> {
    await this.#storage.append(block, range);
    this.#takeRange(range);
    this.#take(block, state);
  }

  /** Puts another state in the place of that after the highest block, whose header stays what it is. */
  replaceHeadState(state: WorldState): void {
    this.replaceState(this.#head.header.number, state);
  }

  /** Puts another state in the place of that after a block. Throws a `RangeError` for one that is reserved or not there. */
  replaceState(number: number, state: WorldState): void {
    this.#line.replaceState(number, state);
  }

  /** Begins anew with another first block; the blocks there were come back as from {@link rewind}. */
  async restart(genesis: Block, state: WorldState): Promise<readonly Block[]> {
    const removed = await this.#replaceFrom(0, { range: null, block: genesis });
    this.#take(genesis, state);
    return removed;
  }

  /** Takes the blocks above `number` away; they come back highest first, of a range of reserved ones only the lowest. */
  async rewind(number: number): Promise<readonly Block[]> {
    if (number >= this.#head.header.number) return [];
    const place = this.#line.placeOf(number);
    const range = this.rangeAt(number);
    if (range === undefined) {
      const removed = await this.#replaceFrom(place + 1, null);
      this.#head = this.#existing(number);
      return removed;
    }
    const rest = restOf(range, number);
    const removed = await this.#replaceFrom(place, rest);
    if (rest.range !== null) this.#takeRange(rest.range);
    this.#take(rest.block, range.state);
    const ofRange = number === range.last ? [] : [range.block(number + 1)];
    return [...removed.slice(0, -1), ...ofRange];
  }

  /**
   * Takes away what stands in the line from a place on, highest first. What comes in its place is written to storage; it
   * is the caller's to put it into the line.
   */
  async #replaceFrom(place: number, replacement: BlockAndRange | null): Promise<Block[]> {
    const entries = Array.from(this.#entries(place)).reverse();
    const removed = entries.map(lowestOf);
    const ranges = entries.flatMap((entry) => ('range' in entry ? [entry.range] : []));
    await this.#storage.remove({ blocks: removed, ranges, replacement });
    const end = this.#line.numberAt(place);
    this.#line.truncate(place);
    this.#logs.remove(removed);
    for (const number of this.#recent.keys()) if (number >= end) this.#recent.delete(number);
    return removed;
  }

  *#entries(place: number): Generator<ChainEntry, void, undefined> {
    for (let at = place; at < this.#line.length; at++) {
      const entry = this.#line.at(at);
      if (entry instanceof ReservedRange) yield { range: entry };
      else if (entry !== undefined)
        yield { block: this.#existing(this.#line.numberAt(at)), state: entry.state };
    }
  }

  /** What the chain is put together of, from the first block on. A range never comes last. */
  entries(): Iterable<ChainEntry> {
    return this.#entries(0);
  }

  /** The range of reserved blocks that the block with that number is in, or `undefined`. */
  rangeAt(number: number): ReservedRange | undefined {
    return this.#line.rangeAt(number);
  }

  /** The numbers from `from` to `to`, both included, of the blocks that are not reserved. Beyond the head there are none. */
  *unreserved(from: number, to: number): Generator<number, void, undefined> {
    const last = Math.min(to, this.#head.header.number);
    for (let number = from; number <= last; number++) {
      const range = this.rangeAt(number);
      if (range === undefined) yield number;
      else number = range.last;
    }
  }

  /** What is at hand of the block with that number. Throws a `RangeError` beyond the head. */
  summary(number: number): BlockSummary {
    const summary = this.#line.summary(number);
    if (summary === undefined) throw new RangeError(`there is no block ${number}`);
    return summary;
  }

  /** The block with that number, or `undefined`. */
  block(number: number): Block | undefined {
    const recent = this.#recent.get(number);
    if (recent !== undefined || number < 0 || number > this.#head.header.number) return recent;
    const block = this.rangeAt(number)?.block(number) ?? this.#storage.block(number);
    if (block !== undefined) this.#remember(block);
    return block;
  }

  #existing(number: number): Block {
    const block = this.block(number);
    if (block === undefined) throw new RangeError(`there is no block ${number}`);
    return block;
  }

  /**
   * The logs of a block at these positions in it (ascending), or all of them for `null`. Throws a `RangeError` beyond
   * the head.
   */
  logs(number: number, positions: readonly number[] | null): LocatedLog[] {
    const { hash: blockHash } = this.summary(number);
    const logs = this.#storage.logs(number, positions) ?? [];
    return logs.map(({ log, transactionHash, transactionIndex, logIndex }) => ({
      log,
      blockNumber: number,
      blockHash,
      transactionHash,
      transactionIndex,
      logIndex,
      removed: false,
    }));
  }

  /** The block with that hash, or `undefined`. */
  blockByHash(hash: Uint8Array): Block | undefined {
    const number = this.#storage.numberOf(hash) ?? this.#reservedNumber(hash);
    return number === undefined ? undefined : this.block(number);
  }

  #reservedNumber(hash: Uint8Array): number | undefined {
    const number = Number(reservedNumber(hash));
    return this.rangeAt(number)?.isHashOf(hash, number) === true ? number : undefined;
  }

  /** Where a mined transaction stands, or `undefined`. */
  positionOf(transactionHash: Uint8Array): TransactionPosition | undefined {
    return this.#storage.positionOf(transactionHash);
  }

  /** Closes the storage. */
  close(): Promise<void> {
    return this.#storage.close();
  }
}
