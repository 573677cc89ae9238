// The hash table by which the store in memory finds its records, outside of the heap.

import type { RecordSlabs } from './off-heap.ts';

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

  /** Returns the first slot that has the hash and a place that `isSought` takes; -1 when there is none. */
  find(hash: number, isSought: (place: number) => boolean): number {
    const slots = this.#slots;
    for (let slot = this.#first(hash); ; slot = this.#next(slot)) {
      const place = slots[slot + 1] ?? EMPTY;
      if (place === EMPTY) return -1;
      if (place !== REMOVED && slots[slot] === hash && isSought(place)) return slot;
    }
  }

  placeAt(slot: number): number {
    return this.#slots[slot + 1] ?? EMPTY;
  }

  /** Gives the record of a slot another place. */
  move(slot: number, place: number): void {
    this.#slots[slot + 1] = place;
  }

  remove(slot: number): void {
    this.#slots[slot + 1] = REMOVED;
    this.#removed++;
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
    let slot = this.#first(hash);
    while (this.placeAt(slot) !== EMPTY) slot = this.#next(slot);
    this.#slots[slot] = hash;
    this.#slots[slot + 1] = place;
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

  #first(hash: number): number {
    return (2 * (hash >>> TABLE_BITS)) & (this.#slots.length - 1);
  }

  #next(slot: number): number {
    return (slot + 2) & (this.#slots.length - 1);
  }
}

/**
 * The places of records in slabs by their keys. A `Map` of texts would take a hundred bytes of the heap for each, and the time of
 * each collection of garbage; here a key takes some twenty bytes outside of the heap besides those of its record.
 */
export class RecordTable {
  readonly #slabs: RecordSlabs;
  readonly #tables: Table[] = [];

  /** `slabs` are where the records are. */
  constructor(slabs: RecordSlabs) {
    this.#slabs = slabs;
  }

  /** Returns the place of the record with that key, or `undefined`. */
  get(key: string): number | undefined {
    const hash = hashOf(key);
    const table = this.#tables[hash % TABLES];
    const slot = table?.find(hash, (place) => this.#slabs.hasKey(place, key)) ?? -1;
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
    const slot = table.find(hash, (other) => this.#slabs.hasKey(other, key));
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
    const slot = table?.find(hash, (place) => this.#slabs.hasKey(place, key)) ?? -1;
    if (table === undefined || slot === -1) return undefined;
    const before = table.placeAt(slot);
    table.remove(slot);
    return before;
  }

  /** Yields the places of all records. */
  *places(): Generator<number, void, undefined> {
    for (const table of this.#tables) yield* table?.places() ?? [];
  }
}
