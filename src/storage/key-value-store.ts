// The key-value stores in which a chain keeps its blocks and states, the keys of their records, and the store in memory with the hash
// table by which it finds its records, outside of the heap.

import { hexKey } from '../primitives/hex.ts';
import { RecordSlabs } from '../primitives/off-heap.ts';

/** Stand where a slot of a table has no place: since it was made, and since its record was removed. */
const EMPTY = 0xffffffff;
const REMOVED = 0xfffffffe;

/** Slots of a table that begins; always a power of two. */
const FIRST_SLOTS = 8;
/** The tables among which the keys are shared out, so that growing one of millions of keys takes no long turn; each begins with its first key. */
const TABLES = 16;
const TABLE_BITS = 4;

/** The characters at the end of a key that its hash is of: those of hashes are evenly distributed, those of numbers differ there. */
const HASHED = 6;

/** Returns an unsigned number of 32 bits for the key (FNV-1a, its bits mixed, since the lowest ones choose the slot). */
function hashOf(key: string): number {
  let hash = 0x811c9dc5 ^ key.charCodeAt(0);
  for (let index = Math.max(0, key.length - HASHED); index < key.length; index++) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** Slots with the hash of a key and the place of its record each, found from the slot of the hash on. */
class Table {
  #slots = new Uint32Array(2 * FIRST_SLOTS).fill(EMPTY);
  /** Slots that are not empty, those of removed records among them. */
  #taken = 0;
  #removed = 0;

  /**
   * Returns the slot of the record that has the key, of which that is the hash; -1 when there is none. The steps are written out,
   * since each block takes several searches, and a test or a script that is over in a second runs them before V8 has optimized them.
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

  /** Gives the record of a slot another place. */
  move(slot: number, place: number): void {
    this.#slots[slot + 1] = place;
  }

  /** Removes the record of a slot; returns its place. */
  remove(slot: number): number {
    const place = this.#slots[slot + 1] ?? EMPTY;
    this.#slots[slot + 1] = REMOVED;
    this.#removed++;
    return place;
  }

  /** Adds a key that the table has not. */
  add(hash: number, place: number): void {
    // A quarter stays empty, so that the search for a key that is not there ends soon.
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

  /** Makes room for twice as many keys as there are, without the slots of removed records. */
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
 * The places of records in slabs by their keys. A `Map` of texts would take a hundred bytes of the heap for each, and the time of
 * each collection of garbage; here a key takes some twenty bytes outside of the heap besides those of its record.
 */
class RecordTable {
  readonly #slabs: RecordSlabs;
  readonly #tables: Table[] = [];

  /** `slabs` are where the records are. */
  constructor(slabs: RecordSlabs) {
    this.#slabs = slabs;
  }

  /** True before the first key. */
  get isEmpty(): boolean {
    return this.#tables.length === 0;
  }

  /** Returns the place of the record with that key, or `undefined`. */
  get(key: string): number | undefined {
    const hash = hashOf(key);
    const table = this.#tables[hash % TABLES];
    const slot = table === undefined ? -1 : table.find(hash, key, this.#slabs);
    return slot === -1 ? undefined : table?.placeAt(slot);
  }

  /** Sets the place of the record with that key; returns the one that it had before, or `undefined`. */
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

  /** Removes the key; returns the place that its record had, or `undefined`. */
  delete(key: string): number | undefined {
    const hash = hashOf(key);
    const table = this.#tables[hash % TABLES];
    if (table === undefined) return undefined;
    const slot = table.find(hash, key, this.#slabs);
    return slot === -1 ? undefined : table.remove(slot);
  }

  /** Yields the places of all records. */
  *places(): Generator<number, void, undefined> {
    for (const table of this.#tables) yield* table?.places() ?? [];
  }
}

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
export function numberBytes(number: number): Uint8Array {
  const bytes = new Uint8Array(NUMBER_SIZE);
  writeNumber(bytes, 0, NUMBER_SIZE, number);
  return bytes;
}

/** Writes an unsigned number in so many bytes, big-endian: the functions of buffers check each of their arguments by calls. */
export function writeNumber(target: Uint8Array, start: number, size: number, number: number): void {
  for (let index = start + size - 1, rest = number; index >= start; index--, rest = Math.floor(rest / 256))
    target[index] = rest;
}

/** Returns the number of {@link writeNumber}. */
export function readNumber(bytes: Uint8Array, start: number, size: number): number {
  let number = 0;
  for (let index = start; index < start + size; index++) number = number * 256 + (bytes[index] ?? 0);
  return number;
}

/** Returns the key of a block's record of a kind, which one letter denotes. Keys sort by block number. */
export function numberKey(kind: string, number: number): string {
  return kind + number.toString(16).padStart(2 * NUMBER_SIZE, '0');
}

/**
 * The records that are in a map of the heap, as those of the last three hundred blocks with a transaction each. A map takes more memory
 * than a table in slabs, and less time: what a test writes is mostly taken back before as many records have come after it.
 */
const MOST_NEW = 1_024;
/** They can become so many times more, as after blocks of hundreds of transactions, which can be taken back soon, too. */
const MOST_WAITING = 4;
/** The part of them that leaves the map at least: some at once, since those that left it before are passed over each time. */
const MOVED_PART = 16;
/** Of the records that are too many, one in so many is moved behind each batch. */
const MOVED_SHARE = 4;

/** Does work in a later turn of the event loop. */
type Later = (work: () => void) => void;

/** A key-value store in the memory of the process, nearly all of it outside of the heap. */
export class MemoryStore implements KeyValueStore {
  readonly #mostNew: number;
  readonly #movedAtOnce: number;
  readonly #later: Later;
  #isMoving = false;
  /** The records that were written last, in the order in which their keys came; each stands for any elsewhere with its key. */
  readonly #new = new Map<string, Uint8Array>();
  #slabs = new RecordSlabs();
  #places = new RecordTable(this.#slabs);
  /** The values that are too long for the slabs. */
  readonly #long = new Map<string, Uint8Array>();
  #isOpen = true;
  /** The buffer in which keys are put together, since a text is made of few bytes in one step. */
  readonly #key = Buffer.alloc(65);

  /**
   * `mostNew` is the number of records that stay on the heap. Of those beyond them a part is moved with each batch, by what `later` calls,
   * behind the answer to the caller whose block they came with.
   */
  constructor(mostNew = MOST_NEW, later: Later = (work) => setImmediate(work)) {
    this.#mostNew = mostNew;
    this.#movedAtOnce = Math.ceil(mostNew / MOVED_PART);
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
    // Many batches can come in one turn, as those of a chain that is loaded.
    const excess = this.#new.size - MOST_WAITING * this.#mostNew;
    if (excess > 0) this.#moveOldest(excess + this.#movedAtOnce);
    if (this.#new.size > this.#mostNew + this.#movedAtOnce) this.#moveLater();
    if (this.#slabs.hasSparse) this.#compact();
  }

  #moveLater(): void {
    if (this.#isMoving) return;
    this.#isMoving = true;
    this.#later(() => {
      this.#isMoving = false;
      const tooMany = this.#new.size - this.#mostNew;
      this.#moveOldest(Math.min(tooMany, Math.max(this.#movedAtOnce, Math.ceil(tooMany / MOVED_SHARE))));
    });
  }

  #moveOldest(count: number): void {
    let left = count;
    for (const [key, value] of this.#new) {
      if (left-- <= 0) return;
      this.#new.delete(key);
      if (key.length + value.length > RecordSlabs.MOST_BYTES) {
        this.#delete(key);
        this.#long.set(key, value);
        continue;
      }
      if (this.#long.size > 0) this.#long.delete(key);
      const before = this.#places.set(key, this.#slabs.add(key, value));
      if (before !== undefined) this.#slabs.remove(before);
    }
  }

  /** Removes the record that is not among the new ones. */
  #delete(key: string): void {
    if (this.#long.size > 0) this.#long.delete(key);
    const place = this.#places.isEmpty ? undefined : this.#places.delete(key);
    if (place !== undefined) this.#slabs.remove(place);
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
