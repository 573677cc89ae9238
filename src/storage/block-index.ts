// The facts that are kept in memory of every block, so that most questions about a block need not read it from storage.

import { ChangesWalk } from '../history/changes-walk.ts';
import { StateHistory } from '../history/state-history.ts';
import { ByteRows } from '../primitives/off-heap.ts';
import { BLOOM_SIZE } from '../protocol/receipt.ts';
import type { Task } from '../scheduling/task.ts';
import type { WorkPieces } from '../scheduling/work-pieces.ts';
import type { AccountDifference } from '../state/account-differences.ts';
import type { WorldState } from '../state/world-state.ts';
import type { BloomTest } from './log-criteria.ts';
import { BloomSections, lowerBound, type SectionSkip } from './log-index.ts';
import { ReservedRange } from './reserved-range.ts';

/** The data that is kept in memory of every block: enough to answer for it without reading storage. */
export interface BlockSummary {
  readonly hash: Uint8Array;
  /** `null` when the block has no logs. */
  readonly logsBloom: Uint8Array | null;
}

/** The entry of one block, or of a range of reserved ones. */
export type BlockIndexItem = BlockSummary | ReservedRange;

const HASH_SIZE = 32;
const NO_HASH = new Uint8Array(HASH_SIZE);
/** Stands where a block without logs has no bloom. */
const NO_BLOOM = -1;

/**
 * Consecutive blocks from any number on. Each ordinary block has an entry, and each range of reserved blocks has one
 * entry for all. The place of an entry is the number of entries before it.
 */
export class BlockIndex {
  /** The number of the block at the first place. */
  readonly first: number;
  /** By place, the range, or the row of the bloom of a block. */
  readonly #entries: (ReservedRange | number)[] = [];
  /** By place, the hash of the block. A million arrays would take several times as much memory. */
  readonly #hashes = new ByteRows(HASH_SIZE);
  readonly #blooms = new ByteRows(BLOOM_SIZE);
  readonly #sections = new BloomSections((place) => this.#bloomAt(place));
  /** By place, the state after the block, or after each block of the range. */
  readonly #states: StateHistory;
  /** The first number of each range, ascending. */
  readonly #firsts: number[] = [];
  /** The place of each range, ascending. */
  readonly #places: number[] = [];

  /** Creates an empty index whose first block is to have that number. */
  constructor(first = 0, states = new StateHistory()) {
    this.first = first;
    this.#states = states;
  }

  /** The number of entries. */
  get length(): number {
    return this.#entries.length;
  }

  /** Appends an entry and its state; a range must begin with the next number. */
  push(entry: BlockIndexItem, state: WorldState): void {
    if (entry instanceof ReservedRange) {
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

  /** Removes the entries from that place on. */
  truncate(place: number): void {
    this.#sections.truncate(place);
    const bloom = this.#firstBloomFrom(place);
    if (bloom !== NO_BLOOM) this.#blooms.truncate(bloom);
    this.#hashes.truncate(place);
    this.#entries.length = Math.min(place, this.#entries.length);
    this.#states.truncate(place);
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
  #range(count: number): { readonly place: number; readonly range: ReservedRange } | undefined {
    // V8 looks up an index below 0 as a name.
    const place = count === 0 ? undefined : this.#places[count - 1];
    const range = place === undefined ? undefined : this.#entries[place];
    return place !== undefined && range instanceof ReservedRange ? { place, range } : undefined;
  }

  /** Returns the place of the entry that contains the block with that number, or will once there are enough blocks. */
  placeOf(number: number): number {
    // Most chains have no ranges, and are asked for places several times with each block.
    if (this.#firsts.length === 0) return number - this.first;
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
    if (this.#firsts.length === 0) return undefined;
    const range = this.#range(lowerBound(this.#firsts, number + 1))?.range;
    return range?.includes(number) === true ? range : undefined;
  }

  /** Returns the summary of the block with that number, or `undefined`. */
  summary(number: number): BlockSummary | undefined {
    const place = this.placeOf(number);
    const entry = this.#entries[place];
    if (entry === undefined) return undefined;
    if (entry instanceof ReservedRange) return summaryIn(entry, number);
    return { hash: this.#hashes.at(place), logsBloom: this.#bloomAt(place) };
  }

  #bloomAt(place: number): Uint8Array | null {
    const entry = this.#entries[place];
    return typeof entry === 'number' && entry !== NO_BLOOM ? this.#blooms.at(entry) : null;
  }

  /** Returns what leaves out, of the places of a search, the sections that the test rules out. */
  skip(mayMatch: BloomTest): SectionSkip {
    return this.#sections.skip(mayMatch);
  }

  /** False when the test of blooms rules out that the entry at a place has a log that is looked for. */
  entryMayHave(place: number, mayMatch: BloomTest): boolean {
    const entry = this.#entries[place];
    return typeof entry === 'number' && entry !== NO_BLOOM && this.#blooms.read(entry, mayMatch);
  }

  /** True for a block that has logs. */
  hasLogs(number: number): boolean {
    const entry = this.#entries[this.placeOf(number)];
    return typeof entry === 'number' && entry !== NO_BLOOM;
  }

  /** Returns the state after the block with that number; `undefined` when there is none. */
  state(number: number): WorldState | undefined {
    const place = this.placeOf(number);
    return place in this.#entries ? this.#states.at(place) : undefined;
  }

  /** Returns a walk along the changes of the states by their places, during which nothing may change. */
  changesWalk(): ChangesWalk {
    return new ChangesWalk(this.#states);
  }

  /** True when the state after the block is known to be the very one before it. */
  isUnchanged(number: number): boolean {
    return this.rangeAt(number) !== undefined || this.#states.isUnchanged(this.placeOf(number));
  }

  /**
   * Replaces the state after a block. Throws a `RangeError` when the block is missing, or is in a range, whose blocks
   * all have one state.
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
 * The changes of consecutive blocks, and single states after them, by the numbers of the blocks. Nothing may change between two
 * questions. A revert, which asks none, makes no {@link ChangesWalk}.
 */
export class BlockWalk {
  readonly index: BlockIndex;
  #walk: ChangesWalk | undefined;

  constructor(index: BlockIndex) {
    this.index = index;
  }

  get #changesWalk(): ChangesWalk {
    this.#walk ??= this.index.changesWalk();
    return this.#walk;
  }

  /** Returns the accounts in which the state after the block differs from that of the entry below; `null` where it is not known. */
  changes(number: number, pieces: WorkPieces): Task<readonly AccountDifference[] | null> {
    return this.#changesWalk.at(this.index.placeOf(number), pieces);
  }

  /** Returns the state after the block, which is made in pieces. */
  state(number: number, pieces: WorkPieces): Task<WorldState> {
    return this.#changesWalk.state(this.index.placeOf(number), pieces);
  }
}

/** Returns the summary of a block in a range. Its hash is computed on access, because not all callers want it. */
function summaryIn(range: ReservedRange, number: number): BlockSummary {
  return {
    get hash() {
      return range.hashOf(number);
    },
    logsBloom: null,
  };
}
