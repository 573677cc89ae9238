// The filters of `eth_newFilter` and related methods, which clients poll for changes.

import { bytesToBigInt } from '../../primitives/bytes.ts';
import type { Steps } from '../../primitives/steps.ts';
import { type Block, logCountOf } from '../../protocol/block.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import type { LogCriteria } from '../../storage/log-criteria.ts';
import { type FoundLogs, lookForLogs, lookInBlock } from '../../storage/log-search.ts';
import type { LocatedLog } from '../../wire/log.ts';
import type { BlockSelector } from '../block-selector.ts';
import type { ChainCore } from '../chain-core.ts';
import { FilterNotFoundError } from '../errors.ts';
import { depthOf, numberBelowHead } from '../final-blocks.ts';
import type { ChainOptions } from '../settings/chain-options.ts';

/** The inclusive block range and the criteria of a log filter. */
export interface LogRange extends LogCriteria {
  readonly fromBlock: BlockSelector;
  readonly toBlock: BlockSelector;
}

/** Returns the number of a range end; `null` if it follows the head. */
export function fixedNumber(end: BlockSelector): number | null {
  if ('number' in end) return Number(end.number);
  return 'tag' in end && end.tag === 'earliest' ? 0 : null;
}

/** Returns the index of the first block below `number`. `blocks` are sorted, highest first. */
function firstBelow(blocks: readonly Block[], number: number): number {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((blocks[middle]?.header.number ?? number) < number) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Blocks of the forked chain, inclusive. */
export interface InsertedRange {
  readonly from: number;
  readonly to: number;
}

/** The logs of one poll: removed logs first, each removal from its oldest block. */
export interface LogChanges {
  /** True if reported logs left the chain. */
  readonly hasRemoved: boolean;
  /** The logs of each removed block, searched lazily. */
  readonly removed: Iterable<readonly LocatedLog[]>;
  readonly found: readonly FoundLogs[];
}

/** Work units per block, and per matching log. */
const BLOCK_WORK = 128;
const LOG_WORK = 64;

function* removedLogs(
  blocks: readonly (readonly Block[])[],
  criteria: LogCriteria,
): Generator<readonly LocatedLog[], void, undefined> {
  for (const part of blocks) for (const block of part.toReversed()) yield* lookInBlock(block, criteria, true);
}

/**
 * Reports the logs of new blocks in its range, and the logs of removed blocks. It stores a position and no
 * logs, so mining costs nothing.
 */
class LogFilter {
  readonly range: LogRange;
  readonly #core: FilteredCore;
  readonly #blockchain: Blockchain;
  readonly #first: number | null;
  /** `null` for a range that follows the head at the depth below. */
  readonly #last: number | null;
  readonly #depth: number;
  /** The lowest block whose removal matters, because no earlier logs were reported. */
  #origin: number;
  /** The first block whose logs were not reported. */
  #next: number;
  /** The removed blocks whose logs were reported, by removal. */
  #removed: (readonly Block[])[] = [];
  /** The first inserted block of the forked chain whose logs were not reported; `null` without one. */
  #firstInserted: number | null = null;
  /** Counts changes that invalidate a running search. */
  #changes = 0;

  constructor(core: FilteredCore, range: LogRange) {
    const { blockchain } = core;
    this.range = range;
    this.#core = core;
    this.#blockchain = blockchain;
    this.#last = fixedNumber(range.toBlock);
    this.#depth = depthOf(range.toBlock, core);
    this.#next = (this.#depth === 0 ? blockchain.head.block.header.number : this.#reached) + 1;
    const firstDepth = depthOf(range.fromBlock, core);
    this.#first =
      fixedNumber(range.fromBlock) ?? (firstDepth === 0 ? null : numberBelowHead(core, firstDepth));
    this.#origin = this.#first ?? this.#next;
  }

  /** The last block of the range, at most the head. */
  get #reached(): number {
    const head = this.#blockchain.head.block.header.number;
    return this.#last === null ? numberBelowHead(this.#core, this.#depth) : Math.min(this.#last, head);
  }

  /** The inserted blocks of the forked chain whose logs were not reported; `null` without any. */
  get inserted(): InsertedRange | null {
    if (this.#firstInserted === null) return null;
    const from = Math.max(this.#firstInserted, this.#first ?? 0);
    const to = Math.min(this.#blockchain.lowest, this.#reached);
    return from > to ? null : { from, to };
  }

  /**
   * Returns the removed and new logs since the last call, without logs of {@link inserted} blocks. These blocks
   * count as reported up to `reported`. Yields during a long search. If blocks are removed or another call takes the
   * logs meanwhile, the search restarts, so that each log is reported once.
   */
  *take(reported: number | null): Steps<LogChanges> {
    for (;;) {
      const last = this.#reached;
      const found = yield* this.#search(last);
      if (found === null) continue;
      const hasRemoved = this.#removed.length > 0;
      const removed = removedLogs(this.#removed, this.range);
      this.#removed = [];
      this.#next = Math.max(this.#next, last + 1);
      if (reported !== null) this.#reportInserted(reported);
      this.#changes++;
      return { hasRemoved, removed, found };
    }
  }

  #reportInserted(last: number): void {
    if (this.#firstInserted === null) return;
    this.#firstInserted = last < this.#blockchain.lowest ? last + 1 : null;
  }

  /** Returns the unreported logs up to a block; `null` if the filter changed meanwhile. */
  *#search(toBlock: number): Steps<readonly FoundLogs[] | null> {
    const changes = this.#changes;
    const fromBlock = Math.max(this.#next, this.#first ?? 0);
    const found: FoundLogs[] = [];
    for (const ofBlock of lookForLogs(this.#blockchain, { ...this.range, fromBlock, toBlock })) {
      if (ofBlock !== null) found.push(ofBlock);
      const hasPaused = yield BLOCK_WORK + LOG_WORK * (ofBlock?.logIndexes.length ?? 0);
      if (hasPaused === true && this.#changes !== changes) return null;
    }
    return found;
  }

  /** Called if blocks of the forked chain from the number `first` are inserted below the local blocks. */
  onInserted(first: number): void {
    this.#changes++;
    this.#firstInserted = Math.min(this.#firstInserted ?? first, first);
  }

  /** Called if the chain returns to an earlier state. Inserted blocks up to its first block stay. */
  onReverted(): void {
    const first = this.#firstInserted;
    this.#firstInserted = first !== null && first <= this.#blockchain.lowest ? first : null;
  }

  /**
   * Called if blocks down to the number `lowest` are removed. Their reported logs are reported again as
   * removed. `withLogs` are the removed blocks with logs, highest first. The search runs at the next poll,
   * because there may be many filters and many blocks.
   */
  onRemoved(withLogs: readonly Block[], lowest: number): void {
    this.#changes++;
    const start = firstBelow(withLogs, Math.min(this.#next, (this.#last ?? Number.POSITIVE_INFINITY) + 1));
    const end = firstBelow(withLogs, this.#origin);
    if (start < end) this.#removed.push(withLogs.slice(start, end));
    this.#next = Math.min(this.#next, lowest);
    if (this.#first === null) this.#origin = Math.min(this.#origin, lowest);
  }
}

/** Maximum number of unreported inserted blocks, so that a filter that is never polled stays small. */
const MAX_INSERTED = 1_024;

/** Reports hashes of new blocks except reserved ones, so the result stays short after bulk mining. */
class BlockFilter {
  readonly #blockchain: Blockchain;
  /** The first block that was not reported. */
  #next: number;
  /** Inserted blocks of the forked chain that were not reported, lowest first. */
  #inserted: readonly Block[] = [];

  constructor(blockchain: Blockchain) {
    this.#blockchain = blockchain;
    this.#next = blockchain.head.block.header.number + 1;
  }

  /** Returns the hashes of the blocks since the last {@link take}, without marking them as reported. */
  peek(): Uint8Array[] {
    const blockchain = this.#blockchain;
    const inserted = this.#inserted;
    const first = Math.max(this.#next, (inserted.at(-1)?.header.number ?? -1) + 1);
    const numbers = blockchain.unreserved(first, blockchain.head.block.header.number);
    return [
      ...inserted.map(({ hash }) => hash),
      ...Array.from(numbers, (number) => blockchain.summary(number).hash),
    ];
  }

  /** Returns the hashes of the blocks since the last call. */
  take(): Uint8Array[] {
    const hashes = this.peek();
    this.#inserted = [];
    this.#next = Math.max(this.#next, this.#blockchain.head.block.header.number + 1);
    return hashes;
  }

  /** Called if blocks of the forked chain are inserted below the local blocks. */
  onInserted(blocks: readonly Block[]): void {
    const first = blocks[0]?.header.number ?? Number.POSITIVE_INFINITY;
    const kept = this.#inserted.filter(({ header }) => header.number < first);
    this.#inserted = [...kept, ...blocks].slice(-MAX_INSERTED);
  }

  /** Called if the chain returns to an earlier state. Inserted blocks up to its first block stay. */
  onReverted(): void {
    const { lowest } = this.#blockchain;
    this.#inserted = this.#inserted.filter(({ header }) => header.number <= lowest);
  }

  /** Called if blocks down to the number `lowest` are removed. Their replacements are reported. */
  onRemoved(lowest: number): void {
    this.#next = Math.min(this.#next, lowest);
  }
}

/** Reports the hashes of executable transactions that enter the pool. */
class PendingTransactionFilter {
  /** True if the filter returns transaction objects, not hashes. */
  readonly isFull: boolean;
  #hashes: Uint8Array[] = [];

  constructor(isFull: boolean) {
    this.isFull = isFull;
  }

  onPending(hash: Uint8Array): void {
    this.#hashes.push(hash);
  }

  /** Returns the hashes since the last {@link take}, without marking them as reported. */
  peek(): Uint8Array[] {
    return this.#hashes;
  }

  /** Returns the hashes since the last call. */
  take(): Uint8Array[] {
    const hashes = this.#hashes;
    this.#hashes = [];
    return hashes;
  }
}

/** New items of a filter. With `isFull`, the hashes stand for transaction objects. */
export type FilterItems = LogChanges | { readonly hashes: readonly Uint8Array[]; readonly isFull: boolean };

/** The content of a filter: a log range, or unreported hashes. */
export type FilterContent = { readonly range: LogRange } | { readonly hashes: readonly Uint8Array[] };

type Filter = LogFilter | BlockFilter | PendingTransactionFilter;

interface Installed {
  readonly filter: Filter;
  /** Milliseconds since 1970. */
  readonly usedAt: number;
}

const ID_SIZE = 16;

/** The fields of the core that filters use. */
type FilteredCore = Pick<ChainCore, 'blockchain' | 'events' | 'wallClock' | 'random' | 'fork'> & {
  readonly options: Pick<ChainOptions, 'filterTimeout' | 'slotsInAnEpoch'>;
};

/**
 * The filters of a chain's clients (service document, Filter). Snapshots do not contain filters. A revert
 * keeps them and notifies them.
 */
export class Filters {
  readonly #core: FilteredCore;
  /** By id, least recently used first. */
  readonly #installed = new Map<bigint, Installed>();

  constructor(core: FilteredCore) {
    this.#core = core;
    core.events.on('inserted', (blocks) => {
      const first = blocks[0]?.header.number;
      if (first === undefined) return;
      for (const { filter } of this.#installed.values()) {
        if (filter instanceof LogFilter) filter.onInserted(first);
        else if (filter instanceof BlockFilter) filter.onInserted(blocks);
      }
    });
    core.events.on('removed', (blocks, successors) => {
      if (this.#installed.size === 0) return;
      if (successors === 'none' || successors === 'restored')
        for (const { filter } of this.#installed.values())
          if (!(filter instanceof PendingTransactionFilter)) filter.onReverted();
      const { blockchain } = core;
      const above =
        successors === 'restored' ? blockchain.lowest + 1 : blockchain.head.block.header.number + 1;
      const lowest = Math.min(blocks.at(-1)?.header.number ?? above, above);
      const withLogs = blocks.filter((block) => logCountOf(block) > 0);
      for (const { filter } of this.#installed.values()) {
        if (filter instanceof LogFilter) filter.onRemoved(withLogs, lowest);
        else if (filter instanceof BlockFilter) filter.onRemoved(lowest);
      }
    });
    core.events.on('pendingTransaction', ({ hash }) => {
      // A filter that is never polled must not collect hashes forever.
      this.#dropIdle();
      for (const { filter } of this.#installed.values()) {
        if (filter instanceof PendingTransactionFilter) filter.onPending(hash);
      }
    });
  }

  /** Creates a filter of the logs in a range and returns its id. */
  addLogs(range: LogRange): bigint {
    return this.#add(new LogFilter(this.#core, range));
  }

  /** Creates a filter of new blocks and returns its id. */
  addBlocks(): bigint {
    return this.#add(new BlockFilter(this.#core.blockchain));
  }

  /** Creates a filter of new pending transactions and returns its id. */
  addPendingTransactions(isFull = false): bigint {
    return this.#add(new PendingTransactionFilter(isFull));
  }

  /**
   * Returns the blocks of the forked chain whose logs a log filter has not reported; `null` without any. Throws
   * {@link FilterNotFoundError}.
   */
  inserted(id: bigint): InsertedRange | null {
    const filter = this.#use(id);
    return filter instanceof LogFilter ? filter.inserted : null;
  }

  /**
   * Returns the items since the last call. Logs of {@link inserted} blocks are not included and count as reported
   * up to the block `reported` (`null`: none). A long search yields. Throws {@link FilterNotFoundError}.
   */
  *changes(id: bigint, reported: number | null = null): Steps<FilterItems> {
    const filter = this.#use(id);
    if (filter instanceof LogFilter) return yield* filter.take(reported);
    return { hashes: filter.take(), isFull: filter instanceof PendingTransactionFilter && filter.isFull };
  }

  /** Returns the content without marking it as reported. Throws {@link FilterNotFoundError}. */
  content(id: bigint): FilterContent {
    const filter = this.#use(id);
    return filter instanceof LogFilter ? { range: filter.range } : { hashes: filter.peek() };
  }

  /** Removes a filter. Returns false if the id is unknown. */
  remove(id: bigint): boolean {
    this.#dropIdle();
    return this.#installed.delete(id);
  }

  #add(filter: Filter): bigint {
    this.#dropIdle();
    const id = bytesToBigInt(this.#core.random(ID_SIZE));
    this.#installed.set(id, { filter, usedAt: this.#core.wallClock.now() });
    return id;
  }

  #use(id: bigint): Filter {
    this.#dropIdle();
    const installed = this.#installed.get(id);
    if (installed === undefined) throw new FilterNotFoundError();
    this.#installed.delete(id);
    this.#installed.set(id, { ...installed, usedAt: this.#core.wallClock.now() });
    return installed.filter;
  }

  #dropIdle(): void {
    const limit = this.#core.wallClock.now() - this.#core.options.filterTimeout * 1000;
    for (const [id, { usedAt }] of this.#installed) {
      if (usedAt > limit) return;
      this.#installed.delete(id);
    }
  }
}
