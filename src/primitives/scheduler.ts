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

/** What a scheduler takes from its surroundings. */
export interface SchedulerParts {
  readonly clock: MonotonicClock;
  /** Calls `action` in the next turn of the event loop, after what has arrived by then. */
  readonly defer: (action: () => void) => void;
}

const SYSTEM: SchedulerParts = { clock: monotonicClock, defer: (action) => void setImmediate(action) };

/**
 * Shares the event loop among the work of several lanes. When the loop has been held for a slice of time, work that is
 * under way and work that is about to begin wait in the queue of their lane. In each turn of the loop one of them goes
 * on, and the lanes come one after the other, however much waits on one of them.
 */
export class Scheduler {
  readonly #parts: SchedulerParts;
  /** When the loop's present turn began, in the clock's milliseconds; `null` as long as it has not been measured. */
  #turnBegan: number | null = null;
  #unmeasuredStarts = 0;
  /** The lanes in which work waits, the next one first. */
  readonly #waiting: SchedulerLane[] = [];

  constructor(parts: SchedulerParts = SYSTEM) {
    this.#parts = parts;
  }

  /** A new lane. */
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

  /** Counts work that begins; false when the loop has been held for a slice already. Rarely reads the clock. */
  mayBegin(): boolean {
    if (this.#turnBegan === null) {
      this.#unmeasuredStarts++;
      if (this.#unmeasuredStarts < UNMEASURED_STARTS) return true;
    }
    return this.held() < SLICE_MILLISECONDS;
  }

  /** Lets the lane, in which nothing has waited yet, have its turn when it comes. */
  enqueue(lane: SchedulerLane): void {
    this.#waiting.push(lane);
    // The measuring of a turn goes on into the next one, where what waits goes on.
    this.held();
  }

  readonly #nextTurn = (): void => {
    this.#unmeasuredStarts = 0;
    const lane = this.#waiting.shift();
    if (lane === undefined) {
      this.#turnBegan = null;
      return;
    }
    this.#turnBegan = this.#parts.clock.now();
    this.#parts.defer(this.#nextTurn);
    if (lane.resumeNext()) this.#waiting.push(lane);
  };
}

type Resume = () => void;

/** The work of one lane, say of one chain, that shares the event loop with that of others. */
export class SchedulerLane implements Turns {
  readonly #scheduler: Scheduler;
  readonly #beginning: Resume[] = [];
  readonly #goingOn: Resume[] = [];
  #wasBeginning = false;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** A lane of its own beside this one. */
  sibling(): SchedulerLane {
    return this.#scheduler.createLane();
  }

  held(): number {
    return this.#scheduler.held();
  }

  wait(): Promise<void> {
    return this.#waitIn(this.#goingOn);
  }

  /**
   * To be asked before work begins: `undefined` when it may at once, else a promise that resolves when it may. Work begins
   * in the order in which it asked.
   */
  beginning(): Promise<void> | undefined {
    if (this.#beginning.length === 0 && this.#scheduler.mayBegin()) return undefined;
    return this.#waitIn(this.#beginning);
  }

  #waitIn(queue: Resume[]): Promise<void> {
    const isFirst = this.#beginning.length + this.#goingOn.length === 0;
    return new Promise((resolve) => {
      queue.push(resolve);
      if (isFirst) this.#scheduler.enqueue(this);
    });
  }

  /**
   * Lets what waits first go on: work that begins and work under way in turns. True when more waits. To be called by the
   * scheduler.
   */
  resumeNext(): boolean {
    this.#wasBeginning = this.#goingOn.length === 0 || (this.#beginning.length > 0 && !this.#wasBeginning);
    const resume = (this.#wasBeginning ? this.#beginning : this.#goingOn).shift();
    resume?.();
    return this.#beginning.length + this.#goingOn.length > 0;
  }
}
