// Fair scheduling of long tasks on the event loop, between lanes and alongside short tasks.

import { defer, type MonotonicClock, monotonicClock } from '../primitives/clock.ts';
import { type Priority, PriorityQueue, type Resume } from './priority-queue.ts';
import { SLICE_MILLISECONDS } from './slice-length.ts';

/** Starts of short tasks before the scheduler measures an iteration. Most iterations have fewer. */
const UNMEASURED_STARTS = 16;

/** Maximum number of started tasks of unknown length. Many do little until their first await. */
const STARTS_AT_ONCE = 4;

/** Several tasks may start together if a start (until its first await) takes less, in milliseconds. */
const SHORT_START = 0.25;

/** Maximum milliseconds that long tasks wait while connections open in sequence. */
const OPENING_MILLISECONDS = 8;

/** The time slices of a long task. */
export interface Yielder {
  /** Returns how long the event loop has been blocked in this iteration, in milliseconds, if measured. */
  blockedFor(): number;
  /** Resolves when other tasks have run and this task may continue. */
  wait(): Promise<void>;
  /**
   * Call it before the first wait of a long task. If the number of long tasks is limited, it returns a
   * promise that resolves on admission, or `undefined` if the task may continue immediately.
   */
  admission?(): Promise<void> | undefined;
  /**
   * Settles like `awaited`, or rejects if the client has disconnected. The time does not count towards the
   * time limit. Absent for a task without a client.
   */
  untimed?<Result>(awaited: Promise<Result>): Promise<Result>;
  /**
   * For a task that can restart and has had a short share. If all places for long tasks are taken, it returns
   * a promise once. The task must abort, and may restart when the promise resolves. Otherwise it returns
   * `undefined`.
   */
  preempted?(): Promise<void> | undefined;
  /**
   * Call it for every opened connection. libuv accepts one per iteration of the event loop. Otherwise a
   * client behind hundreds of connections would wait for as many time slices.
   */
  connectionOpened?(): void;
}

export interface SchedulerDependencies {
  readonly clock: MonotonicClock;
  /** Calls `action` in the next iteration of the event loop, after all events that have arrived. */
  readonly defer: (action: () => void) => void;
  /** Calls `action` in the present iteration, when all started tasks have reached an await. */
  readonly afterMicrotasks: (action: () => void) => void;
}

const settled = Promise.resolve();

/** Calls the action after the pending microtasks. */
export function afterMicrotasks(action: () => void): void {
  void settled.then(() => process.nextTick(action));
}

const SYSTEM: SchedulerDependencies = {
  clock: monotonicClock,
  defer,
  afterMicrotasks,
};

/**
 * Shares the event loop between the tasks of several lanes. After a time slice, running and new tasks wait in
 * the queues of their lane. In each iteration, new tasks start until the slice is over, at least one, because
 * most are short. Then one running task continues. The lanes take turns in sequence, independent of their
 * queue lengths. A few tasks may start together; further ones start when the duration of the earlier starts
 * is known.
 */
export class Scheduler {
  readonly #dependencies: SchedulerDependencies;
  /** Start of the present iteration in clock milliseconds; `null` until it is measured. */
  #turnBegan: number | null = null;
  #unmeasuredStarts = 0;
  /** Time of the first unmeasured start. */
  #firstStart = 0;
  /** The number of started tasks that have not ended. */
  #running = 0;
  /** True if a connection opened since the last iteration. */
  #hasOpened = false;
  /** Start of a sequence of iterations with an opened connection; `null` if the last had none. */
  #openingSince: number | null = null;
  /** True while waiting tasks start in the present iteration. */
  #isBeginning = false;
  /** The lanes with tasks that wait to start, next one first. */
  readonly #beginning: RunQueue[] = [];
  /** The lanes with running tasks that wait to continue, next one first. */
  readonly #goingOn: RunQueue[] = [];

  constructor(dependencies: SchedulerDependencies = SYSTEM) {
    this.#dependencies = dependencies;
  }

  createQueue(): RunQueue {
    return new RunQueue(this);
  }

  /** See {@link Yielder.blockedFor}. */
  blockedFor(): number {
    const now = this.#dependencies.clock.now();
    if (this.#turnBegan !== null) return now - this.#turnBegan;
    this.#measureFrom(now);
    return 0;
  }

  #measureFrom(now: number): void {
    this.#turnBegan = now;
    this.#dependencies.defer(this.#nextIteration);
  }

