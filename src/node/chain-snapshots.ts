import type { SnapshotKey } from '../chain/errors.ts';
import type { SerialQueue } from '../chain/serial-queue.ts';
import type { ChainIdentity } from '../chain/settings/chain-identity.ts';
import type { KeptSnapshot, Snapshots } from '../chain/snapshots/snapshots.ts';
import type { ForkHandle } from '../fork/fork-handle.ts';

/** What the snapshots of a chain are kept with; all of it belongs to one chain. */
export interface ChainSnapshotParts {
  readonly snapshots: Snapshots;
  readonly fork: ForkHandle;
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

  /**
   * Keeps the chain as it is now for who has the key that this gives, to be reverted to many times. It is in no list, no
   * dump and on no disk.
   */
  takeHidden(): Promise<symbol> {
    return this.#parts.changes.run(async () => this.#parts.snapshots.takeHidden());
  }

  /** The snapshots and checkpoints that can be reverted to, oldest first. */
  list(): KeptSnapshot[] {
    return this.#parts.snapshots.list();
  }

  /** Forgets a snapshot or checkpoint; false for an unknown one. */
  remove(key: SnapshotKey): Promise<boolean> {
    return this.#parts.changes.run(async () => this.#parts.snapshots.remove(key));
  }

  /**
   * Makes the chain what it was at the snapshot; false for an unknown one. All later ones are used up, and it too unless
   * it is a checkpoint.
   */
  revert(key: SnapshotKey): Promise<boolean> {
    return this.#parts.changes.run(() => this.#parts.snapshots.revert(key));
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
