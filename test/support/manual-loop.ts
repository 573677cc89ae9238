import type { MonotonicClock } from '../../src/primitives/clock.ts';
import { afterMicrotasks, type SchedulerDependencies } from '../../src/scheduling/scheduler.ts';
import { settleMicrotasks } from './fake-time.ts';

/** An event loop whose time and turns are in the test's hands. */
export class ManualLoop implements SchedulerDependencies {
  /** How often the clock was read. */
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

  /** So many milliseconds pass whenever somebody reads the clock. */
  constructor(passing = 0) {
    this.#passing = passing;
  }

  /** True when somebody waits for the next turn. */
  get isAwaited(): boolean {
    return this.#deferred.length > 0;
  }

  /** Lets milliseconds pass. */
  pass(milliseconds: number): void {
    this.#now += milliseconds;
  }

  /** The next turn of the loop, with all that follows from it at once. */
  async turn(): Promise<void> {
    for (const action of this.#deferred.splice(0)) action();
    await settleMicrotasks();
  }

  /** Lets turns pass until that has settled; gives how many, at most `most`. */
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
