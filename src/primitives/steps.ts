// Long work in steps. The caller runs the steps, and can run other work between them.

import { type Hex, hexKey, toHex } from './hex.ts';

/**
 * A computation in steps. Each step yields its work units; a unit is about one character of JSON. The yield
 * returns true if other work ran before the next step.
 */
export type Steps<Result> = Generator<number, Result, unknown>;

/** Number of small items between two yields. A yield takes as long as the work for a few of them. */
export const ITEMS_PER_STEP = 64;

/**
 * Work units of small items between two yields. A yield resumes every generator that waits for it, so a yield
 * per item takes longer than the items of a block with many transactions.
 */
export const WORK_PER_STEP = 2 ** 12;

/** Runs all remaining steps and returns the result. */
export function finish<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** Steps of a result that is available already. */
export function* ready<Result>(result: Result): Steps<Result> {
  yield 1;
  return result;
}

/** Returns the converted items in order. `work` returns the work units of an item. */
export function* mapInSteps<Item, Result>(
  items: Iterable<Item>,
  work: (item: Item) => number,
  convert: (item: Item) => Result,
): Steps<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    results.push(convert(item));
    yield work(item);
  }
  return results;
}

/** The number of strings sorted in one step, and the work units to move one. */
const SORTED_AT_ONCE = 2 ** 10;
const SORTING_WORK = 32;

/** Sorts strings as `Array.prototype.sort` does. */
export function* sortInSteps(texts: Iterable<string>): Steps<string[]> {
  const all = Array.from(texts);
  let runs: string[][] = [];
  for (let start = 0; start < all.length; start += SORTED_AT_ONCE) {
    const run = all.slice(start, start + SORTED_AT_ONCE).sort();
    runs.push(run);
    yield 10 * SORTING_WORK * run.length;
  }
  while (runs.length > 1) {
    const merged: string[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(yield* mergeInSteps(runs[at] ?? [], runs[at + 1] ?? []));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergeInSteps(one: readonly string[], other: readonly string[]): Steps<string[]> {
  const merged: string[] = [];
  let [atOne, atOther] = [0, 0];
  while (atOne < one.length || atOther < other.length) {
    const [left, right] = [one[atOne], other[atOther]];
    const isLeft = right === undefined || (left !== undefined && left <= right);
    merged.push(String(isLeft ? left : right));
    if (isLeft) atOne++;
    else atOther++;
    if (merged.length % SORTED_AT_ONCE === 0) yield SORTING_WORK * SORTED_AT_ONCE;
  }
  return merged;
}

/** Joins the parts into one new array. */
export function* joinInSteps(parts: readonly Uint8Array[]): Steps<Uint8Array> {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
    yield part.length;
  }
  return joined;
}

/** Bytes converted in one step. */
const WRITTEN_AT_ONCE = 2 ** 16;

/** Returns the bytes as DATA, like `toHex`, for bytes that may be long. */
export function* hexInSteps(bytes: Uint8Array): Steps<Hex> {
  if (bytes.length <= WRITTEN_AT_ONCE) return toHex(bytes);
  const parts = ['0x'];
  for (let start = 0; start < bytes.length; start += WRITTEN_AT_ONCE) {
    parts.push(hexKey(bytes.subarray(start, start + WRITTEN_AT_ONCE)));
    yield WRITTEN_AT_ONCE;
  }
  // `join` creates a flat string. Concatenation creates a rope that is flattened on first read.
  const text = parts.join('') as Hex;
  yield text.length;
  return text;
}
