// Divides long tasks into time slices, so that the event loop stays responsive.

import { type CancelCheck, neverCancelled, nextIteration } from './cancel-check.ts';
import type { Yielder } from './scheduler.ts';
import { SLICE_MILLISECONDS } from './slice-length.ts';

/** Work units between two yields, a few milliseconds. A unit is about one character of JSON. */
const UNITS_PER_SLICE = 2 ** 18;

/**
 * Work units between two reads of the clock, if the task has time slices. The time per unit is approximate,
 * and other tasks may have blocked the event loop before.
 */
const UNITS_PER_CLOCK_READ = 2 ** 14;

/**
 * Divides a long task into time slices with yields in between. Smaller tasks only count their work and never
 * yield. Tasks of a request use the time slices of its chain, so that one of many long tasks continues per
 * iteration of the event loop.
 */
export class TimeSlice {
  readonly #checkCancelled: CancelCheck;
  readonly #size: number;
  readonly #yielder: Yielder | undefined;
  #done = 0;
  /** Work units at the next read of the clock. */
  #nextLook: number;

  /**
   * `checkCancelled` is called after each yield; `size` is the number of work units in a time slice. Without
   * `yielder`, the task continues in each iteration of the event loop.
   */
  constructor(
    checkCancelled: CancelCheck = neverCancelled,
    size = UNITS_PER_SLICE,
    yielder: Yielder | undefined = checkCancelled.yielder,
  ) {
    this.#checkCancelled = checkCancelled;
    this.#size = size;
    this.#yielder = yielder;
    this.#nextLook = this.#firstLook();
  }

  #firstLook(): number {
    return this.#yielder === undefined ? this.#size : Math.min(this.#size, UNITS_PER_CLOCK_READ);
  }

  /**
   * Counts work units. Returns `undefined` while the time slice is not over.
   * Otherwise it returns a promise that the task must await; it rejects with the check's error.
   */
  spend(units: number): Promise<void> | undefined {
    this.#done += units;
    if (this.#done < this.#nextLook || !this.#isFull()) return undefined;
    this.#done = 0;
    this.#nextLook = this.#firstLook();
    const turn = this.#yielder?.wait() ?? nextIteration();
    return turn.then(this.#checkCancelled);
  }

  #isFull(): boolean {
    if (
      this.#yielder === undefined ||
      this.#done >= this.#size ||
      this.#yielder.blockedFor() >= SLICE_MILLISECONDS
    )
      return true;
    this.#nextLook = Math.min(this.#size, this.#done + UNITS_PER_CLOCK_READ);
    return false;
  }
}