  /** Counts a new task. Returns false if it must wait: the slice is over or many tasks have started. */
  mayBegin(): boolean {
    if (this.#running >= STARTS_AT_ONCE || this.#isHeld()) return false;
    this.#running++;
    return true;
  }

  /** Without a measurement, all time since a recent start may belong to one iteration. Measuring is rare. */
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

  /** Call it when a waiting task has started. */
  hasBegun(): void {
    this.#running++;
  }

  /** Call it when a started task has ended. */
  hasEnded(): void {
    this.#running--;
  }

  /** Queues a lane whose queue of new tasks was empty. */
  enqueueBeginning(lane: RunQueue): void {
    this.#beginning.push(lane);
    // The measurement continues into the next iteration and lets waiting tasks continue there.
    if (this.blockedFor() < SLICE_MILLISECONDS) this.#beginSoon();
  }

  /** Queues a lane whose queue of running tasks was empty. */
  enqueueContinuation(lane: RunQueue): void {
    this.#goingOn.push(lane);
    this.blockedFor();
  }

  readonly #nextIteration = (): void => {
    this.#unmeasuredStarts = 0;
    if (this.#beginning.length === 0 && this.#goingOn.length === 0) {
      this.#turnBegan = null;
      return;
    }
    const now = this.#dependencies.clock.now();
    this.#turnBegan = now;
    this.#dependencies.defer(this.#nextIteration);
    if (!this.#isOpening(now)) void this.#useTurn();
  };

  /** See {@link Yielder.connectionOpened}. */
  connectionOpened(): void {
    this.#hasOpened = true;
  }

  /** True while connections open in sequence, up to the maximum time. */
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

  /** Starts waiting tasks in the present iteration, after every started task has reached its first await. */
  #beginSoon(): void {
    if (this.#isBeginning) return;
    this.#isBeginning = true;
    this.#dependencies.afterMicrotasks(() => {
      this.#isBeginning = false;
      if (this.blockedFor() < SLICE_MILLISECONDS) void this.#begin();
    });
  }

  /** Starts waiting tasks until the slice is over, one by one, or a few together while they are short. */
  async #begin(): Promise<void> {
    this.#isBeginning = true;
    let atOnce = 1;
    let heldBefore = this.blockedFor();
    while (this.#beginning.length > 0) {
      for (let begun = 0; begun < atOnce; begun++) this.#beginNext();
      await this.#done();
      const held = this.blockedFor();
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

  /** Resolves when every started task has reached its first await. */
  #done(): Promise<void> {
    return new Promise((resolve) => this.#dependencies.afterMicrotasks(resolve));
  }
}

/** The queues of one lane, usually of one chain. Lanes share the event loop. */
export class RunQueue implements Yielder {
  readonly #scheduler: Scheduler;
  readonly #beginning = new PriorityQueue();
  readonly #goingOn: Resume[] = [];

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  sibling(): RunQueue {
    return this.#scheduler.createQueue();
  }

  blockedFor(): number {
    return this.#scheduler.blockedFor();
  }

  connectionOpened(): void {
    this.#scheduler.connectionOpened();
  }

  wait(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#goingOn.push(resolve) === 1) this.#scheduler.enqueueContinuation(this);
    });
  }

  /**
   * Call it before a task starts. Returns `undefined` if the task may start immediately, else a promise that
   * resolves when it may. Tasks start in the order of these calls, except for their priority. Call
   * {@link ended} at the end of the task.
   */
  beginning(priority: Priority = 'fifo'): Promise<void> | undefined {
    const isFirst = this.#beginning.length === 0 || this.#beginning.isFirst(priority);
    if (isFirst && this.#scheduler.mayBegin()) return undefined;
    return this.#queued(priority);
  }

  /** Lets a started task wait until it may restart, after all tasks that wait to start. */
  restart(): Promise<void> {
    this.#scheduler.hasEnded();
    return this.#queued('restart');
  }

  #queued(priority: Priority | 'restart'): Promise<void> {
    return new Promise((resolve) => {
      const isAlone = this.#beginning.length === 0;
      this.#beginning.push(priority, resolve);
      if (isAlone) this.#scheduler.enqueueBeginning(this);
    });
  }

  /** Call it when an admitted task has ended. */
  ended(): void {
    this.#scheduler.hasEnded();
  }

  /** Starts the next task. Returns true if more tasks wait. For the scheduler only. */
  beginNext(): boolean {
    this.#scheduler.hasBegun();
    this.#beginning.shift()?.();
    return this.#beginning.length > 0;
  }

  /** Continues the oldest waiting running task. Returns true if more wait. For the scheduler only. */
  resumeNext(): boolean {
    this.#goingOn.shift()?.();
    return this.#goingOn.length > 0;
  }
}
