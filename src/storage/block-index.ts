// The in-memory index of a chain's blocks by number.

import type { WorldState } from '../state/world-state.ts';
import { lowerBound } from './log-index.ts';
import { ReservedRange } from './reserved-range.ts';

/** The data that is kept in memory of every block: enough to answer for it without reading storage. */
export interface BlockSummary {
  readonly hash: Uint8Array;
  readonly state: WorldState;
  /** `null` when the block has no logs. */
  readonly logsBloom: Uint8Array | null;
}

/** The entry of one block, or of a range of reserved ones. */
export type BlockIndexItem = BlockSummary | ReservedRange;

/**
 * Consecutive blocks from any number on. Each ordinary block has an entry, and each range of reserved blocks has one
 * entry for all. The place of an entry is the number of entries before it.
 */
export class BlockIndex {
  /** The number of the block at the first place. */
  readonly first: number;
  readonly #entries: BlockIndexItem[] = [];
  /** The first number of each range, ascending. */
  readonly #firsts: number[] = [];
  /** The place of each range, ascending. */
  readonly #places: number[] = [];

  /** Creates an empty index whose first block is to have that number. */
  constructor(first = 0) {
    this.first = first;
  }

  /** The number of entries. */
  get length(): number {
    return this.#entries.length;
  }

  /** Appends an entry; a range must begin with the next number. */
  push(entry: BlockIndexItem): void {
    if (entry instanceof ReservedRange) {
      this.#firsts.push(entry.first);
      this.#places.push(this.#entries.length);
    }
    this.#entries.push(entry);
  }

  /** Removes the entries from that place on. */
  truncate(place: number): void {
    this.#entries.length = place;
    this.#places.length = lowerBound(this.#places, place);
    this.#firsts.length = this.#places.length;
  }

  /** Returns the entry at a place, or `undefined`. */
  at(place: number): BlockIndexItem | undefined {
    return this.#entries[place];
  }

  /** Returns the last of the first `count` ranges, and its place. */
  #range(count: number): { readonly place: number; readonly range: ReservedRange } | undefined {
    const place = this.#places[count - 1];
    const range = place === undefined ? undefined : this.#entries[place];
    return place !== undefined && range instanceof ReservedRange ? { place, range } : undefined;
  }

  /** Returns the place of the entry that contains the block with that number, or will once there are enough blocks. */
  placeOf(number: number): number {
    const nearest = this.#range(lowerBound(this.#firsts, number + 1));
    if (nearest === undefined) return number - this.first;
    return nearest.place + Math.max(0, number - nearest.range.last);
  }

  /** Returns the number of the block at a place; the lowest one of a range. */
  numberAt(place: number): number {
    const nearest = this.#range(lowerBound(this.#places, place + 1));
    if (nearest === undefined) return this.first + place;
    const { range } = nearest;
    return place === nearest.place ? range.first : range.last + place - nearest.place;
  }

  /** Returns the range that contains the block with that number, or `undefined`. */
  rangeAt(number: number): ReservedRange | undefined {
    const range = this.#range(lowerBound(this.#firsts, number + 1))?.range;
    return range?.includes(number) === true ? range : undefined;
  }

  /** Returns the summary of the block with that number, or `undefined`. */
  summary(number: number): BlockSummary | undefined {
    const entry = this.#entries[this.placeOf(number)];
    return entry instanceof ReservedRange ? summaryIn(entry, number) : entry;
  }

  /**
   * Replaces the state after a block. Throws a `RangeError` when the block is missing, or is in a range, whose blocks
   * all have one state.
   */
  replaceState(number: number, state: WorldState): void {
    const place = this.placeOf(number);
    const entry = this.#entries[place];
    if (entry === undefined || entry instanceof ReservedRange) {
      throw new RangeError(`there is no block ${number} that is kept by itself`);
    }
    this.#entries[place] = { ...entry, state };
  }
}

/** Returns the summary of a block in a range. Its hash is computed on access, because most callers want the state. */
function summaryIn(range: ReservedRange, number: number): BlockSummary {
  return {
    get hash() {
      return range.hashOf(number);
    },
    state: range.state,
    logsBloom: null,
  };
}
