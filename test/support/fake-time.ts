import type { Timers, WallClock } from '../../src/primitives/clock.ts';

/** Time that only the test advances. */
export interface FakeTime {
  readonly clock: WallClock;
  readonly timers: Timers;
  /**
   * Advances the time by `milliseconds`. Fires each due timer at its time. `settle` waits for its effects, so
   * that a timer that it sets again can fire too.
   */
  advance(milliseconds: number, settle?: () => Promise<unknown>): Promise<void>;
}

interface PendingTimer {
  readonly due: number;
  readonly action: () => void;
}

/** Runs all promises that wait for nothing external. */
export function settleMicrotasks(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Fake time that starts `start` milliseconds after 1970. */
export function createFakeTime(start: number): FakeTime {
  let now = start;
  const pending = new Set<PendingTimer>();
  const firstDue = (until: number): PendingTimer | undefined =>
    Array.from(pending)
      .filter((timer) => timer.due <= until)
      .sort((left, right) => left.due - right.due)[0];
  return {
    clock: { now: () => now },
    timers: {
      after(milliseconds, action) {
        const timer = { due: now + milliseconds, action };
        pending.add(timer);
        return { cancel: () => void pending.delete(timer) };
      },
    },
    async advance(milliseconds, settle = settleMicrotasks) {
      const end = now + milliseconds;
      for (let timer = firstDue(end); timer !== undefined; timer = firstDue(end)) {
        pending.delete(timer);
        now = timer.due;
        timer.action();
        await settle();
        await settleMicrotasks();
      }
      now = end;
    },
  };
}
