// Fair scheduling of long work on the event loop, among lanes and against short work.

import { type MonotonicClock, monotonicClock } from '../primitives/clock.ts';
import { BeginningQueue, type Precedence, type Resume } from './beginning-queue.ts';

/** The time for which work continues before other work runs, in milliseconds. */
export const SLICE_MILLISECONDS = 4;

/** Short work that begins before a turn of the event loop is measured: most turns hold less. */
const UNMEASURED_STARTS = 16;

/**
 * Work of which it is not known in advance how long it holds the loop. Much of it does nothing yet when it is begun, as
 * requests that come together are begun in one go.
 */
const STARTS_AT_ONCE = 4;

/** Milliseconds that work takes until it waits, or ends, where more of it may begin at once. */
const SHORT_START = 0.25;

/** Milliseconds for which long work waits while connections are opened one after the other. */
const OPENING_MILLISECONDS = 8;

/** The turns that long work takes among other work. */
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
  /**
   * Settles like `awaited`, or rejects if the client is gone. The time that it takes does not count for the time limit of the work.
   * Absent for work without a client.
   */
  untimed?<Result>(awaited: Promise<Result>): Promise<Result>;
  /**
   * May be called by work that has had a short share of its turn and can be begun anew. Where as much long work is in hand as may be,
   * returns once a promise that resolves when this one may begin again, which must then be abandoned until then; otherwise `undefined`.
   */
  another?(): Promise<void> | undefined;
  /**
   * Must be called when a connection has been opened. libuv accepts one in each turn of the loop, so that a caller behind hundreds of new
   * connections would wait for as many slices of work.
   */
  connectionOpened?(): void;
}

/** The dependencies of a scheduler. */
export interface SchedulerDependencies {
  readonly clock: MonotonicClock;
  /** Calls `action` in the next turn of the event loop, after all events that have arrived by then. */
  readonly defer: (action: () => void) => void;
  /** Calls `action` in the present turn of the event loop, when all that can be done without waiting has been done. */
  readonly afterMicrotasks: (action: () => void) => void;
}

const settled = Promise.resolve();

/** Calls the action after the microtasks of the event loop of this process. */
export function afterMicrotasks(action: () => void): void {
  void settled.then(() => process.nextTick(action));
}

const SYSTEM: SchedulerDependencies = {
  clock: monotonicClock,
  defer: (action) => void setImmediate(action),
  afterMicrotasks,
};

/**
 * Shares the event loop among the work of several lanes. When the loop has been held for a slice of time, work that is
 * under way and work that is about to begin wait in the queues of their lane. In each turn of the loop work
 * begins until a slice of time is over, at least one piece of it, since most of it is short and would wait a slice for each
 * other one otherwise; then one piece of work under way goes on. The lanes come one after the other, however much waits on
 * one of them. Of work that begins together, a few pieces begin at once, and each other one when it is known how long those
 * before it have held the loop.
 */
export class Scheduler {
  readonly #dependencies: SchedulerDependencies;
  /** The time at which the loop's present turn began, in the clock's milliseconds; `null` until it is measured. */
  #turnBegan: number | null = null;
  #unmeasuredStarts = 0;
  /** The time at which the first of these began. */
  #firstStart = 0;
  /** Work that has begun and has not ended. */
  #inHand = 0;
  /** True when a connection was opened since the last turn. */
  #hasOpened = false;
  /** The time since which one was opened in each turn; `null` when none was in the last one. */
  #openingSince: number | null = null;
  /** True while work that waits to begin does so in the present turn. */
  #isBeginning = false;
  /** The lanes in which work waits to begin, the next one first. */
  readonly #beginning: SchedulerLane[] = [];
  /** The lanes with running work in their queue, the next one first. */
  readonly #goingOn: SchedulerLane[] = [];

  constructor(dependencies: SchedulerDependencies = SYSTEM) {
    this.#dependencies = dependencies;
  }

  /** Returns a new lane. */
  createLane(): SchedulerLane {
    return new SchedulerLane(this);
  }

  /** See {@link Turns.held}. */
  held(): number {
    const now = this.#dependencies.clock.now();
    if (this.#turnBegan !== null) return now - this.#turnBegan;
    this.#measureFrom(now);
    return 0;
  }

  #measureFrom(now: number): void {
    this.#turnBegan = now;
    this.#dependencies.defer(this.#nextTurn);
  }

