// The facts about every block that stay in memory, so that most requests need no read from storage.

import type { StateHistory, StateWalk } from '../history/state-history.ts';
import { ByteRows } from '../primitives/off-heap.ts';
import type { Steps } from '../primitives/steps.ts';
import { BLOOM_SIZE } from '../protocol/receipt.ts';
import type { AccountDifference } from '../state/account-differences.ts';
import type { WorldState } from '../state/world-state.ts';
import { EmptyBlockRange } from './empty-block-range.ts';
import type { BloomTest } from './log-criteria.ts';
import { BloomSections, lowerBound, type SectionSkip } from './log-index.ts';

/** The data of a block that stay in memory. */
export interface BlockSummary {
  readonly hash: Uint8Array;
  /** `null` if the block has no logs. */
  readonly logsBloom: Uint8Array | null;
}

/** The entry of one block or of a range of reserved blocks. */
export type BlockIndexItem = BlockSummary | EmptyBlockRange;

const HASH_SIZE = 32;
const NO_HASH = new Uint8Array(HASH_SIZE);
/** Marks an entry without a bloom. */
const NO_BLOOM = -1;

/**
 * The index of consecutive blocks from any number. An ordinary block has one entry, and a range of reserved
 * blocks has one entry. An entry's place is its index in the list of entries.
 */
