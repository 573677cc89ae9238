// Dividing long work into pieces, so that the event loop stays responsive.

import { type CheckInterrupt, nextTurn, uninterrupted } from './interrupt.ts';
import type { Turns } from './scheduler.ts';
import type { Task } from './task.ts';

/**
 * Units of work between two turns of the event loop. A unit is about the work of reading, writing or making one
 * character of JSON, so that a piece takes a few milliseconds at most.
 */
const UNITS_PER_TURN = 2 ** 18;

/**
 * Divides long work into pieces between which other work runs. Work that is smaller than a piece takes no turn, and
 * costs only the counting. The work of a request takes the turns of its chain, so that only one of many such pieces of
 * work continues in each turn of the event loop.
 */
export class WorkPieces {
  readonly #checkInterrupt: CheckInterrupt;
  readonly #size: number;
  readonly #turns: Turns | undefined;
  #done = 0;

  /**
   * `checkInterrupt` is called after each turn; `size` is the units of work in a piece. Without `turns`, the work
   * continues in each turn of the event loop.
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
   * Counts units of work. Returns `undefined` while the piece is not full, otherwise a promise of the turn that the
   * work must await before it continues; it rejects with what the check throws.
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
