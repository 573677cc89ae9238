import type { Blockchain } from '../chain/blockchain.ts';
import type { ChainEvents } from '../chain/chain-events.ts';
import type { Miner, MiningMode } from '../mining/miner.ts';
import type { PoolSnapshot, TransactionPool } from '../txpool/pool.ts';
import type { ChainClock, ClockSetting } from './chain-clock.ts';

/** What a snapshot is taken of; all of it belongs to one chain. */
export interface SnapshotParts {
  readonly blockchain: Blockchain;
  readonly pool: TransactionPool;
  readonly clock: ChainClock;
  readonly miner: Miner;
  readonly events: ChainEvents;
}

/** Everything a chain was at some moment: pointers only, nothing copied. */
interface ChainSnapshot {
  /** The number of the head block. */
  readonly head: number;
  readonly pool: PoolSnapshot;
  readonly clock: ClockSetting;
  readonly mining: MiningMode;
}

const FIRST_BLOCK = 0;

/**
 * What a chain can go back to: the snapshots, oldest first, and its start. Ids count up from 1 and are never used again.
 * Its callers see to it that nothing else changes the chain meanwhile.
 */
export class Snapshots {
  readonly #parts: SnapshotParts;
  readonly #start: ChainSnapshot;
  readonly #kept: { readonly id: number; readonly snapshot: ChainSnapshot }[] = [];
  #lastId = 0;

  /** To be made when the pool is empty and clock and miner are as they start. */
  constructor(parts: SnapshotParts) {
    this.#parts = parts;
    this.#start = { ...this.#present(), head: FIRST_BLOCK };
  }

  #present(): ChainSnapshot {
    const { blockchain, pool, clock, miner } = this.#parts;
    return {
      head: blockchain.head.header.number,
      pool: pool.snapshot(),
      clock: clock.setting,
      mining: miner.mode,
    };
  }

  /** Keeps the chain as it is; gives the id to revert to. */
  take(): number {
    this.#lastId++;
    this.#kept.push({ id: this.#lastId, snapshot: this.#present() });
    return this.#lastId;
  }

  /** Makes the chain what it was at the snapshot, which is used up with all later ones; false for an unknown id. */
  async revert(id: number): Promise<boolean> {
    const position = this.#kept.findIndex((entry) => entry.id === id);
    const [taken] = position === -1 ? [] : this.#kept.splice(position);
    if (taken === undefined) return false;
    await this.#restore(taken.snapshot);
    return true;
  }

  /** Makes the chain what it was at its start: the first block alone, and no snapshots. */
  async reset(): Promise<void> {
    this.#kept.length = 0;
    await this.#restore(this.#start);
  }

  async #restore(snapshot: ChainSnapshot): Promise<void> {
    const { blockchain, pool, clock, miner, events } = this.#parts;
    const removed = await blockchain.rewind(snapshot.head);
    pool.restore(snapshot.pool);
    clock.restore(snapshot.clock);
    miner.setMode(snapshot.mining);
    if (removed.length > 0) events.emit('removed', removed);
  }
}
