import type { MonotonicClock } from '../../src/primitives/clock.ts';
import { afterMicrotasks, type SchedulerDependencies } from '../../src/scheduling/scheduler.ts';
import { settleMicrotasks } from './fake-time.ts';

/** An event loop with a manual clock and manual iterations. */
export class ManualLoop implements SchedulerDependencies {
  /** Number of clock reads. */
  readings = 0;
  readonly clock: MonotonicClock = {
    now: () => {
      this.readings++;
      this.#now += this.#passing;
      return this.#now;
    },
  };
  readonly defer = (action: () => void): void => void this.#deferred.push(action);
  readonly afterMicrotasks = afterMicrotasks;
  readonly #passing: number;
  #now = 0;
  #deferred: (() => void)[] = [];

  /** Milliseconds that pass at each clock read. */
  constructor(passing = 0) {
    this.#passing = passing;
  }

  /** True if a task waits for the next iteration. */
  get isAwaited(): boolean {
    return this.#deferred.length > 0;
  }

  /** Advances the clock by milliseconds. */
  pass(milliseconds: number): void {
    this.#now += milliseconds;
  }

  /** Runs one iteration of the loop with its microtasks. */
  async turn(): Promise<void> {
    for (const action of this.#deferred.splice(0)) action();
    await settleMicrotasks();
  }

  /** Runs iterations until the promise settles. Returns their number, at most `most`. */
  async turnsUntil(settled: Promise<unknown>, most: number): Promise<number> {
    let isSettled = false;
    const note = (): void => {
      isSettled = true;
    };
    settled.then(note, note);
    await settleMicrotasks();
    let turns = 0;
    for (; !isSettled && turns < most; turns++) await this.turn();
    return turns;
  }
}
