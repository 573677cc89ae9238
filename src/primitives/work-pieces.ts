import { type CheckInterrupt, nextTurn, uninterrupted } from './interrupt.ts';
import type { Turns } from './scheduler.ts';
import type { Task } from './task.ts';

/**
 * Units of work between two turns of the event loop. A unit is about what reading, writing or making one character of JSON
 * takes, so that all of them take some milliseconds at most.
 */
const UNITS_PER_TURN = 2 ** 18;

/**
 * Divides long work into pieces between which everybody else is heard. Work that is smaller than a piece takes no turn, and
 * so costs nothing but the counting. The work of a request takes the turns of its chain, so that of many such pieces of work
 * one alone goes on in each turn of the event loop.
 */
export class WorkPieces {
  readonly #checkInterrupt: CheckInterrupt;
  readonly #size: number;
  readonly #turns: Turns | undefined;
  #done = 0;

  /**
   * `checkInterrupt` is called after each turn; `size` is the units of work in a piece. Where there are no `turns`, the work
   * goes on in each turn of the event loop.
   */
  constructor(
    checkInterrupt: CheckInterrupt = uninterrupted,
    size = UNITS_PER_TURN,
    turns: Turns | undefined = checkInterrupt.turns,
  ) {
    this.#checkInterrupt = checkInterrupt;
    this.#size = size;
    this.#turns = turns;
  }

  /**
   * Counts units of work. Returns `undefined` while the piece is not full, else the turn that has to be waited for
   * before the work goes on; that promise is rejected with what the check throws.
   */
  spend(units: number): Promise<void> | undefined {
    this.#done += units;
    if (this.#done < this.#size) return undefined;
    this.#done = 0;
    const turn = this.#turns?.wait() ?? nextTurn();
    return turn.then(this.#checkInterrupt);
  }
}

/** Returns the converted items in their order; `work` gives the units of work that an item takes. */
export function* mapInPieces<Item, Result>(
  items: Iterable<Item>,
  pieces: WorkPieces,
  work: (item: Item) => number,
  convert: (item: Item) => Result,
): Task<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    results.push(convert(item));
    const turn = pieces.spend(work(item));
    if (turn !== undefined) yield turn;
  }
  return results;
}
