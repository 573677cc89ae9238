// Key-value stores for blocks and states, and the keys of their records. The store in memory finds its
// records with an off-heap hash table.

import { hexKey } from '../primitives/hex.ts';
import { RecordSlabs } from '../primitives/off-heap.ts';

/** Mark slots without a record: never used, and removed. */
const EMPTY = 0xffffffff;
const REMOVED = 0xfffffffe;

/** Initial number of slots; always a power of two. */
const FIRST_SLOTS = 8;
/**
 * Keys are distributed over this number of tables, so that rehashing millions of keys takes no long time
 * slice. Each table is created with its first key.
 */
const TABLES = 16;
const TABLE_BITS = 4;

/** The last characters are hashed, and the first: hashes are evenly distributed, and numbers differ there. */
const HASHED = 6;

/** Returns a 32-bit hash of the key: FNV-1a with a final mix, because the lowest bits select the slot. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5 ^ key.charCodeAt(0);
  for (let index = Math.max(0, key.length - HASHED); index < key.length; index++) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** A hash table with linear probing. A slot has the hash of a key and the place of its record. */
class Table {
  #slots = new Uint32Array(2 * FIRST_SLOTS).fill(EMPTY);
  /** Slots that are not empty, including removed ones. */
  #taken = 0;
  #removed = 0;

  /**
   * Returns the slot of the key, or -1. The loop is inlined by hand, because each block needs several lookups
   * and short scripts end before V8 optimizes them.
   */
  find(hash: number, key: string, slabs: RecordSlabs): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = (2 * (hash >>> TABLE_BITS)) & mask; ; slot = (slot + 2) & mask) {
      const place = slots[slot + 1] ?? EMPTY;
      if (place === EMPTY) return -1;
      if (place !== REMOVED && slots[slot] === hash && slabs.hasKey(place, key)) return slot;
    }
  }

  placeAt(slot: number): number {
    return this.#slots[slot + 1] ?? EMPTY;
  }

  /** Changes the place of a slot's record. */
  move(slot: number, place: number): void {
    this.#slots[slot + 1] = place;
  }

  /** Removes the record of a slot and returns its place. */
  remove(slot: number): number {
    const place = this.#slots[slot + 1] ?? EMPTY;
    this.#slots[slot + 1] = REMOVED;
    this.#removed++;
    return place;
  }

  add(hash: number, place: number): void {
    // A quarter stays empty, so that searches for missing keys end early.
    if (8 * (this.#taken + 1) > 3 * this.#slots.length) this.#rebuild();
    this.#put(hash, place);
  }

  *places(): Generator<number, void, undefined> {
    for (let slot = 0; slot < this.#slots.length; slot += 2) {
      const place = this.placeAt(slot);
      if (place < REMOVED) yield place;
    }
  }

  #put(hash: number, place: number): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = (2 * (hash >>> TABLE_BITS)) & mask;
    while (slots[slot + 1] !== EMPTY) slot = (slot + 2) & mask;
    slots[slot] = hash;
    slots[slot + 1] = place;
    this.#taken++;
  }

  /** Resizes the table to twice the number of keys and drops removed slots. */
  #rebuild(): void {
    const before = this.#slots;
    const live = this.#taken - this.#removed;
    let count = FIRST_SLOTS;
    while (count < 2 * (live + 1)) count *= 2;
    this.#slots = new Uint32Array(2 * count).fill(EMPTY);
    this.#taken = 0;
    this.#removed = 0;
    for (let slot = 0; slot < before.length; slot += 2) {
      const place = before[slot + 1] ?? EMPTY;
      if (place < REMOVED) this.#put(before[slot] ?? 0, place);
    }
  }
}

/**
 * Maps keys to the places of records in slabs. A `Map` of strings would take 100 bytes of heap per key and
 * slow down garbage collection. Here a key takes about 20 bytes off-heap, in addition to its record.
 */
class RecordTable {
  readonly #slabs: RecordSlabs;
  readonly #tables: Table[] = [];

  constructor(slabs: RecordSlabs) {
    this.#slabs = slabs;
  }

