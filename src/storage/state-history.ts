// The states after consecutive blocks, of which old ones are kept as differences.

import { bigIntToBytes, bytesToBigInt, EMPTY_BYTES } from '../primitives/bytes.ts';
import { hexKey } from '../primitives/hex.ts';
import { decodeRlp, encodeRlp, type RlpItem } from '../primitives/rlp.ts';
import { type AccountUpdate, type Code, EMPTY_CODE, type StateChanges } from '../state/account.ts';
import type { AccountDifference } from '../state/account-differences.ts';
import { WorldState } from '../state/world-state.ts';
import { RecordSlabs } from './off-heap.ts';

/** The parts of a history that are kept as states. All other states are kept as differences. */
export interface StateHistoryLimits {
  /** The number of the newest states, which are asked for most often and are all kept. */
  readonly recent: number;
  /** The distance between older states from which those below them are computed, counted from the first state. */
  readonly spacing: number;
  /** One in this many of the states at the spacing is kept; each of the others is kept as its difference from the next one there. */
  readonly whole: number;
  /** The most accounts and slots in all the differences of blocks between two states that are kept; more would take long to apply. */
  readonly changes: number;
  /** The most accounts and slots in one difference at the spacing, which must be computed within one turn of the event loop. */
  readonly changesAtSpacing: number;
  /** The most accounts and slots in all the differences at the spacing between two states that are kept. */
  readonly changesBetween: number;
  /** The distance between computed states that are kept for a while; so are all of them up to the next of these. */
  readonly step: number;
}

/** The limits of a chain in memory. */
export const LIMITS: StateHistoryLimits = {
  recent: 1_024,
  spacing: 512,
  whole: 8,
  changes: 4_096,
  changesAtSpacing: 2_048,
  changesBetween: 4_096,
  step: 32,
};
/** The limits of a chain whose states are all kept. */
export const NO_DIFFERENCES: StateHistoryLimits = { ...LIMITS, recent: Number.POSITIVE_INFINITY };

/** The number of computed states of each kind that are kept. */
const MOST_COMPUTED = 64;

/** Stands for the difference of a state that is the same as the one above it. */
const NO_DIFFERENCE = -1;

/** A state, the place of a difference in the slabs, or one that is too long for them. */
type Entry = WorldState | number | Uint8Array;

/**
 * The states after consecutive blocks by their place, from 0 on. The nodes of a state that no other state has take some 4 kB,
 * its difference from the next one some hundred bytes; a state that is kept as a difference is computed when it is asked for.
 */
export class StateHistory {
  readonly #limits: StateHistoryLimits;
  /** By place. A difference leads to the state of its place from the state above it; at the spacing, from the next state there. */
  readonly #entries: Entry[] = [];
  /** The differences, outside of the heap. Most forks of a chain never have one. */
  #slabs: RecordSlabs | undefined;
  /** The code that accounts had before a difference, which refers to it by its index; few differences do. */
  readonly #codes: Code[] = [];
  readonly #codeIndexes = new Map<string, number>();
  /** Computed states by place, one in each step. */
  readonly #steps = new Map<number, WorldState>();
  /** Computed states by place, all those within one step. */
  readonly #computed = new Map<number, WorldState>();
  /** The lowest place whose state was not yet considered for a difference. */
  #next = 0;
  /** The accounts and slots in differences since the last state at the spacing that was kept: of blocks, and at the spacing. */
  readonly #since = { blocks: 0, spacing: 0 };

  constructor(limits = LIMITS) {
    this.#limits = limits;
  }

