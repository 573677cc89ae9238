// The key-value stores in which a chain keeps its blocks and states, the keys of their records, and the store in memory.

import { hexKey } from '../primitives/hex.ts';
import { RecordSlabs } from './off-heap.ts';
import { RecordTable } from './record-table.ts';

/** One write of a batch. */
export type Write =
  | { readonly type: 'put'; readonly key: string; readonly value: Uint8Array }
  | { readonly type: 'del'; readonly key: string };

/** A key-value store in memory or on disk. Each read sees all writes before it. */
export interface KeyValueStore {
  /** Returns the key for some bytes, at most 64; `kind` is one letter, by which keys differ from those for other things. */
  keyOf(kind: string, bytes: Uint8Array): string;
  /** Returns the value of a key, or `undefined`. */
  getSync(key: string): Uint8Array | undefined;
  /** Makes all the writes in order, or none. May keep the arrays. The writes can be read as soon as this returns. */
  batch(writes: Write[]): void;
  /** Closes the store; nothing may be read or written afterwards. */
  close(): Promise<void>;
}

/** Returns a key of readable characters, as stores on disk have them. */
export function readableKey(kind: string, bytes: Uint8Array): string {
  return kind + hexKey(bytes);
}

/** Bytes of a block number in keys and records. */
export const NUMBER_SIZE = 6;

/** Returns the number in big-endian bytes. */
export function numberBytes(number: number): Buffer {
  const bytes = Buffer.alloc(NUMBER_SIZE);
  bytes.writeUIntBE(number, 0, NUMBER_SIZE);
  return bytes;
}

/** Returns the key of a block's record of a kind, which one letter denotes. Keys sort by block number. */
export function numberKey(kind: string, number: number): string {
  return kind + numberBytes(number).toString('hex');
}

/** A key-value store in the memory of the process, nearly all of it outside of the heap. */
export class MemoryStore implements KeyValueStore {
  #slabs = new RecordSlabs();
  #places = new RecordTable(this.#slabs);
  /** The values that are too long for the slabs. */
  readonly #long = new Map<string, Uint8Array>();
  #isOpen = true;
  /** The buffer in which keys are put together, since a text is made of few bytes in one step. */
  readonly #key = Buffer.alloc(65);

  keyOf(kind: string, bytes: Uint8Array): string {
    const key = this.#key;
    key[0] = kind.charCodeAt(0);
    key.set(bytes, 1);
    return key.toString('latin1', 0, 1 + bytes.length);
  }

  getSync(key: string): Uint8Array | undefined {
    this.#requireOpen();
    const place = this.#places.get(key);
    return place === undefined ? this.#long.get(key) : this.#slabs.read(place);
  }

  batch(writes: readonly Write[]): void {
    this.#requireOpen();
    for (const write of writes) {
      const before = write.type === 'put' ? this.#put(write.key, write.value) : this.#delete(write.key);
      if (before !== undefined) this.#slabs.remove(before);
    }
    this.#compact();
  }

  /** Returns the place that the record had in the slabs before. */
  #put(key: string, value: Uint8Array): number | undefined {
    const isLong = key.length + value.length > RecordSlabs.MOST_BYTES;
    if (!isLong) {
      if (this.#long.size > 0) this.#long.delete(key);
      return this.#places.set(key, this.#slabs.add(key, value));
    }
    this.#long.set(key, value);
    return this.#places.delete(key);
  }

  #delete(key: string): number | undefined {
    this.#long.delete(key);
    return this.#places.delete(key);
  }

  /** Moves the records of a slab that has few. */
  #compact(): void {
    for (const { key, place, value } of this.#slabs.sparseRecords()) {
      if (this.#places.get(key) !== place) continue;
      this.#places.set(key, this.#slabs.add(key, value));
      this.#slabs.remove(place);
    }
  }

  #requireOpen(): void {
    if (!this.#isOpen) throw new TypeError('the store is closed');
  }

  /** Returns all keys, in their order. */
  keys(): string[] {
    this.#requireOpen();
    const inSlabs = Array.from(this.#places.places(), (place) => this.#slabs.keyAt(place));
    return [...inSlabs, ...this.#long.keys()].sort();
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    this.#long.clear();
    this.#slabs = new RecordSlabs();
    this.#places = new RecordTable(this.#slabs);
  }
}
