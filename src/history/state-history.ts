// The states after consecutive blocks. Old states are stored as bytes: a few in full, most as differences.

import { WorldState } from '../state/world-state.ts';
import { StateArchive } from './state-archive.ts';
import {
  type Difference,
  type DifferenceChanges,
  type KeptDifference,
  NO_DIFFERENCE,
  StateDifferences,
} from './state-differences.ts';

/** The limits for states in full. All other states are stored as differences. */
export interface StateHistoryLimits {
  /** The number of newest states in full. They are read most often. */
  readonly recent: number;
  /** The distance between older full states, counted from the first state. */
  readonly spacing: number;
  /** Maximum accounts and slots in the differences between full states, to limit the time to apply them. */
  readonly changes: number;
  /** The distance between cached computed states. All states within one step are cached too. */
  readonly step: number;
}

/** The limits of a chain in memory. */
export const LIMITS: StateHistoryLimits = { recent: 1_024, spacing: 256, changes: 4_096, step: 32 };
/** The limits of a chain that stores every state. */
export const NO_DIFFERENCES: StateHistoryLimits = { ...LIMITS, recent: Number.POSITIVE_INFINITY };

/** Maximum number of computed states in each cache. */
const MOST_COMPUTED = 64;

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

function archivePlace(entry: number): number {
  return FIRST_ARCHIVED - entry - 1;
}

/** A state that is archived step by step, a few nodes per block. */
interface Archiving {
  readonly place: number;
  readonly state: WorldState;
  readonly work: Generator<undefined, number, undefined>;
}

/**
 * The states after consecutive blocks. The place of a state counts from 0. The own nodes of a state take
 * about 4 kB, its difference from the next state about 100 bytes. A state that is stored as a difference is
 * computed on access. Older full states, except the first, are archived as bytes.
 */
export class StateHistory {
  readonly #limits: StateHistoryLimits;
  /** Per place. A difference leads from the state above to the state of its place. */
  readonly #entries: Entry[] = [];
  readonly #differences = new StateDifferences();
  /** Per place: a diff that leads from a newer state down to a full state. */
  readonly #beside = new Map<number, Difference>();
  #archive: StateArchive | undefined;
  /** The places of states to archive, and the end of the archive after each archived state. */
  #waiting: number[] = [];
  #archived: { readonly place: number; readonly end: number }[] = [];
  #archiving: Archiving | undefined;
  /** Computed states, one per step. The key is the place. */
  readonly #steps = new Map<number, WorldState>();
  /** Computed states within one step. The key is the place. */
  readonly #computed = new Map<number, WorldState>();
  /** The lowest place that was not considered for a difference yet. */
  #next = 0;
  /** The accounts and slots in differences since the last full state. */
  #changesSince = 0;

  constructor(limits = LIMITS) {
    this.#limits = limits;
  }

