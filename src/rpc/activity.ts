/** What happens on the chain and its lanes, as it happens, for those who watch it. */

/** One thing that happened: what the JSON log writes of it. Wei and gas are decimal texts. */
export interface ActivityEntry {
  /** ISO 8601. */
  readonly time: string;
  /** `request`, `transaction`, `block`, `removed`, `console` and so on. */
  readonly kind: string;
  /** The name of the lane; absent for the base chain. */
  readonly lane?: string;
  readonly [fact: string]: unknown;
}

/** Passes on what happens to all who watch. Without watchers nothing is to be told, see {@link isWatched}. */
export class ActivityFeed {
  readonly #laneName: (key: string) => string;
  readonly #watchers = new Set<(entry: ActivityEntry) => void>();

  /** `laneName` gives the name of a lane in entries by its key, which can be a secret. */
  constructor(laneName: (key: string) => string = (key) => key) {
    this.#laneName = laneName;
  }

  /** True while somebody watches. */
  get isWatched(): boolean {
    return this.#watchers.size > 0;
  }

  /** Tells all watchers. */
  tell(entry: ActivityEntry): void {
    for (const watcher of this.#watchers) watcher(entry);
  }

  /**
   * Calls `watcher` with each entry from now on; returns the function that ends it. With `onlyLane`, the key of a lane, entries of
   * other lanes and of the base chain are left out.
   */
  watch(watcher: (entry: ActivityEntry) => void, onlyLane: string | null): () => void {
    const name = onlyLane === null ? null : this.#laneName(onlyLane);
    const filtered = (entry: ActivityEntry): void => {
      if (name === null || entry.lane === name) watcher(entry);
    };
    this.#watchers.add(filtered);
    return () => void this.#watchers.delete(filtered);
  }
}
