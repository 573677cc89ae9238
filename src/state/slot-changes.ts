// Changes to the slots of one account as bytes, and the storage of an account in an overlay.

import { EMPTY_BYTES } from '../primitives/bytes.ts';
import { bytesKey } from '../primitives/hex.ts';
import { keccak256OfWords } from '../primitives/keccak.ts';
import type { StorageChange, StorageSource, StorageTrie } from './account.ts';

const WORD_SIZE = 32;
/** The bytes of a slot and its value. */
const PAIR_SIZE = 2 * WORD_SIZE;

/** New values of distinct slots in one byte array. Separate arrays and keys would dominate the time. */
export class SlotChanges implements Iterable<StorageChange> {
  readonly #bytes: Uint8Array;
  /** The bytes between two slots. */
  readonly #stride: number;
  readonly count: number;

  /**
   * `bytes` has `stride` bytes per change: the slot and the value (32 bytes each, big-endian), and optional
   * others. The array is kept, so it must not change afterwards.
   */
  constructor(bytes: Uint8Array, stride: number) {
    this.#bytes = bytes;
    this.#stride = stride;
    this.count = bytes.length / stride;
  }

  /** Converts the changes unless they have this form already. */
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

  /** Returns the changes from `start` (inclusive) to `end` (exclusive). */
  slice(start: number, end: number): SlotChanges {
    if (start === 0 && end === this.count) return this;
    return new SlotChanges(this.#bytes.subarray(start * this.#stride, end * this.#stride), this.#stride);
  }

  /** Returns the hashes (32 bytes each) of the slots, concatenated. */
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

  isZero(index: number): boolean {
    return this.#valueLength(index) === 0;
  }

  /** `value` has no leading zeros. */
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

/** The storage of an account: the trie below and the writes so far. */
export interface OverlayStorage {
  readonly base: StorageTrie;
  /** The source of slots that the trie below does not have, if any. */
  readonly source: StorageSource | undefined;
  /** By slot, as {@link bytesKey} formats it. Created with the first write that is not stored unsorted. */
  written: Map<string, StorageChange> | undefined;
  /** The only writes so far, unsorted. Most are never read here. */
  asTheyCame: SlotChanges | undefined;
}

export function isFilled({ written, asTheyCame }: OverlayStorage): boolean {
  return asTheyCame !== undefined || (written !== undefined && written.size > 0);
}

/** Returns the writes by slot. */
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
