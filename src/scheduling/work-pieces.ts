// Dividing long work into pieces, so that the event loop stays responsive.

import { type Hex, hexKey, toHex } from '../primitives/hex.ts';
import { type CheckInterrupt, nextTurn, uninterrupted } from './interrupt.ts';
import { SLICE_MILLISECONDS, type Turns } from './scheduler.ts';
import type { Task } from './task.ts';

/**
 * Units of work between two turns of the event loop. A unit is about the work of reading, writing or making one
 * character of JSON, so that a piece takes a few milliseconds at most.
 */
const UNITS_PER_TURN = 2 ** 18;

/**
 * Units of work between two looks at the clock, where there are turns: the time that a unit takes is only about known, and
 * others may have held the event loop before in the same turn.
 */
const UNITS_PER_LOOK = 2 ** 14;

/**
 * Divides long work into pieces between which other work runs. Work that is smaller than a piece takes no turn, and
 * so costs nothing but the counting. The work of a request takes the turns of its chain, so that of many such pieces of work
 * one alone goes on in each turn of the event loop.
 */
export class WorkPieces {
  readonly #checkInterrupt: CheckInterrupt;
  readonly #size: number;
  readonly #turns: Turns | undefined;
  #done = 0;
  /** The work at which the clock is looked at. */
  #nextLook: number;

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
    this.#nextLook = this.#firstLook();
  }

  #firstLook(): number {
    return this.#turns === undefined ? this.#size : Math.min(this.#size, UNITS_PER_LOOK);
  }

  /**
   * Counts units of work. Returns `undefined` while the piece is not full and the loop not held for a slice, else the turn
   * that has to be waited for before the work goes on; that promise is rejected with what the check throws.
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

/** Does the work in one piece, and returns its result. */
export function inOnePiece<Result>(work: (pieces: WorkPieces) => Task<Result>): Result {
  const step = work(new WorkPieces(uninterrupted, Number.POSITIVE_INFINITY)).next();
  if (step.done !== true) throw new Error('a task that runs in one piece must not yield');
  return step.value;
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

/** Texts that are sorted at once, and the units of work of moving one. */
const SORTED_AT_ONCE = 2 ** 10;
const SORTING_WORK = 32;

/** Returns the texts in their order as of `Array.prototype.sort`, in pieces where they are many. */
export function* sortedInPieces(texts: Iterable<string>, pieces: WorkPieces): Task<string[]> {
  const all = Array.from(texts);
  let runs: string[][] = [];
  for (let start = 0; start < all.length; start += SORTED_AT_ONCE) {
    const run = all.slice(start, start + SORTED_AT_ONCE).sort();
    runs.push(run);
    const turn = pieces.spend(10 * SORTING_WORK * run.length);
    if (turn !== undefined) yield turn;
  }
  while (runs.length > 1) {
    const merged: string[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(yield* mergedInPieces(runs[at] ?? [], runs[at + 1] ?? [], pieces));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergedInPieces(
  one: readonly string[],
  other: readonly string[],
  pieces: WorkPieces,
): Task<string[]> {
  const merged: string[] = [];
  let [atOne, atOther] = [0, 0];
  while (atOne < one.length || atOther < other.length) {
    const [left, right] = [one[atOne], other[atOther]];
    const isLeft = right === undefined || (left !== undefined && left <= right);
    merged.push(String(isLeft ? left : right));
    if (isLeft) atOne++;
    else atOther++;
    const turn = pieces.spend(SORTING_WORK);
    if (turn !== undefined) yield turn;
  }
  return merged;
}

/** Joins any number of parts into one new array, in pieces where they are long. */
export function* joinInPieces(parts: readonly Uint8Array[], pieces: WorkPieces): Task<Uint8Array> {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
    const turn = pieces.spend(part.length);
    if (turn !== undefined) yield turn;
  }
  return joined;
}

/** Bytes that are written at once. */
const WRITTEN_AT_ONCE = 2 ** 16;

/** The bytes as DATA, as `toHex` gives them; in pieces where they are long. */
export function* hexInPieces(bytes: Uint8Array, pieces: WorkPieces): Task<Hex> {
  if (bytes.length <= WRITTEN_AT_ONCE) return toHex(bytes);
  const parts = ['0x'];
  for (let start = 0; start < bytes.length; start += WRITTEN_AT_ONCE) {
    parts.push(hexKey(bytes.subarray(start, start + WRITTEN_AT_ONCE)));
    const turn = pieces.spend(WRITTEN_AT_ONCE);
    if (turn !== undefined) yield turn;
  }
  // Gives one text, where adding texts gives a chain of them that is joined when it is first read.
  const text = parts.join('') as Hex;
  const turn = pieces.spend(text.length);
  if (turn !== undefined) yield turn;
  return text;
}
