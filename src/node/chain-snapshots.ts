import type { ChainIdentity } from './chain-identity.ts';
import type { LiveFork } from './fork/live-fork.ts';
import type { SerialQueue } from './serial-queue.ts';
import type { KeptSnapshot, SnapshotId, Snapshots } from './snapshots.ts';

/** What the snapshots of a chain are kept with; all of it belongs to one chain. */
export interface ChainSnapshotParts {
  readonly snapshots: Snapshots;
  readonly fork: LiveFork;
  readonly identity: ChainIdentity;
  readonly changes: SerialQueue;
}

/** What a chain can go back to. Whatever keeps or changes it waits its turn behind what changes it at the moment. */
export class ChainSnapshots {
  readonly #parts: ChainSnapshotParts;

  constructor(parts: ChainSnapshotParts) {
    this.#parts = parts;
  }

  /** Keeps the chain as it is now; gives the number to revert to. */
  take(): Promise<number> {
    return this.#parts.changes.run(async () => this.#parts.snapshots.take());
  }

  /** Keeps the chain as it is now under a name, as a checkpoint that can be reverted to many times. */
  takeNamed(name: string): Promise<void> {
    return this.#parts.changes.run(async () => this.#parts.snapshots.takeNamed(name));
  }

  /** The snapshots and checkpoints that can be reverted to, oldest first. */
  list(): KeptSnapshot[] {
    return this.#parts.snapshots.list();
  }

  /** Forgets a snapshot or checkpoint; false for an unknown id. */
  remove(id: SnapshotId): Promise<boolean> {
    return this.#parts.changes.run(async () => this.#parts.snapshots.remove(id));
  }

  /**
   * Makes the chain what it was at the snapshot; false for an unknown id. All later ones are used up, and it too unless
   * it is a checkpoint.
   */
  revert(id: SnapshotId): Promise<boolean> {
    return this.#parts.changes.run(() => this.#parts.snapshots.revert(id));
  }

  /** Makes the chain what it was at its start: first block, empty pool, no snapshots, its first clock and miner settings. */
  reset(): Promise<void> {
    const { snapshots, fork, identity, changes } = this.#parts;
    return changes.run(() => {
      snapshots.reset();
      fork.restore();
      identity.renew();
    });
  }
}
