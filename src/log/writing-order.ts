// The order of the writing of the log: work that can wait is gathered, and everything is written in the order in which it happened.

import { type MonotonicClock, monotonicClock, type Timer, type Timers } from '../primitives/clock.ts';
import { SLICE_MILLISECONDS } from '../primitives/scheduler.ts';

/** Milliseconds for which work that comes after other work is gathered; a reader does not notice them. */
const GATHERING = 20;

/**
 * Work for the log, which can wait a moment. After a pause it is done in the next turn of the event loop; what comes within the
 * milliseconds after that is done in one go. In a row it takes a third of the time that it takes between other work, whose code
 * and data have taken the place of its own in the caches of the processor.
 */
export class GatheredWork {
  readonly #timers: Timers;
  readonly #clock: MonotonicClock;
  readonly #waiting: (() => void)[] = [];
  #timer: Timer | null = null;
  /** True when the work is to be done in the next turn. */
  #isDue = false;

  constructor(timers: Timers, clock: MonotonicClock = monotonicClock) {
    this.#timers = timers;
    this.#clock = clock;
  }

  /** Has the action called, which must not throw. */
  add(action: () => void): void {
    this.#waiting.push(action);
    if (this.#timer === null) this.#defer();
  }

  /** Does what waits: for a slice of time, and the rest in later turns. */
  run(): void {
    this.#isDue = false;
    this.#timer?.cancel();
    this.#timer = null;
    const start = this.#clock.now();
    let done = 0;
    for (const action of this.#waiting) {
      action();
      done++;
      if (this.#clock.now() - start >= SLICE_MILLISECONDS) break;
    }
    this.#waiting.splice(0, done);
    if (this.#waiting.length > 0) this.#defer();
    else if (done > 0) this.#timer = this.#timers.after(GATHERING, () => this.run());
  }

  #defer(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => this.run());
  }
}

/** Something that is written in its turn; `null` while it is waited for. */
interface Place {
  action: (() => void) | null;
}

/** Writes in the order in which things happened, also where one must be waited for. */
export class OrderedWriting {
  readonly #onError: (error: unknown) => void;
  /** The places that are not written yet; the first one is waited for. */
  #places: Place[] = [];
  /** Called when everything is written. */
  #ended: (() => void)[] = [];

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Calls `action` at once, or after what is waited for. */
  write(action: () => void): void {
    if (this.#places.length === 0) action();
    else this.#places.push({ action });
  }

  /** Calls `action` with the value when it has come and everything before is written. Later writing waits for it. */
  writeWhen<Value>(value: Promise<Value>, action: (value: Value) => void): void {
    const place: Place = { action: null };
    this.#places.push(place);
    const take = (come: () => void): void => {
      place.action = come;
      this.#goOn();
    };
    value.then(
      (come) => take(() => action(come)),
      (error: unknown) => take(() => this.#onError(error)),
    );
  }

  /** Resolves when everything is written. */
  async end(): Promise<void> {
    if (this.#places.length > 0) await new Promise<void>((resolve) => this.#ended.push(resolve));
  }

  #goOn(): void {
    let written = 0;
    for (const { action } of this.#places) {
      if (action === null) break;
      written++;
      try {
        action();
      } catch (error) {
        this.#onError(error);
      }
    }
    this.#places = this.#places.slice(written);
    if (this.#places.length > 0) return;
    for (const end of this.#ended.splice(0)) end();
  }
}
