// The states after consecutive blocks. Old states are stored as bytes: a few in full, most as differences.

import { WorldState } from '../state/world-state.ts';
import { ChangesWalk } from './changes-walk.ts';
import { StateArchive } from './state-archive.ts';
import {
  type Difference,
  type DifferenceChanges,
  NO_DIFFERENCE,
  StateDifferences,
  type StoredDifference,
} from './state-differences.ts';
import type { StateHistory, StateWalk } from './state-history.ts';

/** The limits for states in full. All other states are stored as differences. */
export interface CompactHistoryLimits {
  /** The number of newest states in full. They are read most often. */
  readonly recent: number;
  /** The distance between older full states, counted from the first state. */
  readonly spacing: number;
  /** Maximum accounts and slots in the differences between full states, to limit the time to apply them. */
  readonly changes: number;
}

export const COMPACT_HISTORY_LIMITS: CompactHistoryLimits = { recent: 1_024, spacing: 256, changes: 4_096 };

/** Maximum number of cached computed states. */
const MAX_COMPUTED = 64;

/** Represents archive index -1. Higher archive indexes have lower numbers. */
const FIRST_ARCHIVED = -2;

/** A state, the number of an archived state, or a difference. Differences have higher numbers. */
type Entry = WorldState | Difference;

function isArchived(entry: Entry | undefined): entry is number {
  return typeof entry === 'number' && entry <= FIRST_ARCHIVED;
}

function isDifference(entry: Entry | undefined): entry is Difference {
  return entry instanceof Uint8Array || (typeof entry === 'number' && entry > FIRST_ARCHIVED);
}

function archiveIndex(entry: number): number {
  return FIRST_ARCHIVED - entry - 1;
}

/** A state that is archived step by step, a few nodes per block. */
interface Archiving {
  readonly index: number;
  readonly state: WorldState;
  readonly work: Generator<undefined, number, undefined>;
}

/**
 * Keeps the newest states as objects, and older states in few bytes. The own nodes of a state take about 4 kB,
 * its difference from the next state about 100 bytes. A state that is stored as a difference is computed on
 * access. Older full states, except the first, are archived as bytes.
 */
export class CompactHistory implements StateHistory {
  readonly #limits: CompactHistoryLimits;
  /** Per index. A difference leads from the state above to the state of its index. */
  readonly #entries: Entry[] = [];
  readonly #differences = new StateDifferences();
  /** Diffs by index. Each leads from the state above down to a full state. */
  readonly #toFull = new Map<number, Difference>();
  #archive: StateArchive | undefined;
  /** The indexes of states to archive, and the end of the archive after each archived state. */
  #waiting: number[] = [];
  #archived: { readonly index: number; readonly end: number }[] = [];
  #archiving: Archiving | undefined;
  /** Cached states by index. Readers of consecutive blocks need them. */
  readonly #computed = new Map<number, WorldState>();
  /** The lowest index that was not considered for a difference yet. */
  #next = 0;
  /** The accounts and slots in differences since the last full state. */
  #changesSince = 0;

  constructor(limits = COMPACT_HISTORY_LIMITS) {
    this.#limits = limits;
  }

