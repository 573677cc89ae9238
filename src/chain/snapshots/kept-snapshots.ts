import type { SnapshotId, SnapshotKey } from '../snapshot-key.ts';

interface Kept<Snapshot, Key> {
  readonly id: Key;
  readonly snapshot: Snapshot;
}

function isNamed<Snapshot>(kept: Kept<Snapshot, SnapshotKey>): kept is Kept<Snapshot, SnapshotId> {
  return typeof kept.id !== 'symbol';
}

/** Snapshots in the order they were taken, hidden ones among the others. */
export class KeptSnapshots<Snapshot> {
  #all: Kept<Snapshot, SnapshotKey>[] = [];
  #named: Kept<Snapshot, SnapshotId>[] = [];

  /** Those that have an id, oldest first. */
  get named(): readonly Kept<Snapshot, SnapshotId>[] {
    return this.#named;
  }

  /** Puts others in the place of all. */
  replace(all: readonly Kept<Snapshot, SnapshotKey>[]): void {
    this.#all = [...all];
    this.#named = all.filter(isNamed);
  }

  /** Adds one as the last. */
  add(id: SnapshotKey, snapshot: Snapshot): void {
    const kept = { id, snapshot };
    this.#all.push(kept);
    if (isNamed(kept)) this.#named.push(kept);
  }

  #position(key: SnapshotKey): number {
    return this.#all.findLastIndex(({ id }) => id === key);
  }

  /** `undefined` for an unknown key. */
  get(key: SnapshotKey): Snapshot | undefined {
    return this.#all[this.#position(key)]?.snapshot;
  }

  /** False for an unknown key. */
  remove(key: SnapshotKey): boolean {
    const position = this.#position(key);
    if (position === -1) return false;
    this.replace(this.#all.toSpliced(position, 1));
    return true;
  }

  /** Removes all that were taken after the one with that key. */
  removeAfter(key: SnapshotKey): void {
    this.replace(this.#all.slice(0, this.#position(key) + 1));
  }

  /** Removes all but those that pass. */
  retain(isRetained: (snapshot: Snapshot) => boolean): void {
    this.replace(this.#all.filter(({ snapshot }) => isRetained(snapshot)));
  }
}
