/** The source of real time. Only the entry point of the process uses the machine's clock. */
export interface WallClock {
  /** Milliseconds since 1970, like `Date.now()`. */
  now(): number;
}

export interface Timer {
  cancel(): void;
}

/** The source of delays. It is injected, so that tests control time. */
export interface Timers {
  after(milliseconds: number, action: () => void): Timer;
}

export const systemClock: WallClock = { now: () => Date.now() };

/** Milliseconds since an arbitrary moment. Adjustments of the machine's clock do not affect it. */
export interface MonotonicClock {
  now(): number;
}

// Read here, because tests in the process of a node can replace the global ones.
const { performance, setImmediate } = globalThis;

export const monotonicClock: MonotonicClock = { now: () => performance.now() };

/** Runs the action in the next iteration of the event loop. */
export const defer = (action: () => void): void => void setImmediate(action);

/** Maximum delay of `setTimeout` in milliseconds. A longer one would end immediately. */
const MAX_DELAY = 2 ** 31 - 1;

/** The machine's timers. A pending one does not keep the process alive. */
export const systemTimers: Timers = {
  after(milliseconds, action) {
    let handle: NodeJS.Timeout;
    const wait = (left: number): void => {
      const isLast = left <= MAX_DELAY;
      handle = setTimeout(() => (isLast ? action() : wait(left - MAX_DELAY)), isLast ? left : MAX_DELAY);
      handle.unref();
    };
    wait(milliseconds);
    return { cancel: () => clearTimeout(handle) };
  },
};

/** The machine's timers for delays that a user waits for. A pending one keeps the process alive. */
export const waitedTimers: Timers = {
  after(milliseconds, action) {
    const handle = setTimeout(action, Math.min(milliseconds, MAX_DELAY));
    return { cancel: () => clearTimeout(handle) };
  },
};
