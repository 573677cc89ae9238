import type { MonotonicClock } from '../../src/primitives/clock.ts';
import type { SchedulerParts } from '../../src/primitives/scheduler.ts';
import { settleMicrotasks } from './fake-time.ts';

/** An event loop whose time and turns are in the test's hands. */
export class ManualLoop implements SchedulerParts {
  /** How often the clock was read. */
  readings = 0;
  readonly clock: MonotonicClock = {
    now: () => {
      this.readings++;
      return this.#now;
    },
  };
  readonly defer = (action: () => void): void => void this.#deferred.push(action);
  #now = 0;
  #deferred: (() => void)[] = [];

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
}
