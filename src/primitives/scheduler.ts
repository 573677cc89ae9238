import { type MonotonicClock, monotonicClock } from './clock.ts';

/** How long work goes on before others are heard, in milliseconds. */
export const SLICE_MILLISECONDS = 4;

/** Short work that begins before anybody looks at the clock: most turns of the event loop hold less. */
const UNMEASURED_STARTS = 16;

/** The turns that long work takes among other work. */
export interface Turns {
  /** Milliseconds for which the event loop has been held in its present turn, as far as it is known. Reads the clock. */
  held(): number;
  /** Resolves when others have been heard and it is this work's turn again. */
  wait(): Promise<void>;
  /**
   * To be asked before this work waits for the first time: where the long work in hand is bounded, gives a promise that
   * resolves when this may go on, and `undefined` when it may at once.
   */
  admission?(): Promise<void> | undefined;
}

/** The dependencies of a scheduler. */
export interface SchedulerParts {
  readonly clock: MonotonicClock;
  /** Calls `action` in the next turn of the event loop, after what has arrived by then. */
  readonly defer: (action: () => void) => void;
}

const SYSTEM: SchedulerParts = { clock: monotonicClock, defer: (action) => void setImmediate(action) };

/**
 * Shares the event loop among the work of several lanes. When the loop has been held for a slice of time, work that is
 * under way and work that is about to begin wait in the queues of their lane. In each turn of the loop work
 * begins until a slice of time is over, at least one piece of it, since most of it is short and would wait a slice for each
 * other one otherwise; then one piece of work under way goes on. The lanes come one after the other, however much waits on
 * one of them.
 */
export class Scheduler {
  readonly #parts: SchedulerParts;
  /** When the loop's present turn began, in the clock's milliseconds; `null` as long as it has not been measured. */
  #turnBegan: number | null = null;
  #unmeasuredStarts = 0;
  /** The lanes in which work waits to begin, the next one first. */
  readonly #beginning: SchedulerLane[] = [];
  /** The lanes in which work under way waits, the next one first. */
  readonly #goingOn: SchedulerLane[] = [];

  constructor(parts: SchedulerParts = SYSTEM) {
    this.#parts = parts;
  }

  /** Returns a new lane. */
  createLane(): SchedulerLane {
    return new SchedulerLane(this);
  }

  /** See {@link Turns.held}. */
  held(): number {
    const now = this.#parts.clock.now();
    if (this.#turnBegan !== null) return now - this.#turnBegan;
    this.#turnBegan = now;
    this.#parts.defer(this.#nextTurn);
    return 0;
  }

  /** Counts work that begins; returns false when the loop has been held for a slice already. Rarely reads the clock. */
  mayBegin(): boolean {
    if (this.#turnBegan === null) {
      this.#unmeasuredStarts++;
      if (this.#unmeasuredStarts < UNMEASURED_STARTS) return true;
    }
    return this.held() < SLICE_MILLISECONDS;
  }

  /** Lets the lane, in which nothing has waited to begin yet, have its turn when it comes. */
  enqueueBeginning(lane: SchedulerLane): void {
    this.#beginning.push(lane);
    // The measuring of a turn goes on into the next one, where what waits goes on.
    this.held();
  }

  /** The same for a lane in which nothing under way has waited yet. */
  enqueueGoingOn(lane: SchedulerLane): void {
    this.#goingOn.push(lane);
    this.held();
  }

  readonly #nextTurn = (): void => {
    this.#unmeasuredStarts = 0;
    if (this.#beginning.length === 0 && this.#goingOn.length === 0) {
      this.#turnBegan = null;
      return;
    }
    this.#turnBegan = this.#parts.clock.now();
    this.#parts.defer(this.#nextTurn);
    void this.#useTurn();
  };

  async #useTurn(): Promise<void> {
    for (let lane = this.#beginning.shift(); lane !== undefined; lane = this.#beginning.shift()) {
      if (lane.beginNext()) this.#beginning.push(lane);
      // The work begins in the microtask before this goes on.
      await null;
      if (this.held() >= SLICE_MILLISECONDS) break;
    }
    const lane = this.#goingOn.shift();
    if (lane?.resumeNext() === true) this.#goingOn.push(lane);
  }
}

type Resume = () => void;

/** The work of one lane, say of one chain, that shares the event loop with that of others. */
export class SchedulerLane implements Turns {
  readonly #scheduler: Scheduler;
  readonly #beginning: Resume[] = [];
  readonly #goingOn: Resume[] = [];

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** Returns a lane of its own beside this one. */
  sibling(): SchedulerLane {
    return this.#scheduler.createLane();
  }

  held(): number {
    return this.#scheduler.held();
  }

  wait(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#goingOn.push(resolve) === 1) this.#scheduler.enqueueGoingOn(this);
    });
  }

  /**
   * To be asked before work begins: `undefined` when it may at once, else a promise that resolves when it may. Work begins
   * in the order in which it asked.
   */
  beginning(): Promise<void> | undefined {
    if (this.#beginning.length === 0 && this.#scheduler.mayBegin()) return undefined;
    return new Promise((resolve) => {
      if (this.#beginning.push(resolve) === 1) this.#scheduler.enqueueBeginning(this);
    });
  }

  /** Lets the work begin that has waited longest for it. True when more waits to. Must be called by the scheduler. */
  beginNext(): boolean {
    this.#beginning.shift()?.();
    return this.#beginning.length > 0;
  }

  /** Lets the work under way go on that has waited longest. True when more waits. Must be called by the scheduler. */
  resumeNext(): boolean {
    this.#goingOn.shift()?.();
    return this.#goingOn.length > 0;
  }
}
