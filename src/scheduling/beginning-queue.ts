// The order in which the work of a lane begins.

import { LinkedQueue } from './linked-queue.ts';

/**
 * The place of work in the queue of its lane. Work keeps its place, unless it only reads: what is short may then begin before
 * what takes long (`early` before `late`), however much of that waits.
 */
export type Precedence = 'early' | 'late' | 'inOrder';

/** Lets work that waits go on. */
export type Resume = () => void;

/** So much early work begins before late work that has waited for longer, and other work before what begins again, then one piece of that. */
const MOST_OVERTAKING = 64;

/** Work that waits to begin. */
export class BeginningQueue {
  /** Work in its order; before all that follows. */
  readonly #inOrder = new LinkedQueue<Resume>();
  /** Early work that came when late work waited already. */
  readonly #early = new LinkedQueue<Resume>();
  readonly #late = new LinkedQueue<Resume>();
  /** Work that has had a short share, and waits to begin again behind all other. */
  readonly #again = new LinkedQueue<Resume>();
  /** Early work that has begun before the late work that has waited longest. */
  #overtaking = 0;
  /** Other work that has begun before the one that has waited longest to begin again. */
  #overtakingAgain = 0;

  get isEmpty(): boolean {
    return !this.#hasNew && this.#again.isEmpty;
  }

  /** True when no work waits that begins before new work with that precedence. */
  isFirst(precedence: Precedence): boolean {
    return precedence === 'early' ? !this.#hasBeforeLate : !this.#hasNew;
  }

  get #hasBeforeLate(): boolean {
    return !(this.#inOrder.isEmpty && this.#early.isEmpty);
  }

  get #hasNew(): boolean {
    return this.#hasBeforeLate || !this.#late.isEmpty;
  }

  /** Adds work; `again` is for work that has begun before. */
  push(precedence: Precedence | 'again', resume: Resume): void {
    if (precedence === 'again') this.#again.push(resume);
    else if (precedence === 'late') this.#late.push(resume);
    else if (precedence === 'early' && !this.#late.isEmpty) this.#early.push(resume);
    else {
      // All that came before keeps before it.
      this.#inOrder.takeAll(this.#early);
      this.#inOrder.takeAll(this.#late);
      this.#inOrder.push(resume);
    }
  }

  /** Takes out the work whose turn it is. */
  shift(): Resume | undefined {
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
