import type { WorldState } from '../state/world-state.ts';
import { lowerBound } from './log-index.ts';
import { ReservedRange } from './reserved-range.ts';

/** What is kept at hand of every block: enough to answer for it without reading storage. */
export interface BlockSummary {
  readonly hash: Uint8Array;
  readonly state: WorldState;
  /** `null` when the block has no logs. */
  readonly logsBloom: Uint8Array | null;
}

/** One block that is kept by itself, or a range of reserved ones. */
export type BlockIndexItem = BlockSummary | ReservedRange;

/**
 * Blocks in their order, from one with any number on. Those kept by themselves have an entry each, a range of reserved
 * ones has one entry for all. The place of an entry is the number of entries before it.
 */
export class BlockIndex {
  /** The number of the block at the first place. */
  readonly first: number;
  readonly #entries: BlockIndexItem[] = [];
  /** The first number of each range, ascending. */
  readonly #firsts: number[] = [];
  /** The place of each range, ascending. */
  readonly #places: number[] = [];

  /** An empty line whose first block is to have that number. */
  constructor(first = 0) {
    this.first = first;
  }

  /** How many entries there are. */
  get length(): number {
    return this.#entries.length;
  }

  /** Puts an entry at the end; a range must begin with the number that comes next. */
  push(entry: BlockIndexItem): void {
    if (entry instanceof ReservedRange) {
      this.#firsts.push(entry.first);
      this.#places.push(this.#entries.length);
    }
    this.#entries.push(entry);
  }

  /** Takes away the entries from that place on. */
  truncate(place: number): void {
    this.#entries.length = place;
    this.#places.length = lowerBound(this.#places, place);
    this.#firsts.length = this.#places.length;
  }

  /** The entry at a place, or `undefined`. */
  at(place: number): BlockIndexItem | undefined {
    return this.#entries[place];
  }

  /** The place of the last of the ranges at or before those up to `count`, and the range. */
  #range(count: number): { readonly place: number; readonly range: ReservedRange } | undefined {
    const place = this.#places[count - 1];
    const range = place === undefined ? undefined : this.#entries[place];
    return place !== undefined && range instanceof ReservedRange ? { place, range } : undefined;
  }

  /** The place of the entry that the block with that number has, or would have once there are enough blocks. */
  placeOf(number: number): number {
    const nearest = this.#range(lowerBound(this.#firsts, number + 1));
    if (nearest === undefined) return number - this.first;
    return nearest.place + Math.max(0, number - nearest.range.last);
  }

  /** The number of the block at a place, the lowest one of a range. */
  numberAt(place: number): number {
    const nearest = this.#range(lowerBound(this.#places, place + 1));
    if (nearest === undefined) return this.first + place;
    const { range } = nearest;
    return place === nearest.place ? range.first : range.last + place - nearest.place;
  }

  /** The range that the block with that number is in, or `undefined`. */
  rangeAt(number: number): ReservedRange | undefined {
    const range = this.#range(lowerBound(this.#firsts, number + 1))?.range;
    return range?.includes(number) === true ? range : undefined;
  }

  /** What is at hand of the block with that number, or `undefined`. */
  summary(number: number): BlockSummary | undefined {
    const entry = this.#entries[this.placeOf(number)];
    return entry instanceof ReservedRange ? summaryIn(entry, number) : entry;
  }

  /**
   * Puts another state in the place of that after a block. Throws a `RangeError` when the block is not there, or is one
   * of a range: all of these have one state.
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

/** The hash is made when it is asked for: most want the state. */
function summaryIn(range: ReservedRange, number: number): BlockSummary {
  return {
    get hash() {
      return range.hashOf(number);
    },
    state: range.state,
    logsBloom: null,
  };
}