  /** The oldest recent state becomes a difference, unless it has too many changes. */
  push(state: WorldState): void {
    this.#entries.push(state);
    while (this.#next + this.#limits.recent < this.#entries.length) this.#condense(this.#next++);
    if (this.#archiving === undefined && this.#waiting.length === 0) return;
    // Archives more if several states wait, so that the queue does not grow.
    for (let steps = this.#waiting.length; steps >= 0; steps--) this.#archiveSome();
  }

  at(index: number): WorldState {
    const known = this.#known(index);
    if (known !== undefined) return known;
    if (this.#entries[index] === undefined) throw new RangeError(`there is no state at ${index}`);
    return this.#compute(index);
  }

  /** True if the state is stored in full, so it is read without others. */
  isFull(index: number): boolean {
    return isFull(this.#entries[index]);
  }

  /** Returns the changes from the state above to the state at an index; `null` if no difference is stored. */
  changesFromAbove(index: number): DifferenceChanges | null {
    const entry = this.#entries[index];
    const difference = isDifference(entry) ? entry : this.#toFull.get(index);
    return difference === undefined ? null : this.#differences.changes(difference);
  }

  isUnchanged(index: number): boolean {
    const below = this.#entries[index - 1];
    return below === NO_DIFFERENCE || (isFull(below) && below === this.#entries[index]);
  }

  walk(): StateWalk {
    return new ChangesWalk(this);
  }

  replace(index: number, state: WorldState): void {
    this.#keepFull(index - 1);
    this.#set(index, state);
    this.#forgetFrom(index, index);
  }

  drop(length: number): void {
    if (length >= this.#entries.length) return;
    this.#keepFull(length - 1);
    for (let index = length; index < this.#entries.length; index++) this.#release(index);
    this.#entries.length = length;
    this.#forgetFrom(length, Number.POSITIVE_INFINITY);
    this.#forgetArchived(length);
    this.#differences.codes.dropFrom(length);
  }

  /**
   * Frees the archive's memory from this index. The archiving of a lower state continues, or restarts if its
   * memory lies behind freed memory.
   */
  #forgetArchived(length: number): void {
    if (this.#archiving === undefined && this.#waiting.length === 0 && this.#archived.length === 0) return;
    const begun = this.#archiving?.index;
    this.#waiting = this.#waiting.filter((index) => index < length);
    const isBegunLeft = begun === undefined || begun < length;
    if (isBegunLeft && this.#archived.every(({ index }) => index < length)) return;
    if (begun !== undefined && isBegunLeft) this.#waiting.unshift(begun);
    this.#archiving = undefined;
    this.#archived = this.#archived.filter(({ index }) => index < length);
    const end = this.#archived.at(-1)?.end;
    // A call may still read a removed state with the codes of its archive.
    const codes = this.#differences.codes.copy();
    this.#differences.codes = codes;
    this.#archive = end === undefined ? undefined : this.#archive?.until(end, codes);
  }

  /** Stores the state at an index in full, because the state above it will be removed. */
  #keepFull(index: number): void {
    if (index < 0) return;
    this.#removeToFull(index);
    this.#next = Math.min(this.#next, index);
    // The differences below are not counted again, so the next state is stored in full.
    this.#changesSince = this.#limits.changes;
    if (!isFull(this.#entries[index])) this.#set(index, this.at(index));
  }

  #set(index: number, state: WorldState): void {
    this.#release(index);
    this.#entries[index] = state;
  }

  /** Frees the memory of the difference at an index. */
  #release(index: number): void {
    this.#removeToFull(index);
    const entry = this.#entries[index];
    if (isDifference(entry)) this.#differences.remove(entry);
  }

  #forgetFrom(first: number, last: number): void {
    for (const index of this.#computed.keys())
      if (index >= first && index <= last) this.#computed.delete(index);
  }

  #known(index: number): WorldState | undefined {
    const entry = this.#entries[index];
    if (entry instanceof WorldState) return entry;
    const computed = this.#computed.get(index);
    if (computed !== undefined || !isArchived(entry)) return computed;
    const opened = this.#archive?.open(archiveIndex(entry));
    if (opened !== undefined) this.#cache(index, opened);
    return opened;
  }

  #compute(index: number): WorldState {
    const path: number[] = [];
    let above = index;
    let state = this.#known(above);
    // The highest entry is always a state.
    while (state === undefined) {
      path.push(above++);
      state = this.#known(above);
    }
    for (const lower of path.reverse()) {
      const entry = this.#entries[lower];
      if (isDifference(entry)) state = state.apply(this.#differences.changes(entry));
      if (lower < index + MAX_COMPUTED) this.#cache(lower, state);
    }
    return state;
  }

  /** Caches a computed state and evicts the oldest above the limit. */
  #cache(index: number, state: WorldState): void {
    this.#computed.delete(index);
    this.#computed.set(index, state);
    for (const oldest of this.#computed.keys()) {
      if (this.#computed.size <= MAX_COMPUTED) return;
      this.#computed.delete(oldest);
    }
  }

  /** Converts a state that is no longer recent to a difference, or queues it for the archive. */
  #condense(index: number): void {
    const { spacing, changes } = this.#limits;
    const isSpaced = index % spacing === 0;
    const found = isSpaced ? null : this.#replaceByDifference(index, changes - this.#changesSince);
    if (isSpaced) this.#keepToFull(index);
    this.#changesSince = found === null ? 0 : this.#changesSince + found;
    // All others are compared with the first state, which stays.
    if (found === null && index > 0) this.#waiting.push(index);
  }

  /** Archives some nodes of the state that has waited longest. */
  #archiveSome(): void {
    this.#archiving ??= this.#nextToArchive();
    if (this.#archiving === undefined) return;
    const { index, state, work } = this.#archiving;
    this.#differences.codes.index = index;
    const step = work.next();
    if (step.done !== true) return;
    this.#archiving = undefined;
    // The state may have been replaced meanwhile.
    if (this.#entries[index] !== state) return;
    this.#entries[index] = FIRST_ARCHIVED - 1 - step.value;
    this.#archived.push({ index, end: this.#archive?.end ?? 0 });
  }

  #nextToArchive(): Archiving | undefined {
    const index = this.#waiting.shift();
    const state = index === undefined ? undefined : this.#entries[index];
    if (index === undefined || !(state instanceof WorldState) || !isComparable(state)) return undefined;
    this.#archive ??= StateArchive.empty(this.#differences.codes);
    const last = this.#archived.findLast((archived) => isArchived(this.#entries[archived.index]));
    const before = this.#entries[last?.index ?? 0];
    const work = this.#archive.archive(state, isArchived(before) ? archiveIndex(before) : comparable(before));
    return { index, state, work };
  }

  /** Replaces the state by its difference; returns the number of changes, or `null` if above `most`. */
  #replaceByDifference(index: number, most: number): number | null {
    const kept = this.#differenceTo(index, most);
    if (kept === null) return null;
    this.#entries[index] = kept.difference;
    return kept.changes;
  }

  /** Stores the difference between a full state and the state above. Upward walks start with it. */
  #keepToFull(index: number): void {
    this.#removeToFull(index);
    const kept = this.#differenceTo(index, this.#limits.changes);
    if (kept !== null) this.#toFull.set(index, kept.difference);
  }

  #removeToFull(index: number): void {
    const difference = this.#toFull.get(index);
    if (difference === undefined) return;
    this.#differences.remove(difference);
    this.#toFull.delete(index);
  }

  /** Stores the difference from the state above, with at most `most` changes; `null` if impossible. */
  #differenceTo(index: number, most: number): StoredDifference | null {
    const [state, above] = [this.#entries[index], this.#entries[index + 1]];
    if (!(state instanceof WorldState) || !(above instanceof WorldState)) return null;
    if (!isComparable(state) || !isComparable(above)) return null;
    const differences = state === above ? [] : state.differencesFrom(above, most + 1);
    return this.#differences.add(index, differences, most);
  }
}

/** True if all nodes are in memory, so that the state can be compared without reads. */
function isComparable(state: WorldState): boolean {
  return state.isKnown && !state.isPartial;
}

/** True for an entry that needs no other one. */
function isFull(entry: Entry | undefined): boolean {
  return entry instanceof WorldState || isArchived(entry);
}

/** Returns a state for comparisons, or `null`. */
function comparable(entry: Entry | undefined): WorldState | null {
  return entry instanceof WorldState && isComparable(entry) ? entry : null;
}
