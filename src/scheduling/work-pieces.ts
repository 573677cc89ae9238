// Divides long tasks into pieces, so that the event loop stays responsive.

import { type CheckInterrupt, nextTurn, uninterrupted } from './interrupt.ts';
import { SLICE_MILLISECONDS, type Turns } from './scheduler.ts';

/** Work units between two yields, a few milliseconds. A unit is about one character of JSON. */
const UNITS_PER_TURN = 2 ** 18;

/**
 * Work units between two reads of the clock, if the task has time slices. The time per unit is approximate,
 * and other tasks may have blocked the event loop before.
 */
const UNITS_PER_LOOK = 2 ** 14;

/**
 * Divides a long task into pieces with yields in between. Smaller tasks only count their work and never
 * yield. Tasks of a request use the time slices of its chain, so that one of many long tasks continues per
 * iteration of the event loop.
 */
export class WorkPieces {
  readonly #checkInterrupt: CheckInterrupt;
  readonly #size: number;
  readonly #turns: Turns | undefined;
  #done = 0;
  /** Work units at the next read of the clock. */
  #nextLook: number;

  /**
   * `checkInterrupt` is called after each yield; `size` is the number of work units in a piece. Without
   * `turns`, the task continues in each iteration of the event loop.
   */
  constructor(
    checkInterrupt: CheckInterrupt = uninterrupted,
    size = UNITS_PER_TURN,
    turns: Turns | undefined = checkInterrupt.turns,
  ) {
    this.#checkInterrupt = checkInterrupt;
    this.#size = size;
    this.#turns = turns;
    this.#nextLook = this.#firstLook();
  }

  #firstLook(): number {
    return this.#turns === undefined ? this.#size : Math.min(this.#size, UNITS_PER_LOOK);
  }

  /**
   * Counts work units. Returns `undefined` while the piece is not full and the time slice is not over.
   * Otherwise it returns a promise that the task must await; it rejects with the check's error.
   */
  spend(units: number): Promise<void> | undefined {
    this.#done += units;
    if (this.#done < this.#nextLook || !this.#isFull()) return undefined;
    this.#done = 0;
    this.#nextLook = this.#firstLook();
    const turn = this.#turns?.wait() ?? nextTurn();
    return turn.then(this.#checkInterrupt);
  }

  #isFull(): boolean {
    if (this.#turns === undefined || this.#done >= this.#size || this.#turns.held() >= SLICE_MILLISECONDS)
      return true;
    this.#nextLook = Math.min(this.#size, this.#done + UNITS_PER_LOOK);
    return false;
  }
}
