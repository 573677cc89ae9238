import { bytesToBigInt } from '../../primitives/bytes.ts';
import type { WallClock } from '../../primitives/clock.ts';
import type { RandomSource } from '../../primitives/random.ts';
import type { Blockchain } from '../../storage/blockchain.ts';
import type { ChainEvents } from '../../storage/chain-events.ts';
import type { LocatedLog } from '../../storage/located-log.ts';
import { FilterNotFoundError } from '../errors.ts';
import { BlockFilter, LogFilter, PendingTransactionFilter } from './filter-kinds.ts';
import type { LogRange } from './log-range.ts';

/** What filters work with; all of it belongs to one chain. */
export interface FilterParts {
  readonly blockchain: Blockchain;
  readonly events: ChainEvents;
  readonly clock: WallClock;
  readonly random: RandomSource;
  /** Seconds after which a filter that nobody asks is gone. */
  readonly timeout: number;
}

/** What a filter tells: logs, or hashes of blocks or transactions. */
export type FilterItems =
  | { readonly logs: readonly LocatedLog[] }
  | { readonly hashes: readonly Uint8Array[] };

/** What a filter stands for: a range of logs, or hashes that were not told yet. */
export type FilterContent = { readonly range: LogRange } | { readonly hashes: readonly Uint8Array[] };

type Filter = LogFilter | BlockFilter | PendingTransactionFilter;

interface Installed {
  readonly filter: Filter;
  /** Milliseconds since 1970. */
  readonly usedAt: number;
}

const ID_SIZE = 16;

/**
 * The filters of a chain's callers (service document, Filter). They are the callers', not the chain's: a snapshot does
 * not hold them, and a revert does not take them back but is told by them.
 */
export class Filters {
  readonly #parts: FilterParts;
  /** By id, the one that was not used for the longest time first. */
  readonly #installed = new Map<bigint, Installed>();

  constructor(parts: FilterParts) {
    this.#parts = parts;
    parts.events.on('removed', (blocks) => {
      for (const { filter } of this.#installed.values()) {
        if (!(filter instanceof PendingTransactionFilter)) filter.onRemoved(blocks);
      }
    });
    parts.events.on('pendingTransaction', ({ hash }) => {
      // A filter that nobody asks must not gather hashes for ever.
      this.#dropIdle();
      for (const { filter } of this.#installed.values()) {
        if (filter instanceof PendingTransactionFilter) filter.onPending(hash);
      }
    });
  }

  /** Makes a filter of the logs in a range and gives its id. */
  addLogs(range: LogRange): bigint {
    return this.#add(new LogFilter(this.#parts.blockchain, range));
  }

  /** Makes a filter of new blocks and gives its id. */
  addBlocks(): bigint {
    return this.#add(new BlockFilter(this.#parts.blockchain));
  }

  /** Makes a filter of new pending transactions and gives its id. */
  addPendingTransactions(): bigint {
    return this.#add(new PendingTransactionFilter());
  }

  /** What came since the last call. Throws {@link FilterNotFoundError}. */
  changes(id: bigint): FilterItems {
    const filter = this.#use(id);
    return filter instanceof LogFilter ? { logs: filter.take() } : { hashes: filter.take() };
  }

  /** What the filter stands for; nothing counts as told by that. Throws {@link FilterNotFoundError}. */
  content(id: bigint): FilterContent {
    const filter = this.#use(id);
    return filter instanceof LogFilter ? { range: filter.range } : { hashes: filter.peek() };
  }

  /** Ends a filter; false when there is none with that id. */
  remove(id: bigint): boolean {
    this.#dropIdle();
    return this.#installed.delete(id);
  }

  #add(filter: Filter): bigint {
    this.#dropIdle();
    const id = bytesToBigInt(this.#parts.random(ID_SIZE));
    this.#installed.set(id, { filter, usedAt: this.#parts.clock.now() });
    return id;
  }

  #use(id: bigint): Filter {
    this.#dropIdle();
    const installed = this.#installed.get(id);
    if (installed === undefined) throw new FilterNotFoundError();
    this.#installed.delete(id);
    this.#installed.set(id, { ...installed, usedAt: this.#parts.clock.now() });
    return installed.filter;
  }

  #dropIdle(): void {
    const limit = this.#parts.clock.now() - this.#parts.timeout * 1000;
    for (const [id, { usedAt }] of this.#installed) {
      if (usedAt > limit) return;
      this.#installed.delete(id);
    }
  }
}
