/** Sends the activities on the chain and its lanes to their watchers. */

import type { Timer, Timers } from '../primitives/clock.ts';

/** Debounce time after an idle period, in milliseconds. */
const GATHERING = 10;

/** Limits the rate of a subscriber: sends at most once per pause. */
export class Pace {
  readonly #timers: Timers;
  /** Milliseconds. */
  readonly #pause: number;
  readonly #send: () => void;
  #timer: Timer | null = null;
  #hasNews = false;
  #isStopped = false;

  /** `send` is called if there is new data, at most once per pause. */
  constructor(timers: Timers, pause: number, send: () => void) {
    this.#timers = timers;
    this.#pause = pause;
    this.#send = send;
  }

  /** Requests a call of `send`. */
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

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#timer = null;
  }
}

/** One activity, in the form of the JSON log. Wei and gas are decimal strings. */
export interface ActivityEntry {
  /** ISO 8601. */
  readonly time: string;
  /** `request`, `transaction`, `block`, `removed`, `console` and so on. */
  readonly kind: string;
  /** The name of the lane; absent for the base chain. */
  readonly lane?: string;
  /** The encoded URL path of the lane; empty for the base chain. Absent without lanes or with API keys. */
  readonly lanePath?: string;
  readonly [fact: string]: unknown;
}

/** An activity that is not described yet. */
export interface ComingActivity {
  /** The name of the lane; absent for the base chain. */
  readonly lane?: string | undefined;
  /** True if one of the entries reports a failure. */
  readonly hasFailure: boolean;
  /** The number of entries of each kind. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Receives activities, within its capacity. */
export interface ActivityReader {
  /** True while there is a watcher. */
  readonly isWatched: boolean;
  /** Returns true if a watcher has room for the activity; the caller then describes it. */
  hasRoom(coming: ComingActivity): boolean;
  /** As {@link hasRoom}, but counts the activity if it returns false. */
  takes(coming: ComingActivity): boolean;
}

export const READS_EVERYTHING: ActivityReader = { isWatched: true, hasRoom: () => true, takes: () => true };

/** The maximum rate of a watcher. */
export interface ActivityPace {
  /** Milliseconds between two batches. */
  readonly pause: number;
  /** Maximum entries of a batch; the same number of failures is added. */
  readonly most: number;
  /** Kinds that are omitted. */
  readonly except: ReadonlySet<string>;
}

/** The activities since the last batch. */
export interface ActivityBatch {
  /** In the order of the activities. */
  readonly entries: readonly ActivityEntry[];
  /** The number of omitted entries of each kind. */
  readonly omitted: Readonly<Record<string, number>>;
}

interface Watcher {
  hasRoom(coming: ComingActivity): boolean;
  omit(coming: ComingActivity): void;
  tell(entry: ActivityEntry): void;
}

function isFailure({ kind, failure, error }: ActivityEntry): boolean {
  return (kind === 'transaction' && failure != null) || (kind === 'request' && (error ?? failure) != null);
}

/** Sends a limited number of entries per pause, with a separate limit for failures, and counts the others. */
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
  /** True to include the base chain. */
  readonly hasBase: boolean;
}

/** True if the scope includes the lane. `null` includes everything; `undefined` is the base chain. */
function follows(scope: ActivityScope | null, lane: string | undefined): boolean {
  return scope === null || scope.lane === lane || (lane === undefined && scope.hasBase);
}

/** Sends activities to all watchers. Without watchers, no activities are reported (see {@link isWatched}). */
export class ActivityFeed implements ActivityReader {
  readonly #laneName: (key: string) => string;
  /**
   * Watchers with their scope; `null` for everything. The scope has the name of the lane instead of its key.
   */
  readonly #watchers = new Map<Watcher, ActivityScope | null>();

  /** `laneName` returns the name of a lane in entries by its key, which may be secret. */
  constructor(laneName: (key: string) => string = (key) => key) {
    this.#laneName = laneName;
  }

  get isWatched(): boolean {
    return this.#watchers.size > 0;
  }

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

  /** Calls `watcher` with each new entry of the scope (`null` for all). Returns a function that stops it. */
  watch(watcher: (entry: ActivityEntry) => void, scope: ActivityScope | null): () => void {
    return this.#add({ tell: watcher, hasRoom: () => true, omit: () => undefined }, scope);
  }

  /** As {@link watch}, in batches within the pace. */
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
