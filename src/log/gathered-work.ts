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
