/** The source of real time. Only the entry point of the process creates one that reads the machine's clock. */
export interface WallClock {
  /** Milliseconds since 1970, as `Date.now()` counts them. */
  now(): number;
}

/** A pending delay that can be cancelled. */
export interface Timer {
  cancel(): void;
}

/** The source of delays, injected so that tests decide when they pass. */
export interface Timers {
  /** Calls `action` once after `milliseconds`. */
  after(milliseconds: number, action: () => void): Timer;
}

/** The machine's clock. */
export const systemClock: WallClock = { now: () => Date.now() };

/** Time that passes evenly, whatever happens to the machine's clock: milliseconds since an arbitrary moment. */
export interface MonotonicClock {
  now(): number;
}

/** The machine's monotonic clock. */
export const monotonicClock: MonotonicClock = { now: () => performance.now() };

/** The longest delay of the machine's timers in milliseconds; longer ones would end at once. */
const LONGEST_DELAY = 2 ** 31 - 1;

/** The machine's timers; a pending one does not keep the process alive. */
export const systemTimers: Timers = {
  after(milliseconds, action) {
    let handle: NodeJS.Timeout;
    const wait = (left: number): void => {
      const isLast = left <= LONGEST_DELAY;
      handle = setTimeout(
        () => (isLast ? action() : wait(left - LONGEST_DELAY)),
        isLast ? left : LONGEST_DELAY,
      );
      handle.unref();
    };
    wait(milliseconds);
    return { cancel: () => clearTimeout(handle) };
  },
};

/** The machine's timers for delays that a user waits for: a pending one keeps the process alive. */
export const waitedTimers: Timers = {
  after(milliseconds, action) {
    const handle = setTimeout(action, Math.min(milliseconds, LONGEST_DELAY));
    return { cancel: () => clearTimeout(handle) };
  },
};
