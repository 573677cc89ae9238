// The start order of the tasks in a lane.

import { LinkedQueue } from '../primitives/linked-queue.ts';

/**
 * The place of a task in its lane's queue. A read-only task may be reordered: short ones (`high`) can start
 * before long ones (`low`). All other tasks keep their order (`fifo`).
 */
export type Priority = 'high' | 'low' | 'fifo';

/** Resumes a waiting task. */
export type Resume = () => void;

/** Starvation limit: one low-priority task runs after this many other tasks. */
const STARVATION_LIMIT = 64;

/** Tasks that wait to start. */
export class PriorityQueue {
  /** Tasks in arrival order. They precede all later ones. */
  readonly #fifo = new LinkedQueue<Resume>();
  /** Early tasks that arrived while late tasks waited. */
  readonly #high = new LinkedQueue<Resume>();
  readonly #low = new LinkedQueue<Resume>();
  /** Tasks that had a short share, and restart after all others. */
  readonly #restarting = new LinkedQueue<Resume>();
  /** Early tasks started since the last late task. */
  #overtaking = 0;
  /** Other tasks started since the last restart. */
  #overtakingRestarts = 0;

  /** The number of waiting tasks. Changed by {@link push} and {@link shift} only. */
  length = 0;

  /** True if a new task with this priority would be the first. */
  isFirst(priority: Priority): boolean {
    return priority === 'high' ? !this.#hasBeforeLow : !this.#hasNew;
  }

  get #hasBeforeLow(): boolean {
    return !(this.#fifo.isEmpty && this.#high.isEmpty);
  }

  get #hasNew(): boolean {
    return this.#hasBeforeLow || !this.#low.isEmpty;
  }

  /** Adds a task. Use `restart` for a restart. */
  push(priority: Priority | 'restart', resume: Resume): void {
    this.length++;
    if (priority === 'restart') this.#restarting.push(resume);
    else if (priority === 'low') this.#low.push(resume);
    else if (priority === 'high' && !this.#low.isEmpty) this.#high.push(resume);
    else {
      // All earlier tasks stay before it.
      this.#fifo.takeAll(this.#high);
      this.#fifo.takeAll(this.#low);
      this.#fifo.push(resume);
    }
  }

  /** Removes and returns the next task. */
  shift(): Resume | undefined {
    if (this.length === 0) return undefined;
    this.length--;
    if (this.#hasNew && (this.#overtakingRestarts < STARVATION_LIMIT || this.#restarting.isEmpty)) {
      this.#overtakingRestarts++;
      return this.#shiftNew();
    }
    this.#overtakingRestarts = 0;
    return this.#restarting.shift();
  }

  #shiftNew(): Resume | undefined {
    const next = this.#fifo.shift();
    if (next !== undefined) return next;
    if (this.#overtaking < STARVATION_LIMIT || this.#low.isEmpty) {
      const next = this.#high.shift();
      if (next !== undefined) {
        this.#overtaking++;
        return next;
      }
    }
    this.#overtaking = 0;
    return this.#low.shift();
  }
}