  /** True before the first key. */
  get isEmpty(): boolean {
    return this.#tables.length === 0;
  }

  /** Returns the place of the key's record, or `undefined`. */
  get(key: string): number | undefined {
    const hash = hashOf(key);
    const table = this.#tables[hash % TABLES];
    const slot = table === undefined ? -1 : table.find(hash, key, this.#slabs);
    return slot === -1 ? undefined : table?.placeAt(slot);
  }

  /** Sets the place of the key's record. Returns the previous place, or `undefined`. */
  set(key: string, place: number): number | undefined {
    const hash = hashOf(key);
    let table = this.#tables[hash % TABLES];
    if (table === undefined) {
      table = new Table();
      this.#tables[hash % TABLES] = table;
    }
    const slot = table.find(hash, key, this.#slabs);
    if (slot === -1) {
      table.add(hash, place);
      return undefined;
    }
    const before = table.placeAt(slot);
    table.move(slot, place);
    return before;
  }

  /** Removes the key. Returns the place of its record, or `undefined`. */
  delete(key: string): number | undefined {
    const hash = hashOf(key);
    const table = this.#tables[hash % TABLES];
    if (table === undefined) return undefined;
    const slot = table.find(hash, key, this.#slabs);
    return slot === -1 ? undefined : table.remove(slot);
  }

  *places(): Generator<number, void, undefined> {
    for (const table of this.#tables) yield* table?.places() ?? [];
  }
}

export type Write =
  | { readonly type: 'put'; readonly key: string; readonly value: Uint8Array }
  | { readonly type: 'del'; readonly key: string };

/** A key-value store in memory or on disk. Each read sees all writes before it. */
export interface KeyValueStore {
  /** Returns the key for at most 64 bytes. `kind` is a one-letter prefix. */
  keyOf(kind: string, bytes: Uint8Array): string;
  getSync(key: string): Uint8Array | undefined;
  /** Applies all writes in order, or none. They are readable on return. It may keep the arrays. */
  batch(writes: Write[]): void;
  /** Closes the store. No read or write may follow. */
  close(): Promise<void>;
}

/** Returns a key of readable characters, for stores on disk. */
export function readableKey(kind: string, bytes: Uint8Array): string {
  return kind + hexKey(bytes);
}

/** Bytes of a block number in keys and records. */
export const NUMBER_SIZE = 6;

/** Big-endian. */
export function numberBytes(number: number): Uint8Array {
  const bytes = new Uint8Array(NUMBER_SIZE);
  writeNumber(bytes, 0, NUMBER_SIZE, number);
  return bytes;
}

/** Writes a big-endian number. Faster than the functions of buffers, which check their arguments. */
export function writeNumber(target: Uint8Array, start: number, size: number, number: number): void {
  for (let index = start + size - 1, rest = number; index >= start; index--, rest = Math.floor(rest / 256))
    target[index] = rest;
}

/** Inverse of {@link writeNumber}. */
export function readNumber(bytes: Uint8Array, start: number, size: number): number {
  let number = 0;
  for (let index = start; index < start + size; index++) number = number * 256 + (bytes[index] ?? 0);
  return number;
}

/** Returns the key of a block's record. `kind` is one letter. Keys sort by block number. */
export function numberKey(kind: string, number: number): string {
  return kind + number.toString(16).padStart(2 * NUMBER_SIZE, '0');
}

/**
 * Maximum number of records in the map on the heap: about 300 blocks with a transaction each. A map takes
 * more memory than the slabs but less time. Most writes of a test are reverted before they leave the map.
 */
const MAX_NEW = 1_024;
/** The map can grow by this factor after large blocks, which may be reverted soon too. */
const MAX_WAITING = 4;
/**
 * The minimum part that leaves the map in one step. Moving a batch is cheaper, because iteration skips
 * earlier deletions each time.
 */
const MOVED_PART = 16;
/** One in this number of excess records moves after each batch. */
const MOVED_SHARE = 4;

/** Runs work in a later turn of the event loop. */
type Later = (work: () => void) => void;

/** A key-value store in memory, almost completely off-heap. */
export class MemoryStore implements KeyValueStore {
  readonly #maxNew: number;
  readonly #movedAtOnce: number;
  readonly #later: Later;
  #isMoving = false;
  /** The newest records, in insertion order of their keys. They override records elsewhere. */
  readonly #new = new Map<string, Uint8Array>();
  #slabs = new RecordSlabs();
  #places = new RecordTable(this.#slabs);
  /** Values that are too long for the slabs. */
  readonly #long = new Map<string, Uint8Array>();
  #isOpen = true;
  /** A buffer for composing keys, because a string is created fastest from one buffer. */
  readonly #key = Buffer.alloc(65);

  /**
   * `maxNew` is the number of records that stay on the heap. After each batch, `later` moves part of the
   * rest, so that the client's response does not wait for it.
   */
  constructor(maxNew = MAX_NEW, later: Later = (work) => setImmediate(work)) {
    this.#maxNew = maxNew;
    this.#movedAtOnce = Math.ceil(maxNew / MOVED_PART);
    this.#later = later;
  }

  keyOf(kind: string, bytes: Uint8Array): string {
    const key = this.#key;
    key[0] = kind.charCodeAt(0);
    key.set(bytes, 1);
    return key.toString('latin1', 0, 1 + bytes.length);
  }

  getSync(key: string): Uint8Array | undefined {
    this.#requireOpen();
    const value = this.#new.get(key);
    if (value !== undefined || this.#places.isEmpty) return value ?? this.#long.get(key);
    const place = this.#places.get(key);
    return place === undefined ? this.#long.get(key) : this.#slabs.read(place);
  }

  batch(writes: readonly Write[]): void {
    this.#requireOpen();
    for (const write of writes) {
      if (write.type === 'put') this.#new.set(write.key, write.value);
      else {
        this.#new.delete(write.key);
        this.#delete(write.key);
      }
    }
    // Many batches can come in the same turn of the event loop, for example while a chain is loaded.
    const excess = this.#new.size - MAX_WAITING * this.#maxNew;
    if (excess > 0) this.#moveOldest(excess + this.#movedAtOnce);
    if (this.#new.size > this.#maxNew + this.#movedAtOnce) this.#moveLater();
    if (this.#slabs.hasSparse) this.#compact();
  }

  #moveLater(): void {
    if (this.#isMoving) return;
    this.#isMoving = true;
    this.#later(() => {
      this.#isMoving = false;
      const tooMany = this.#new.size - this.#maxNew;
      this.#moveOldest(Math.min(tooMany, Math.max(this.#movedAtOnce, Math.ceil(tooMany / MOVED_SHARE))));
    });
  }

  #moveOldest(count: number): void {
    let left = count;
    for (const [key, value] of this.#new) {
      if (left-- <= 0) return;
      this.#new.delete(key);
      if (key.length + value.length > RecordSlabs.MAX_BYTES) {
        this.#delete(key);
        this.#long.set(key, value);
        continue;
      }
      if (this.#long.size > 0) this.#long.delete(key);
      const before = this.#places.set(key, this.#slabs.add(key, value));
      if (before !== undefined) this.#slabs.remove(before);
    }
  }

  /** Removes the record from the slabs or the long values. */
  #delete(key: string): void {
    if (this.#long.size > 0) this.#long.delete(key);
    const place = this.#places.isEmpty ? undefined : this.#places.delete(key);
    if (place !== undefined) this.#slabs.remove(place);
  }

  /** Moves the records of a sparse slab. */
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

  /** Returns all keys, sorted. */
  keys(): string[] {
    this.#requireOpen();
    const inSlabs = Array.from(this.#places.places(), (place) => this.#slabs.keyAt(place));
    return [...new Set([...inSlabs, ...this.#long.keys(), ...this.#new.keys()])].sort();
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    this.#new.clear();
    this.#long.clear();
    this.#slabs = new RecordSlabs();
    this.#places = new RecordTable(this.#slabs);
  }
}