  /** Appends a state, and replaces the one that is no longer recent by its difference, unless that has too many changes. */
  push(state: WorldState): void {
    this.#entries.push(state);
    while (this.#next + this.#limits.recent < this.#entries.length) this.#condense(this.#next++);
  }

  /** Returns the state at a place. Throws a `RangeError` when there is none. */
  at(place: number): WorldState {
    const known = this.#known(place);
    if (known !== undefined) return known;
    if (this.#entries[place] === undefined) throw new RangeError(`there is no state at ${place}`);
    return this.#compute(place);
  }

  /** True when the state at the place is known to be the very one below it. */
  isUnchanged(place: number): boolean {
    const below = this.#entries[place - 1];
    if (this.#aboveOf(place - 1) !== place && !(below instanceof WorldState)) return false;
    return below instanceof WorldState ? below === this.#entries[place] : below === NO_DIFFERENCE;
  }

  /** Replaces the state at a place, which must have one. */
  replace(place: number, state: WorldState): void {
    this.#keepWhole(place - 1);
    if (place % this.#limits.spacing === 0) this.#keepWhole(place - this.#limits.spacing);
    this.#set(place, state);
    this.#forgetFrom(place, place);
  }

  /** Removes the states from that place on. */
  truncate(length: number): void {
    if (length >= this.#entries.length) return;
    const last = length - 1;
    this.#keepWhole(last);
    if (last >= 0) this.#keepWhole(last - (last % this.#limits.spacing));
    for (let place = length; place < this.#entries.length; place++) this.#release(place);
    this.#entries.length = length;
    this.#forgetFrom(length, Number.POSITIVE_INFINITY);
  }

  /** Keeps the state at the place, which is about to lose the one above it that its difference leads from. */
  #keepWhole(place: number): void {
    if (place < 0) return;
    this.#next = Math.min(this.#next, place);
    // The differences below it are not counted anew, so that the next state is kept whatever differs.
    this.#since.blocks = this.#limits.changes;
    this.#since.spacing = this.#limits.changesBetween;
    if (!(this.#entries[place] instanceof WorldState)) this.#set(place, this.at(place));
  }

  #set(place: number, state: WorldState): void {
    this.#release(place);
    this.#entries[place] = state;
  }

  /** Frees the memory of the difference at a place. */
  #release(place: number): void {
    const entry = this.#entries[place];
    if (typeof entry === 'number' && entry !== NO_DIFFERENCE) this.#slabs?.remove(entry);
  }

  #forgetFrom(first: number, last: number): void {
    for (const computed of [this.#steps, this.#computed]) {
      for (const place of computed.keys()) if (place >= first && place <= last) computed.delete(place);
    }
  }

  #known(place: number): WorldState | undefined {
    const entry = this.#entries[place];
    if (entry instanceof WorldState) return entry;
    return this.#computed.get(place) ?? this.#steps.get(place);
  }

  /** Returns the place of the state that the difference at a place leads from. */
  #aboveOf(place: number): number {
    const { spacing } = this.#limits;
    return place % spacing === 0 ? place + spacing : place + 1;
  }

  #compute(place: number): WorldState {
    const { step } = this.#limits;
    const path: number[] = [];
    let above = place;
    let state = this.#known(above);
    // The highest entry is always a state.
    while (state === undefined) {
      path.push(above);
      above = this.#aboveOf(above);
      state = this.#known(above);
    }
    const endOfStep = place - (place % step) + step;
    for (const lower of path.reverse()) {
      const entry = this.#entries[lower];
      if (typeof entry === 'number' || entry instanceof Uint8Array) state = state.apply(this.#changes(entry));
      if (lower % step === 0) keep(this.#steps, lower, state);
      if (lower < endOfStep) keep(this.#computed, lower, state);
    }
    return state;
  }

  /** Replaces the state at a place that is no longer recent by a difference, or at the spacing the one below there. */
  #condense(place: number): void {
    const { spacing, whole, changes, changesAtSpacing, changesBetween } = this.#limits;
    const since = this.#since;
    if (place % spacing !== 0) {
      const found = this.#replaceByDifference(place, changes - since.blocks);
      since.blocks = found === null ? 0 : since.blocks + found;
      return;
    }
    since.blocks = 0;
    const below = place - spacing;
    const most = Math.min(changesAtSpacing, changesBetween - since.spacing);
    const found =
      below < 0 || (below / spacing) % whole === 0 ? null : this.#replaceByDifference(below, most);
    since.spacing = found === null ? 0 : since.spacing + found;
  }

  /** Keeps a difference of at most so many changes in place of the state. Returns how many it has; `null` where the state stays. */
  #replaceByDifference(place: number, most: number): number | null {
    const [state, above] = [this.#entries[place], this.#entries[this.#aboveOf(place)]];
    if (!(state instanceof WorldState) || !(above instanceof WorldState)) return null;
    if (!isComparable(state) || !isComparable(above)) return null;
    const differences = state === above ? [] : state.differencesFrom(above, most + 1);
    const { accounts, changes } = this.#changesOf(differences, most);
    if (changes > most) return null;
    this.#entries[place] = accounts.length === 0 ? NO_DIFFERENCE : this.#kept(encodeRlp(accounts));
    return changes;
  }

  #kept(difference: Uint8Array): number | Uint8Array {
    if (difference.length > RecordSlabs.MOST_BYTES) return difference;
    this.#slabs ??= new RecordSlabs();
    return this.#slabs.add('', difference);
  }

  /** Returns the items of a difference and how many accounts and slots it has; not all of those when they are more than `most`. */
  #changesOf(
    differences: Iterable<AccountDifference>,
    most: number,
  ): { readonly accounts: readonly RlpItem[]; readonly changes: number } {
    const accounts: RlpItem[] = [];
    let changes = 0;
    for (const { address, becomes } of differences) {
      changes += 1 + (becomes?.storage.length ?? 0);
      if (changes > most) break;
      if (becomes === null) {
        accounts.push([address]);
        continue;
      }
      const { nonce, balance, code, storage } = becomes;
      const slots = storage.flatMap(({ slot, value }) => [slot, value]);
      const codeIndex = code === null ? EMPTY_BYTES : bigIntToBytes(BigInt(1 + this.#indexOf(code)));
      accounts.push([address, bigIntToBytes(nonce), bigIntToBytes(balance), codeIndex, slots]);
    }
    return { accounts, changes };
  }

  #indexOf(code: Code): number {
    const key = hexKey(code.hash);
    const known = this.#codeIndexes.get(key);
    if (known !== undefined) return known;
    this.#codeIndexes.set(key, this.#codes.length);
    return this.#codes.push(code) - 1;
  }

  /** Returns the changes of a difference to the state that it leads from. */
  #changes(difference: number | Uint8Array): StateChanges {
    const updated: AccountUpdate[] = [];
    const deleted: Uint8Array[] = [];
    if (difference === NO_DIFFERENCE) return { updated, deleted };
    const encoded = typeof difference === 'number' ? this.#slabs?.read(difference) : difference;
    if (encoded === undefined) throw new RangeError(`there is no difference of states at ${difference}`);
    for (const account of listAt([decodeRlp(encoded)], 0)) {
      const fields = listAt([account], 0);
      const address = bytesAt(fields, 0).slice();
      if (fields.length === 1) {
        deleted.push(address);
        continue;
      }
      const codeIndex = Number(bytesToBigInt(bytesAt(fields, 3)));
      const slots = listAt(fields, 4);
      updated.push({
        address,
        nonce: bytesToBigInt(bytesAt(fields, 1)),
        balance: bytesToBigInt(bytesAt(fields, 2)),
        code: codeIndex === 0 ? null : (this.#codes[codeIndex - 1] ?? EMPTY_CODE),
        clearsStorage: false,
        storage: Array.from({ length: slots.length / 2 }, (_, index) => ({
          slot: bytesAt(slots, 2 * index).slice(),
          value: bytesAt(slots, 2 * index + 1).slice(),
        })),
      });
    }
    return { updated, deleted };
  }
}

/** True for a state all of whose nodes are in memory, so that it can be compared without reading anything. */
function isComparable(state: WorldState): boolean {
  return state.isKnown && !state.isPartial;
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

function bytesAt(items: readonly RlpItem[], index: number): Uint8Array {
  const item = items[index];
  if (item instanceof Uint8Array) return item;
  throw new TypeError('a difference of states has a list where bytes belong');
}

function listAt(items: readonly RlpItem[], index: number): readonly RlpItem[] {
  const item = items[index];
  if (item !== undefined && !(item instanceof Uint8Array)) return item;
  throw new TypeError('a difference of states has bytes where a list belongs');
}
