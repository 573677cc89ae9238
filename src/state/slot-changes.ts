// Changes of the slots of one account, as bytes, and what an overlay has of its storage.

import { EMPTY_BYTES } from '../primitives/bytes.ts';
import { bytesKey } from '../primitives/hex.ts';
import { keccak256OfWords } from '../primitives/keccak.ts';
import type { StorageChange, StorageSource, StorageTrie } from './account.ts';

const WORD_SIZE = 32;
/** The bytes of a slot and its value. */
const PAIR_SIZE = 2 * WORD_SIZE;

/**
 * New values for slots of one account, none twice, as bytes: arrays and keys for each of them would take more time than the rest of
 * a change.
 */
export class SlotChanges implements Iterable<StorageChange> {
  readonly #bytes: Uint8Array;
  /** The bytes from one slot to the next. */
  readonly #stride: number;
  readonly count: number;

  /**
   * `bytes` has `stride` bytes for each change: the slot, the value (32 bytes each, the most significant first), and any others. They
   * are kept, so they must not be changed afterwards.
   */
  constructor(bytes: Uint8Array, stride: number) {
    this.#bytes = bytes;
    this.#stride = stride;
    this.count = bytes.length / stride;
  }

  /** Returns these changes in this form, which they may have already. */
  static of(changes: Iterable<StorageChange>): SlotChanges {
    if (changes instanceof SlotChanges) return changes;
    const list = Array.isArray(changes) ? (changes as readonly StorageChange[]) : [...changes];
    const bytes = new Uint8Array(list.length * PAIR_SIZE);
    let start = 0;
    for (const { slot, value } of list) {
      bytes.set(slot, start);
      start += PAIR_SIZE;
      bytes.set(value, start - value.length);
    }
    return new SlotChanges(bytes, PAIR_SIZE);
  }

  /** Returns the changes from one index to before another one. */
  slice(start: number, end: number): SlotChanges {
    if (start === 0 && end === this.count) return this;
    return new SlotChanges(this.#bytes.subarray(start * this.#stride, end * this.#stride), this.#stride);
  }

  /** Returns the hashes (32 bytes each) of the slots, one after the other. */
  hashes(): Uint8Array {
    return keccak256OfWords(this.#bytes, this.#stride);
  }

  /** Returns a new array with the slot (32 bytes). */
  slotAt(index: number): Uint8Array {
    const start = index * this.#stride;
    return this.#bytes.slice(start, start + WORD_SIZE);
  }

  /** Returns a new array with the value, without leading zeros. */
  valueAt(index: number): Uint8Array {
    const length = this.#valueLength(index);
    const end = index * this.#stride + PAIR_SIZE;
    return length === 0 ? EMPTY_BYTES : this.#bytes.slice(end - length, end);
  }

  /** True when the slot is set to zero. */
  isZero(index: number): boolean {
    return this.#valueLength(index) === 0;
  }

  /** True when the value is this one, which has no leading zeros. */
  hasValue(index: number, value: Uint8Array): boolean {
    const length = this.#valueLength(index);
    if (length !== value.length) return false;
    const start = index * this.#stride + PAIR_SIZE - length;
    for (let place = 0; place < length; place++)
      if (this.#bytes[start + place] !== value[place]) return false;
    return true;
  }

  *[Symbol.iterator](): Generator<StorageChange, void, undefined> {
    for (let index = 0; index < this.count; index++)
      yield { slot: this.slotAt(index), value: this.valueAt(index) };
  }

  #valueLength(index: number): number {
    const end = index * this.#stride + PAIR_SIZE;
    let first = end - WORD_SIZE;
    while (first < end && this.#bytes[first] === 0) first++;
    return end - first;
  }
}

/** The storage of an account with the writes so far, over the trie below. */
export interface OverlayStorage {
  readonly base: StorageTrie;
  /** The source of slots that the trie below does not have, if there is one. */
  readonly source: StorageSource | undefined;
  /** By slot, as {@link bytesKey} spells it; made with the first write that is not kept as it came. */
  written: Map<string, StorageChange> | undefined;
  /** The only writes so far, as they came: most are never read here. */
  asTheyCame: SlotChanges | undefined;
}

/** True when something was written. */
export function isFilled({ written, asTheyCame }: OverlayStorage): boolean {
  return asTheyCame !== undefined || (written !== undefined && written.size > 0);
}

/** Returns the writes by their slots. */
export function writtenIn(storage: OverlayStorage): Map<string, StorageChange> {
  storage.written ??= new Map();
  const { written, asTheyCame } = storage;
  if (asTheyCame === undefined) return written;
  storage.asTheyCame = undefined;
  for (const change of asTheyCame) written.set(bytesKey(change.slot), change);
  return written;
}

/** Returns the writes in any order. */
export function changesIn({ written, asTheyCame }: OverlayStorage): Iterable<StorageChange> {
  return asTheyCame ?? written?.values() ?? [];
}
