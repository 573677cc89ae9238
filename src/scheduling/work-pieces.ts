// Divides long tasks into pieces, so that the event loop stays responsive.

import { type Hex, hexKey, toHex } from '../primitives/hex.ts';
import { type CheckInterrupt, nextTurn, uninterrupted } from './interrupt.ts';
import { SLICE_MILLISECONDS, type Turns } from './scheduler.ts';
import type { Task } from './task.ts';

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

/** Runs the task without a yield and returns its result. */
export function inOnePiece<Result>(work: (pieces: WorkPieces) => Task<Result>): Result {
  const step = work(new WorkPieces(uninterrupted, Number.POSITIVE_INFINITY)).next();
  if (step.done !== true) throw new Error('a task that runs in one piece must not yield');
  return step.value;
}

/** Returns the converted items in order. `work` returns the work units of an item. */
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

/** The number of strings sorted without a yield, and the work units to move one. */
const SORTED_AT_ONCE = 2 ** 10;
const SORTING_WORK = 32;

/** Sorts strings as `Array.prototype.sort` does, with yields. */
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

/** Joins the parts into one new array, with yields. */
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

/** Bytes converted without a yield. */
const WRITTEN_AT_ONCE = 2 ** 16;

/** Returns the bytes as DATA, like `toHex`. Yields for long input. */
export function* hexInPieces(bytes: Uint8Array, pieces: WorkPieces): Task<Hex> {
  if (bytes.length <= WRITTEN_AT_ONCE) return toHex(bytes);
  const parts = ['0x'];
  for (let start = 0; start < bytes.length; start += WRITTEN_AT_ONCE) {
    parts.push(hexKey(bytes.subarray(start, start + WRITTEN_AT_ONCE)));
    const turn = pieces.spend(WRITTEN_AT_ONCE);
    if (turn !== undefined) yield turn;
  }
  // `join` creates a flat string. Concatenation creates a rope that is flattened on first read.
  const text = parts.join('') as Hex;
  const turn = pieces.spend(text.length);
  if (turn !== undefined) yield turn;
  return text;
}
