/** The activities on the chain and its lanes, sent to their watchers as they happen. */

import type { Timer, Timers } from '../primitives/clock.ts';

/** Milliseconds after which the first of what comes after a pause is sent, together with what comes right behind it. */
const GATHERING = 10;

/** Sends at most once in each pause, for a subscriber that does not want each event by itself. */
export class Pace {
  readonly #timers: Timers;
  /** Milliseconds. */
  readonly #pause: number;
  readonly #send: () => void;
  #timer: Timer | null = null;
  #hasNews = false;
  #isStopped = false;

  /** `send` is called when something new is to be sent. */
  constructor(timers: Timers, pause: number, send: () => void) {
    this.#timers = timers;
    this.#pause = pause;
    this.#send = send;
  }

  /** Called when there is something new. */
  wake(): void {
    if (this.#isStopped) return;
    this.#hasNews = true;
    this.#timer ??= this.#timers.after(Math.min(GATHERING, this.#pause), () => this.#fire());
  }

  #fire(): void {
    this.#timer = null;
    if (!this.#hasNews) return;
    this.#hasNews = false;
    this.#timer = this.#timers.after(this.#pause, () => this.#fire());
    this.#send();
  }

  /** Sends nothing any more. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#timer = null;
  }
}

/** One thing that happened: what the JSON log writes of it. Wei and gas are decimal texts. */
export interface ActivityEntry {
  /** ISO 8601. */
  readonly time: string;
  /** `request`, `transaction`, `block`, `removed`, `console` and so on. */
  readonly kind: string;
  /** The name of the lane; absent for the base chain. */
  readonly lane?: string;
  /** The URL path of the lane, encoded; empty for the base chain. Absent if the node has no lanes, or if paths are API keys. */
  readonly lanePath?: string;
  readonly [fact: string]: unknown;
}

/** Something that happened and is not described yet: what its entries would be. */
export interface ComingActivity {
  /** The name of the lane; absent for the base chain. */
  readonly lane?: string | undefined;
  /** True when one of the entries is of a failure. */
  readonly hasFailure: boolean;
  /** The number of entries of each kind that there would be. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Reads what happens, as far as it has room for it. */
export interface ActivityReader {
  /** True while there is a reader. */
  readonly isWatched: boolean;
  /** Returns true when a reader has room for the activity, so that it is to be described. */
  hasRoom(coming: ComingActivity): boolean;
  /** Does the same as {@link hasRoom}; where it is false, what happened is counted instead. */
  takes(coming: ComingActivity): boolean;
}

/** Reads everything. */
export const READS_EVERYTHING: ActivityReader = { isWatched: true, hasRoom: () => true, takes: () => true };

/** The most that is sent to a watcher. */
export interface ActivityPace {
  /** Milliseconds between two batches. */
  readonly pause: number;
  /** Entries of a batch, besides as many failures. */
  readonly most: number;
  /** Kinds that are left out. */
  readonly except: ReadonlySet<string>;
}

/** The activities since the last batch. */
export interface ActivityBatch {
  /** In the order in which things happened. */
  readonly entries: readonly ActivityEntry[];
  /** The number of further entries of each kind that there would have been. */
  readonly omitted: Readonly<Record<string, number>>;
}

/** One who watches. */
interface Watcher {
  hasRoom(coming: ComingActivity): boolean;
  omit(coming: ComingActivity): void;
  tell(entry: ActivityEntry): void;
}

function isFailure({ kind, failure, error }: ActivityEntry): boolean {
  return (kind === 'transaction' && failure != null) || (kind === 'request' && (error ?? failure) != null);
}

/** Sends a few entries in each pause, failures before others, and counts the rest. */
class PacedWatcher implements Watcher {
  readonly #pace: ActivityPace;
  readonly #sending: Pace;
  #entries: ActivityEntry[] = [];
  #failures = 0;
  #omitted = new Map<string, number>();

  constructor(pace: ActivityPace, timers: Timers, push: (batch: ActivityBatch) => void) {
    this.#pace = pace;
    this.#sending = new Pace(timers, pace.pause, () => push(this.#batch()));
  }

  #batch(): ActivityBatch {
    const batch = { entries: this.#entries, omitted: Object.fromEntries(this.#omitted) };
    this.#entries = [];
    this.#failures = 0;
    this.#omitted = new Map();
    return batch;
  }

  #hasRoomFor(isOfFailure: boolean): boolean {
    const { most } = this.#pace;
    return isOfFailure ? this.#failures < most : this.#entries.length - this.#failures < most;
  }

  hasRoom({ hasFailure, counts }: ComingActivity): boolean {
    if (!this.#hasRoomFor(false) && !(hasFailure && this.#hasRoomFor(true))) return false;
    return Object.keys(counts).some((kind) => (counts[kind] ?? 0) > 0 && !this.#pace.except.has(kind));
  }

  omit({ counts }: ComingActivity): void {
    for (const kind of Object.keys(counts)) this.#count(kind, counts[kind] ?? 0);
  }

  #count(kind: string, count: number): void {
    if (count === 0 || this.#pace.except.has(kind)) return;
    this.#omitted.set(kind, (this.#omitted.get(kind) ?? 0) + count);
    this.#sending.wake();
  }

  tell(entry: ActivityEntry): void {
    if (this.#pace.except.has(entry.kind)) return;
    const isOfFailure = isFailure(entry);
    if (!this.#hasRoomFor(isOfFailure)) {
      this.#count(entry.kind, 1);
      return;
    }
    if (isOfFailure) this.#failures++;
    this.#entries.push(entry);
    this.#sending.wake();
  }

  stop(): void {
    this.#sending.stop();
  }
}

/** The part of the activity that a watcher sees. */
export interface ActivityScope {
  /** The key of a lane. */
  readonly lane: string;
  /** True to see the base chain too. */
  readonly hasBase: boolean;
}

/** True if a watcher with the scope, `null` for everything, sees the lane; `undefined` is the base chain. */
function follows(scope: ActivityScope | null, lane: string | undefined): boolean {
  return scope === null || scope.lane === lane || (lane === undefined && scope.hasBase);
}

/** Passes on what happens to all who watch. Without watchers nothing is reported, see {@link isWatched}. */
export class ActivityFeed implements ActivityReader {
  readonly #laneName: (key: string) => string;
  /** With the scope of each, which has the name of the lane instead of its key; `null` for everything. */
  readonly #watchers = new Map<Watcher, ActivityScope | null>();

  /** `laneName` gives the name of a lane in entries by its key, which can be a secret. */
  constructor(laneName: (key: string) => string = (key) => key) {
    this.#laneName = laneName;
  }

  get isWatched(): boolean {
    return this.#watchers.size > 0;
  }

  /** Passes an entry to all watchers. */
  tell(entry: ActivityEntry): void {
    for (const [watcher, scope] of this.#watchers) if (follows(scope, entry.lane)) watcher.tell(entry);
  }

  hasRoom(coming: ComingActivity): boolean {
    for (const [watcher, scope] of this.#watchers)
      if (follows(scope, coming.lane) && watcher.hasRoom(coming)) return true;
    return false;
  }

  takes(coming: ComingActivity): boolean {
    if (this.hasRoom(coming)) return true;
    for (const [watcher, scope] of this.#watchers) if (follows(scope, coming.lane)) watcher.omit(coming);
    return false;
  }

  /**
   * Calls `watcher` with each entry from now on; returns the function that ends it. Entries outside of the scope are left out;
   * `null` for none.
   */
  watch(watcher: (entry: ActivityEntry) => void, scope: ActivityScope | null): () => void {
    return this.#add({ tell: watcher, hasRoom: () => true, omit: () => undefined }, scope);
  }

  /** Does the same as {@link watch}, in batches of as much as the pace allows. */
  watchPaced(
    push: (batch: ActivityBatch) => void,
    scope: ActivityScope | null,
    pace: ActivityPace,
    timers: Timers,
  ): () => void {
    const watcher = new PacedWatcher(pace, timers, push);
    const end = this.#add(watcher, scope);
    return () => {
      end();
      watcher.stop();
    };
  }

  #add(watcher: Watcher, scope: ActivityScope | null): () => void {
    this.#watchers.set(watcher, scope && { ...scope, lane: this.#laneName(scope.lane) });
    return () => void this.#watchers.delete(watcher);
  }
}