  /** Counts work that begins; false when it must wait, as the loop has been held for a slice or much has begun at once. */
  mayBegin(): boolean {
    if (this.#inHand >= STARTS_AT_ONCE || this.#isHeld()) return false;
    this.#inHand++;
    return true;
  }

  /** Rarely measures a turn of the loop: where none is, all the time since a start of late may have been one turn. */
  #isHeld(): boolean {
    const now = this.#dependencies.clock.now();
    if (this.#turnBegan === null) {
      if (this.#unmeasuredStarts === 0) this.#firstStart = now;
      this.#unmeasuredStarts++;
      const mayBeHeld = now - this.#firstStart >= SLICE_MILLISECONDS;
      if (!mayBeHeld && this.#unmeasuredStarts < UNMEASURED_STARTS) return false;
      this.#measureFrom(mayBeHeld ? this.#firstStart : now);
      return mayBeHeld;
    }
    return now - this.#turnBegan >= SLICE_MILLISECONDS;
  }

  /** Must be called when work has begun that waited for it. */
  hasBegun(): void {
    this.#inHand++;
  }

  /** Must be called when work that began has ended. */
  hasEnded(): void {
    this.#inHand--;
  }

  /** Queues the lane, which had no new work in its queue before, for new work. */
  enqueueBeginning(lane: SchedulerLane): void {
    this.#beginning.push(lane);
    // The measuring of a turn goes on into the next one, where what waits goes on.
    if (this.held() < SLICE_MILLISECONDS) this.#beginSoon();
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
    const now = this.#dependencies.clock.now();
    this.#turnBegan = now;
    this.#dependencies.defer(this.#nextTurn);
    if (!this.#isOpening(now)) void this.#useTurn();
  };

  /** See {@link Turns.connectionOpened}. */
  connectionOpened(): void {
    this.#hasOpened = true;
  }

  /** True when connections come together, and long work has not waited long for them. */
  #isOpening(now: number): boolean {
    this.#openingSince = this.#hasOpened ? (this.#openingSince ?? now) : null;
    this.#hasOpened = false;
    if (this.#openingSince === null) return false;
    if (now - this.#openingSince < OPENING_MILLISECONDS) return true;
    this.#openingSince = null;
    return false;
  }

  async #useTurn(): Promise<void> {
    if (this.#beginning.length > 0) await this.#begin();
    const lane = this.#goingOn.shift();
    if (lane?.resumeNext() === true) this.#goingOn.push(lane);
  }

  /** Lets what waits begin in the present turn, when what has begun has done what it can. */
  #beginSoon(): void {
    if (this.#isBeginning) return;
    this.#isBeginning = true;
    this.#dependencies.afterMicrotasks(() => {
      this.#isBeginning = false;
      if (this.held() < SLICE_MILLISECONDS) void this.#begin();
    });
  }

  /** Lets what waits begin until the turn's slice of time is over: by ones, and by a few while they are short. */
  async #begin(): Promise<void> {
    this.#isBeginning = true;
    let atOnce = 1;
    let heldBefore = this.held();
    while (this.#beginning.length > 0) {
      for (let begun = 0; begun < atOnce; begun++) this.#beginNext();
      await this.#done();
      const held = this.held();
      if (held >= SLICE_MILLISECONDS) break;
      atOnce = held - heldBefore < SHORT_START ? Math.min(2 * atOnce, STARTS_AT_ONCE) : 1;
      heldBefore = held;
    }
    this.#isBeginning = false;
  }

  #beginNext(): void {
    const lane = this.#beginning.shift();
    if (lane?.beginNext() === true) this.#beginning.push(lane);
  }

  /** Resolves when what has begun has done what it can. */
  #done(): Promise<void> {
    return new Promise((resolve) => this.#dependencies.afterMicrotasks(resolve));
  }
}

/** The queues of one lane, usually of one chain, that shares the event loop with other lanes. */
export class SchedulerLane implements Turns {
  readonly #scheduler: Scheduler;
  readonly #beginning = new BeginningQueue();
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

  connectionOpened(): void {
    this.#scheduler.connectionOpened();
  }

  wait(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#goingOn.push(resolve) === 1) this.#scheduler.enqueueGoingOn(this);
    });
  }

  /**
   * To be asked before work begins: `undefined` when it may at once, else a promise that resolves when it may. Work begins
   * in the order in which it asked, but for what its precedence says. {@link ended} is to be called when it has ended.
   */
  beginning(precedence: Precedence = 'inOrder'): Promise<void> | undefined {
    if (this.#beginning.isFirst(precedence) && this.#scheduler.mayBegin()) return undefined;
    return this.#queued(precedence);
  }

  /** Lets work that has begun wait until it may begin again, when all has begun that waits to. */
  beginAgain(): Promise<void> {
    this.#scheduler.hasEnded();
    return this.#queued('again');
  }

  #queued(precedence: Precedence | 'again'): Promise<void> {
    return new Promise((resolve) => {
      const isAlone = this.#beginning.isEmpty;
      this.#beginning.push(precedence, resolve);
      if (isAlone) this.#scheduler.enqueueBeginning(this);
    });
  }

  /** Must be called when work that was admitted has ended. */
  ended(): void {
    this.#scheduler.hasEnded();
  }

  /** Lets the work begin whose turn it is. True when more waits to. To be called by the scheduler. */
  beginNext(): boolean {
    this.#scheduler.hasBegun();
    this.#beginning.shift()?.();
    return !this.#beginning.isEmpty;
  }

  /** Continues the running work that has waited longest. True when more waits. Must be called by the scheduler only. */
  resumeNext(): boolean {
    this.#goingOn.shift()?.();
    return this.#goingOn.length > 0;
  }
}