  /** Appends a state. The oldest recent state becomes a difference, unless it has too many changes. */
  push(state: WorldState): void {
    this.#entries.push(state);
    while (this.#next + this.#limits.recent < this.#entries.length) this.#condense(this.#next++);
    if (this.#archiving === undefined && this.#waiting.length === 0) return;
    // Archives more if several states wait, so that the queue does not grow.
    for (let turns = this.#waiting.length; turns >= 0; turns--) this.#archiveSome();
  }

  /** Returns the state at a place. Throws a `RangeError` for a missing state. */
  at(place: number): WorldState {
    const known = this.#known(place);
    if (known !== undefined) return known;
    if (this.#entries[place] === undefined) throw new RangeError(`there is no state at ${place}`);
    return this.#compute(place);
  }

  /** True if the state is stored in full, so it is read without others. */
  isWhole(place: number): boolean {
    return isWhole(this.#entries[place]);
  }

  /** Returns the changes from the state above to the state at a place; `null` if no difference is stored. */
  changesFromAbove(place: number): DifferenceChanges | null {
    const entry = this.#entries[place];
    const difference = isDifference(entry) ? entry : this.#beside.get(place);
    return difference === undefined ? null : this.#differences.changes(difference);
  }

  /** True if the state is known to equal the state below. */
  isUnchanged(place: number): boolean {
    const below = this.#entries[place - 1];
    return below === NO_DIFFERENCE || (isWhole(below) && below === this.#entries[place]);
  }

  /** Replaces the state at a place, which must have one. */
  replace(place: number, state: WorldState): void {
    this.#keepWhole(place - 1);
    this.#set(place, state);
    this.#forgetFrom(place, place);
  }

  /** Removes the states from this place. */
  truncate(length: number): void {
    if (length >= this.#entries.length) return;
    this.#keepWhole(length - 1);
    for (let place = length; place < this.#entries.length; place++) this.#release(place);
    this.#entries.length = length;
    this.#forgetFrom(length, Number.POSITIVE_INFINITY);
    this.#forgetArchived(length);
    this.#differences.codes.dropFrom(length);
  }

  /**
   * Frees the archive's memory from this place. The archiving of a lower state continues, or restarts if its
   * memory lies behind freed memory.
   */
  #forgetArchived(length: number): void {
    if (this.#archiving === undefined && this.#waiting.length === 0 && this.#archived.length === 0) return;
    const begun = this.#archiving?.place;
    this.#waiting = this.#waiting.filter((place) => place < length);
    const isBegunLeft = begun === undefined || begun < length;
    if (isBegunLeft && this.#archived.every(({ place }) => place < length)) return;
    if (begun !== undefined && isBegunLeft) this.#waiting.unshift(begun);
    this.#archiving = undefined;
    this.#archived = this.#archived.filter(({ place }) => place < length);
    const end = this.#archived.at(-1)?.end;
    // A call may still read a removed state with the codes of its archive.
    const codes = this.#differences.codes.copy();
    this.#differences.codes = codes;
    this.#archive = end === undefined ? undefined : this.#archive?.until(end, codes);
  }

  /** Stores the state at a place in full, because the state above it will be removed. */
  #keepWhole(place: number): void {
    if (place < 0) return;
    this.#removeBeside(place);
    this.#next = Math.min(this.#next, place);
    // The differences below are not counted again, so the next state is stored in full.
    this.#changesSince = this.#limits.changes;
    if (!isWhole(this.#entries[place])) this.#set(place, this.at(place));
  }

  #set(place: number, state: WorldState): void {
    this.#release(place);
    this.#entries[place] = state;
  }

  /** Frees the memory of the difference at a place. */
  #release(place: number): void {
    this.#removeBeside(place);
    const entry = this.#entries[place];
    if (isDifference(entry)) this.#differences.remove(entry);
  }

  #forgetFrom(first: number, last: number): void {
    for (const computed of [this.#steps, this.#computed]) {
      for (const place of computed.keys()) if (place >= first && place <= last) computed.delete(place);
    }
  }

  #known(place: number): WorldState | undefined {
    const entry = this.#entries[place];
    if (entry instanceof WorldState) return entry;
    const computed = this.#computed.get(place) ?? this.#steps.get(place);
    if (computed !== undefined || !isArchived(entry)) return computed;
    const opened = this.#archive?.open(archivePlace(entry));
    if (opened !== undefined) keep(this.#steps, place, opened);
    return opened;
  }

  #compute(place: number): WorldState {
    const { step } = this.#limits;
    const path: number[] = [];
    let above = place;
    let state = this.#known(above);
    // The highest entry is always a state.
    while (state === undefined) {
      path.push(above++);
      state = this.#known(above);
    }
    const endOfStep = place - (place % step) + step;
    for (const lower of path.reverse()) {
      const entry = this.#entries[lower];
      if (isDifference(entry)) state = state.apply(this.#differences.changes(entry));
      if (lower % step === 0) keep(this.#steps, lower, state);
      if (lower < endOfStep) keep(this.#computed, lower, state);
    }
    return state;
  }

  /** Converts a state that is no longer recent to a difference, or queues it for the archive. */
  #condense(place: number): void {
    const { spacing, changes } = this.#limits;
    const isSpaced = place % spacing === 0;
    const found = isSpaced ? null : this.#replaceByDifference(place, changes - this.#changesSince);
    if (isSpaced) this.#keepBeside(place);
    this.#changesSince = found === null ? 0 : this.#changesSince + found;
    // All others are compared with the first state, which stays.
    if (found === null && place > 0) this.#waiting.push(place);
  }

  /** Archives some nodes of the state that has waited longest. */
  #archiveSome(): void {
    this.#archiving ??= this.#nextToArchive();
    if (this.#archiving === undefined) return;
    const { place, state, work } = this.#archiving;
    this.#differences.codes.place = place;
    const step = work.next();
    if (step.done !== true) return;
    this.#archiving = undefined;
    // The state may have been replaced meanwhile.
    if (this.#entries[place] !== state) return;
    this.#entries[place] = FIRST_ARCHIVED - 1 - step.value;
    this.#archived.push({ place, end: this.#archive?.end ?? 0 });
  }

  #nextToArchive(): Archiving | undefined {
    const place = this.#waiting.shift();
    const state = place === undefined ? undefined : this.#entries[place];
    if (place === undefined || !(state instanceof WorldState) || !isComparable(state)) return undefined;
    this.#archive ??= StateArchive.empty(this.#differences.codes);
    const last = this.#archived.findLast((archived) => isArchived(this.#entries[archived.place]));
    const before = this.#entries[last?.place ?? 0];
    const work = this.#archive.archive(state, isArchived(before) ? archivePlace(before) : comparable(before));
    return { place, state, work };
  }

  /** Replaces the state by its difference; returns the number of changes, or `null` if above `most`. */
  #replaceByDifference(place: number, most: number): number | null {
    const kept = this.#differenceTo(place, most);
    if (kept === null) return null;
    this.#entries[place] = kept.difference;
    return kept.changes;
  }

  /** Stores the difference between a full state and the state above. Upward walks start with it. */
  #keepBeside(place: number): void {
    this.#removeBeside(place);
    const kept = this.#differenceTo(place, this.#limits.changes);
    if (kept !== null) this.#beside.set(place, kept.difference);
  }

  #removeBeside(place: number): void {
    const difference = this.#beside.get(place);
    if (difference === undefined) return;
    this.#differences.remove(difference);
    this.#beside.delete(place);
  }

  /** Stores the difference from the state above, with at most `most` changes; `null` if impossible. */
  #differenceTo(place: number, most: number): KeptDifference | null {
    const [state, above] = [this.#entries[place], this.#entries[place + 1]];
    if (!(state instanceof WorldState) || !(above instanceof WorldState)) return null;
    if (!isComparable(state) || !isComparable(above)) return null;
    const differences = state === above ? [] : state.differencesFrom(above, most + 1);
    return this.#differences.add(place, differences, most);
  }
}

/** True if all nodes are in memory, so that the state can be compared without reads. */
function isComparable(state: WorldState): boolean {
  return state.isKnown && !state.isPartial;
}

/** True for an entry that needs no other one. */
function isWhole(entry: Entry | undefined): boolean {
  return entry instanceof WorldState || isArchived(entry);
}

/** Returns a state for comparisons, or `null`. */
function comparable(entry: Entry | undefined): WorldState | null {
  return entry instanceof WorldState && isComparable(entry) ? entry : null;
}

/** Caches a computed state and evicts the oldest above the limit. */
function keep(computed: Map<number, WorldState>, place: number, state: WorldState): void {
  computed.delete(place);
  computed.set(place, state);
  for (const oldest of computed.keys()) {
    if (computed.size <= MOST_COMPUTED) return;
    computed.delete(oldest);
  }
}