export class BlockIndex {
  /** The number of the first block. */
  readonly first: number;
  /** Per place: the range, or the row of the block's bloom. */
  readonly #entries: (EmptyBlockRange | number)[] = [];
  /** Per place: the block's hash. Separate arrays would take several times the memory. */
  readonly #hashes = new ByteRows(HASH_SIZE);
  readonly #blooms = new ByteRows(BLOOM_SIZE);
  readonly #sections = new BloomSections((place, read) => {
    const entry = this.#entries[place];
    if (typeof entry === 'number' && entry !== NO_BLOOM) this.#blooms.read(entry, read);
  });
  /** Per place: the state after the block, or after each block of the range. */
  readonly #states: StateHistory;
  /** The first number of each range, ascending. */
  readonly #firsts: number[] = [];
  /** The place of each range, ascending. */
  readonly #places: number[] = [];

  /** Creates an empty index. `first` is the number of its first block. */
  constructor(first: number, states: StateHistory) {
    this.first = first;
    this.#states = states;
  }

  get length(): number {
    return this.#entries.length;
  }

  /** Appends an entry and its state. A range must begin with the next number. */
  push(entry: BlockIndexItem, state: WorldState): void {
    if (entry instanceof EmptyBlockRange) {
      this.#firsts.push(entry.first);
      this.#places.push(this.#entries.length);
      this.#entries.push(entry);
      this.#hashes.push(NO_HASH);
    } else {
      const { hash, logsBloom } = entry;
      this.#entries.push(logsBloom === null ? NO_BLOOM : this.#blooms.push(logsBloom));
      this.#hashes.push(hash);
    }
    this.#states.push(state);
    this.#sections.push(this.#entries.length);
  }

  /** Removes the entries from this place. */
  truncate(place: number): void {
    this.#sections.truncate(place);
    const bloom = this.#firstBloomFrom(place);
    if (bloom !== NO_BLOOM) this.#blooms.truncate(bloom);
    this.#hashes.truncate(place);
    this.#entries.length = Math.min(place, this.#entries.length);
    this.#states.drop(place);
    if (this.#places.length === 0) return;
    this.#places.length = lowerBound(this.#places, place);
    this.#firsts.length = this.#places.length;
  }

  #firstBloomFrom(place: number): number {
    for (let at = place; at < this.#entries.length; at++) {
      const entry = this.#entries[at];
      if (typeof entry === 'number' && entry !== NO_BLOOM) return entry;
    }
    return NO_BLOOM;
  }

  /** Returns the last of the first `count` ranges, and its place. */
  #range(count: number): { readonly place: number; readonly range: EmptyBlockRange } | undefined {
    // V8 treats a negative index as a property name, a slow lookup.
    const place = count === 0 ? undefined : this.#places[count - 1];
    const range = place === undefined ? undefined : this.#entries[place];
    return place !== undefined && range instanceof EmptyBlockRange ? { place, range } : undefined;
  }

  /** Returns the place of the block's entry. The block need not exist yet. */
  placeOf(number: number): number {
    // Fast path: most chains have no ranges, and each block needs several lookups.
    if (this.#firsts.length === 0) return number - this.first;
    const nearest = this.#range(lowerBound(this.#firsts, number + 1));
    if (nearest === undefined) return number - this.first;
    return nearest.place + Math.max(0, number - nearest.range.last);
  }

  /** Returns the number of the block at a place. For a range it is the lowest number. */
  numberAt(place: number): number {
    const nearest = this.#range(lowerBound(this.#places, place + 1));
    if (nearest === undefined) return this.first + place;
    const { range } = nearest;
    return place === nearest.place ? range.first : range.last + place - nearest.place;
  }

  /** Returns the range that contains the block, or `undefined`. */
  rangeAt(number: number): EmptyBlockRange | undefined {
    if (this.#firsts.length === 0) return undefined;
    const range = this.#range(lowerBound(this.#firsts, number + 1))?.range;
    return range?.includes(number) === true ? range : undefined;
  }

  summary(number: number): BlockSummary | undefined {
    const place = this.placeOf(number);
    const entry = this.#entries[place];
    if (entry === undefined) return undefined;
    if (entry instanceof EmptyBlockRange) return summaryIn(entry, number);
    return { hash: this.#hashes.at(place), logsBloom: this.#bloomAt(place) };
  }

  #bloomAt(place: number): Uint8Array | null {
    const entry = this.#entries[place];
    return typeof entry === 'number' && entry !== NO_BLOOM ? this.#blooms.at(entry) : null;
  }

  /** Returns a filter that skips sections whose bloom does not match. */
  skip(mayMatch: BloomTest): SectionSkip {
    return this.#sections.skip(mayMatch);
  }

  /** Returns false if the entry's bloom excludes a match. */
  entryMayHave(place: number, mayMatch: BloomTest): boolean {
    const entry = this.#entries[place];
    return typeof entry === 'number' && entry !== NO_BLOOM && this.#blooms.read(entry, mayMatch);
  }

  hasLogs(number: number): boolean {
    const entry = this.#entries[this.placeOf(number)];
    return typeof entry === 'number' && entry !== NO_BLOOM;
  }

  /** Returns the state after the block, or `undefined`. */
  state(number: number): WorldState | undefined {
    const place = this.placeOf(number);
    return place in this.#entries ? this.#states.at(place) : undefined;
  }

  /** Returns a walk along the state changes. The index must not change during the walk. */
  walk(): StateWalk {
    return this.#states.walk();
  }

  /** True if the state after the block is known to equal the state before it. */
  isUnchanged(number: number): boolean {
    return this.rangeAt(number) !== undefined || this.#states.isUnchanged(this.placeOf(number));
  }

  /**
   * Replaces the state after a block. Throws a `RangeError` if the block is missing or in a range, because
   * all blocks of a range share one state.
   */
  replaceState(number: number, state: WorldState): void {
    const place = this.placeOf(number);
    if (typeof this.#entries[place] !== 'number') {
      throw new RangeError(`block ${number} has no record of its own`);
    }
    this.#states.replace(place, state);
  }
}

/**
 * Reads the state changes of consecutive blocks, and single states after them, by block number. The index
 * must not change between two reads. The {@link StateWalk} is created on first use, because a revert does
 * not need it.
 */
export class BlockWalk {
  readonly index: BlockIndex;
  #states: StateWalk | undefined;

  constructor(index: BlockIndex) {
    this.index = index;
  }

  get #walk(): StateWalk {
    this.#states ??= this.index.walk();
    return this.#states;
  }

  /** Returns the accounts that differ from the state of the entry below; `null` if unknown. */
  changes(number: number): Steps<readonly AccountDifference[] | null> {
    return this.#walk.changes(this.index.placeOf(number));
  }

  /** Returns the state after the block. Yields while it is computed. */
  state(number: number): Steps<WorldState> {
    return this.#walk.state(this.index.placeOf(number));
  }
}

/** The hash is computed on access, because not all readers need it. */
function summaryIn(range: EmptyBlockRange, number: number): BlockSummary {
  return {
    get hash() {
      return range.hashOf(number);
    },
    logsBloom: null,
  };
}
