// The start order of the tasks in a lane.

import { LinkedQueue } from '../primitives/linked-queue.ts';

/**
 * The place of a task in its lane's queue. A read-only task may be reordered: short ones (`early`) can start
 * before long ones (`late`). All other tasks keep their order (`inOrder`).
 */
export type Precedence = 'early' | 'late' | 'inOrder';

/** Resumes a waiting task. */
export type Resume = () => void;

/** Starvation limit: one low-priority task runs after this many other tasks. */
const MOST_OVERTAKING = 64;

/** Tasks that wait to start. */
export class BeginningQueue {
  /** Tasks in arrival order. They precede all later ones. */
  readonly #inOrder = new LinkedQueue<Resume>();
  /** Early tasks that arrived while late tasks waited. */
  readonly #early = new LinkedQueue<Resume>();
  readonly #late = new LinkedQueue<Resume>();
  /** Tasks that had a short share, and restart after all others. */
  readonly #again = new LinkedQueue<Resume>();
  /** Early tasks started since the last late task. */
  #overtaking = 0;
  /** Other tasks started since the last restart. */
  #overtakingAgain = 0;

  /** The number of waiting tasks. Changed by {@link push} and {@link shift} only. */
  length = 0;

  /** True if a new task with this precedence would be the first. */
  isFirst(precedence: Precedence): boolean {
    return precedence === 'early' ? !this.#hasBeforeLate : !this.#hasNew;
  }

  get #hasBeforeLate(): boolean {
    return !(this.#inOrder.isEmpty && this.#early.isEmpty);
  }

  get #hasNew(): boolean {
    return this.#hasBeforeLate || !this.#late.isEmpty;
  }

  /** Adds a task. Use `again` for a restart. */
  push(precedence: Precedence | 'again', resume: Resume): void {
    this.length++;
    if (precedence === 'again') this.#again.push(resume);
    else if (precedence === 'late') this.#late.push(resume);
    else if (precedence === 'early' && !this.#late.isEmpty) this.#early.push(resume);
    else {
      // All earlier tasks stay before it.
      this.#inOrder.takeAll(this.#early);
      this.#inOrder.takeAll(this.#late);
      this.#inOrder.push(resume);
    }
  }

  /** Removes and returns the next task. */
  shift(): Resume | undefined {
    if (this.length === 0) return undefined;
    this.length--;
    if (this.#hasNew && (this.#overtakingAgain < MOST_OVERTAKING || this.#again.isEmpty)) {
      this.#overtakingAgain++;
      return this.#shiftNew();
    }
    this.#overtakingAgain = 0;
    return this.#again.shift();
  }

  #shiftNew(): Resume | undefined {
    const next = this.#inOrder.shift();
    if (next !== undefined) return next;
    if (this.#overtaking < MOST_OVERTAKING || this.#late.isEmpty) {
      const early = this.#early.shift();
      if (early !== undefined) {
        this.#overtaking++;
        return early;
      }
    }
    this.#overtaking = 0;
    return this.#late.shift();
  }
}
