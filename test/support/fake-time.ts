import type { Timers, WallClock } from '../../src/primitives/clock.ts';

/** Time that passes only when the test says so. */
export interface FakeTime {
  readonly clock: WallClock;
  readonly timers: Timers;
  /**
   * Lets `milliseconds` pass. Each timer that falls due is called at its time, one after the other; `settle` waits
   * until what it started is done, so that a timer it sets anew is seen.
   */
  advance(milliseconds: number, settle?: () => Promise<unknown>): Promise<void>;
}

interface PendingTimer {
  readonly due: number;
  readonly action: () => void;
}

/** Lets promises that wait on nothing outside run to their end. */
export function settleMicrotasks(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Fake time that begins at `start` milliseconds since 1970. */
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
