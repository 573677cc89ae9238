import type { MiningMode } from '../mining/miner.ts';
import type { PoolSnapshot } from '../txpool/pool.ts';
import type { ClockSetting } from './chain-clock.ts';

/** Everything a chain was at some moment: pointers only, nothing copied. */
export interface ChainSnapshot {
  /** The number of the head block. */
  readonly head: number;
  readonly pool: PoolSnapshot;
  readonly clock: ClockSetting;
  readonly mining: MiningMode;
}

/** The snapshots that can be reverted to, oldest first. Ids count up from 1 and are never used again. */
export class SnapshotStack {
  readonly #snapshots: { readonly id: number; readonly snapshot: ChainSnapshot }[] = [];
  #lastId = 0;

  /** Keeps the snapshot; gives its id. */
  push(snapshot: ChainSnapshot): number {
    this.#lastId++;
    this.#snapshots.push({ id: this.#lastId, snapshot });
    return this.#lastId;
  }

  /** Takes out the snapshot and all later ones; `undefined` when there is none with that id. */
  take(id: number): ChainSnapshot | undefined {
    const position = this.#snapshots.findIndex((entry) => entry.id === id);
    if (position === -1) return undefined;
    const [taken] = this.#snapshots.splice(position);
    return taken?.snapshot;
  }
}
