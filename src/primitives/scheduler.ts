// Fair scheduling of long work on the event loop, among lanes and against short work.

import { type MonotonicClock, monotonicClock } from './clock.ts';

/** How long work continues before other work runs, in milliseconds. */
export const SLICE_MILLISECONDS = 4;

/** How many pieces of short work begin without reading the clock: most turns of the event loop hold fewer. */
const UNMEASURED_STARTS = 16;

/** The access of long work to turns of the event loop. */
export interface Turns {
  /**
   * Returns the milliseconds for which the event loop has been held in its present turn, as far as known. Reads the
   * clock.
   */
  held(): number;
  /** Resolves when other work has run and it is this work's turn again. */
  wait(): Promise<void>;
  /**
   * Must be called before this work waits for the first time. Where the number of long works in progress is limited,
   * returns a promise that resolves when this one may continue, or `undefined` when it may at once.
   */
  admission?(): Promise<void> | undefined;
}

/** The dependencies of a scheduler. */
export interface SchedulerParts {
  readonly clock: MonotonicClock;
  /** Calls `action` in the next turn of the event loop, after all events that have arrived by then. */
  readonly defer: (action: () => void) => void;
}

const SYSTEM: SchedulerParts = { clock: monotonicClock, defer: (action) => void setImmediate(action) };

/**
 * Shares the event loop among the work of several lanes. When the loop has been held for a slice of time, running work
 * and new work wait in the queues of their lane. In each turn of the loop new work begins until a slice of time is
 * over, and at least one piece of it, because most of it is short and would otherwise wait a slice for each piece of
 * running work; then one piece of running work continues. Lanes take turns, however much work waits on one of them.
 */
export class Scheduler {
  readonly #parts: SchedulerParts;
  /** When the loop's present turn began, in the clock's milliseconds; `null` until it is measured. */
  #turnBegan: number | null = null;
  #unmeasuredStarts = 0;
  /** The lanes with new work in their queue, the next one first. */
  readonly #beginning: SchedulerLane[] = [];
  /** The lanes with running work in their queue, the next one first. */
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

  /** Counts new work; returns false when the loop has been held for a slice already. Rarely reads the clock. */
  mayBegin(): boolean {
    if (this.#turnBegan === null) {
      this.#unmeasuredStarts++;
      if (this.#unmeasuredStarts < UNMEASURED_STARTS) return true;
    }
    return this.held() < SLICE_MILLISECONDS;
  }

  /** Queues the lane, which had no new work in its queue before, for new work. */
  enqueueBeginning(lane: SchedulerLane): void {
    this.#beginning.push(lane);
    // Measuring also schedules the next turn, in which the queue is served.
    this.held();
  }

  /** Queues the lane, which had no running work in its queue before, for running work. */
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
      // The new work begins in the microtask before this continues.
      await null;
      if (this.held() >= SLICE_MILLISECONDS) break;
    }
    const lane = this.#goingOn.shift();
    if (lane?.resumeNext() === true) this.#goingOn.push(lane);
  }
}

type Resume = () => void;

/** The queues of one lane, usually of one chain, that shares the event loop with other lanes. */
export class SchedulerLane implements Turns {
  readonly #scheduler: Scheduler;
  readonly #beginning: Resume[] = [];
  readonly #goingOn: Resume[] = [];

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** Returns another lane of the same scheduler. */
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
   * Must be called before work begins: returns `undefined` when it may begin at once, else a promise that resolves when
   * it may. Work begins in the order of these calls.
   */
  beginning(): Promise<void> | undefined {
    if (this.#beginning.length === 0 && this.#scheduler.mayBegin()) return undefined;
    return new Promise((resolve) => {
      if (this.#beginning.push(resolve) === 1) this.#scheduler.enqueueBeginning(this);
    });
  }

  /** Starts the new work that has waited longest. True when more waits. Must be called by the scheduler only. */
  beginNext(): boolean {
    this.#beginning.shift()?.();
    return this.#beginning.length > 0;
  }

  /** Continues the running work that has waited longest. True when more waits. Must be called by the scheduler only. */
  resumeNext(): boolean {
    this.#goingOn.shift()?.();
    return this.#goingOn.length > 0;
  }
}
