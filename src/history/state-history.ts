// The states after consecutive blocks, of which old ones are kept as bytes: some whole, most as differences.

import { WorldState } from '../state/world-state.ts';
import { StateArchive } from './state-archive.ts';
import {
  type Difference,
  type DifferenceChanges,
  type KeptDifference,
  NO_DIFFERENCE,
  StateDifferences,
} from './state-differences.ts';

/** The parts of a history that are kept as states. All other states are kept as differences. */
export interface StateHistoryLimits {
  /** The number of the newest states, which are asked for most often and are all kept. */
  readonly recent: number;
  /** The distance between older states from which those below them are computed, counted from the first state. */
  readonly spacing: number;
  /** The most accounts and slots in all the differences between two states that are kept; more would take long to apply. */
  readonly changes: number;
  /** The distance between computed states that are kept for a while; so are all of them up to the next of these. */
  readonly step: number;
}

/** The limits of a chain in memory. */
export const LIMITS: StateHistoryLimits = { recent: 1_024, spacing: 256, changes: 4_096, step: 32 };
/** The limits of a chain whose states are all kept. */
export const NO_DIFFERENCES: StateHistoryLimits = { ...LIMITS, recent: Number.POSITIVE_INFINITY };

/** The number of computed states of each kind that are kept. */
const MOST_COMPUTED = 64;

/** Stands for the state at the place -1 of the archive; those at the places from there on have the numbers below. */
const FIRST_ARCHIVED = -2;

/** A state, the number of an archived one, or a difference, whose numbers are above those. */
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

/** A state that is being archived, a few nodes with each block. */
interface Archiving {
  readonly place: number;
  readonly state: WorldState;
  readonly work: Generator<undefined, number, undefined>;
}

/**
 * The states after consecutive blocks by their place, from 0 on. The nodes of a state that no other state has take some 4 kB,
 * its difference from the next one some hundred bytes; a state that is kept as a difference is computed when it is asked for. The
 * older ones of those that are kept whole are archived as bytes, too, but for the first one.
 */
export class StateHistory {
  readonly #limits: StateHistoryLimits;
  /** By place. A difference leads to the state of its place from the state above it. */
  readonly #entries: Entry[] = [];
  readonly #differences = new StateDifferences();
  /** By place, the differences that lead to states that are kept whole, from those above them. */
  readonly #beside = new Map<number, Difference>();
  #archive: StateArchive | undefined;
  /** The places of states to be archived, and where the archive ended after each that was. */
  #waiting: number[] = [];
  #archived: { readonly place: number; readonly end: number }[] = [];
  #archiving: Archiving | undefined;
  /** Computed states by place, one in each step. */
  readonly #steps = new Map<number, WorldState>();
  /** Computed states by place, all those within one step. */
  readonly #computed = new Map<number, WorldState>();
  /** The lowest place whose state was not yet considered for a difference. */
  #next = 0;
  /** The accounts and slots in differences since the last state that was kept. */
  #changesSince = 0;

  constructor(limits = LIMITS) {
    this.#limits = limits;
  }

  /** Appends a state, and replaces the one that is no longer recent by its difference, unless that has too many changes. */
  push(state: WorldState): void {
    this.#entries.push(state);
    while (this.#next + this.#limits.recent < this.#entries.length) this.#condense(this.#next++);
    if (this.#archiving === undefined && this.#waiting.length === 0) return;
    // More where several states wait, so that they do not become more and more.
    for (let turns = this.#waiting.length; turns >= 0; turns--) this.#archiveSome();
  }

  /** Returns the state at a place. Throws a `RangeError` when there is none. */
  at(place: number): WorldState {
    const known = this.#known(place);
    if (known !== undefined) return known;
    if (this.#entries[place] === undefined) throw new RangeError(`there is no state at ${place}`);
    return this.#compute(place);
  }

  /** True for a place whose state is kept whole: it is read without others. */
  isWhole(place: number): boolean {
    return isWhole(this.#entries[place]);
  }

  /** Returns the changes that lead to the state at a place from the one above it; `null` where only the states themselves are kept. */
  changesFromAbove(place: number): DifferenceChanges | null {
    const entry = this.#entries[place];
    const difference = isDifference(entry) ? entry : this.#beside.get(place);
    return difference === undefined ? null : this.#differences.changes(difference);
  }

  /** True when the state at the place is known to be the very one below it. */
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

  /** Removes the states from that place on. */
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
   * Frees the archive's memory of the states from that place on. The archiving of a lower one goes on, unless it lies behind such
   * memory: then it begins anew.
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
    // A call may go on to read a state that was cut off, by the codes that its archive has.
    const codes = this.#differences.codes.copy();
    this.#differences.codes = codes;
    this.#archive = end === undefined ? undefined : this.#archive?.until(end, codes);
  }

  /** Keeps the state at the place, which is about to lose the one above it that its difference leads from. */
  #keepWhole(place: number): void {
    if (place < 0) return;
    this.#removeBeside(place);
    this.#next = Math.min(this.#next, place);
    // The differences below it are not counted anew, so that the next state is kept whatever differs.
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

  /** Replaces the state at a place that is no longer recent by a difference, or has it archived. */
  #condense(place: number): void {
    const { spacing, changes } = this.#limits;
    const isSpaced = place % spacing === 0;
    const found = isSpaced ? null : this.#replaceByDifference(place, changes - this.#changesSince);
    if (isSpaced) this.#keepBeside(place);
    this.#changesSince = found === null ? 0 : this.#changesSince + found;
    // All others are compared with the first one, which is kept.
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
    // It can have been replaced meanwhile.
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

  /** Keeps a difference of at most so many changes in place of the state. Returns how many it has; `null` where the state stays. */
  #replaceByDifference(place: number, most: number): number | null {
    const kept = this.#differenceTo(place, most);
    if (kept === null) return null;
    this.#entries[place] = kept.difference;
    return kept.changes;
  }

  /** Keeps, beside a state that stays whole, how it differs from the one above it, from which the walk up begins. */
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

  /** Keeps the difference of at most so many changes that leads to the state at a place from the one above it; `null` where there is none. */
  #differenceTo(place: number, most: number): KeptDifference | null {
    const [state, above] = [this.#entries[place], this.#entries[place + 1]];
    if (!(state instanceof WorldState) || !(above instanceof WorldState)) return null;
    if (!isComparable(state) || !isComparable(above)) return null;
    const differences = state === above ? [] : state.differencesFrom(above, most + 1);
    return this.#differences.add(place, differences, most);
  }
}

/** True for a state all of whose nodes are in memory, so that it can be compared without reading anything. */
function isComparable(state: WorldState): boolean {
  return state.isKnown && !state.isPartial;
}

/** True for an entry that needs no other one. */
function isWhole(entry: Entry | undefined): boolean {
  return entry instanceof WorldState || isArchived(entry);
}

/** Returns an entry that states can be compared with; `null` for another. */
function comparable(entry: Entry | undefined): WorldState | null {
  return entry instanceof WorldState && isComparable(entry) ? entry : null;
}

/** Keeps a computed state, and drops the oldest ones beyond the limit. */
function keep(computed: Map<number, WorldState>, place: number, state: WorldState): void {
  computed.delete(place);
  computed.set(place, state);
  for (const oldest of computed.keys()) {
    if (computed.size <= MOST_COMPUTED) return;
    computed.delete(oldest);
  }
}
