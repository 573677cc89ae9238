// Many small byte strings outside of the heap: as rows of one length, and as records with a key.

/** Rows in a part of {@link ByteRows}; the first part grows up to that, so that short lists take little. */
const ROWS_OF_PART = 1_024;
const FIRST_ROWS = 16;

/**
 * A list of byte strings of one length, in memory by parts of a thousand: an array of its own for each would take several
 * times the memory of a hash.
 */
export class ByteRows {
  readonly #size: number;
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  /** Creates an empty list of strings of so many bytes. */
  constructor(size: number) {
    this.#size = size;
  }

  get length(): number {
    return this.#length;
  }

  /** Appends a copy of the bytes; returns their row. */
  push(bytes: Uint8Array): number {
    const row = this.#length++;
    this.#partFor(row).set(bytes, (row % ROWS_OF_PART) * this.#size);
    return row;
  }

  #partFor(row: number): Uint8Array {
    const index = Math.floor(row / ROWS_OF_PART);
    const part = this.#parts[index];
    const needed = ((row % ROWS_OF_PART) + 1) * this.#size;
    if (part !== undefined && part.length >= needed) return part;
    const usual = (index === 0 ? FIRST_ROWS : ROWS_OF_PART) * this.#size;
    const larger = new Uint8Array(part === undefined ? usual : 2 * part.length);
    if (part !== undefined) larger.set(part);
    this.#parts[index] = larger;
    return larger;
  }

  /** Returns a copy of the bytes of a row, which later rows in its place do not change. Throws a `RangeError` when there is none. */
  at(row: number): Uint8Array {
    return this.read(row, (bytes) => bytes.slice());
  }

  /**
   * Returns what `read` makes of a row without copying it; it must not keep the bytes, since rows are written again. Throws a
   * `RangeError` when there is none.
   */
  read<Result>(row: number, read: (bytes: Uint8Array) => Result): Result {
    const part = row < this.#length ? this.#parts[Math.floor(row / ROWS_OF_PART)] : undefined;
    if (part === undefined) throw new RangeError(`there is no row ${row}`);
    const start = (row % ROWS_OF_PART) * this.#size;
    return read(part.subarray(start, start + this.#size));
  }

  /** Removes the rows from that one on. */
  truncate(length: number): void {
    if (length >= this.#length) return;
    this.#length = length;
    this.#parts.length = Math.ceil(length / ROWS_OF_PART);
  }
}

/** Bytes of a slab; the first one grows up to that, so that a store with few records takes little. */
const SLAB_SIZE = 256 * 1_024;
const FIRST_SIZE = 4_096;
/** Places are multiples of so many bytes, so that those of gigabytes are small integers. */
const ALIGNMENT = 8;
const PLACES = SLAB_SIZE / ALIGNMENT;
/** The lengths of value and key before a record, a word each. */
const HEAD_SIZE = 8;
const WORD_SIZE = 4;
/** A slab whose records take less than this part of it is given up; its records move. */
const SPARSE = 0.25;

interface Slab {
  bytes: Buffer;
  /** The same memory in words, since numbers of a buffer are read through checks of Node that take longer than all else. */
  words: Uint32Array;
  /** The end of the last record. */
  end: number;
  /** Bytes of the records that were not removed. */
  live: number;
}

/** A record with its key, where it stands. */
export interface PlacedRecord {
  readonly key: string;
  readonly place: number;
  readonly value: Uint8Array;
}

function sizeOf(keyLength: number, valueLength: number): number {
  return Math.ceil((HEAD_SIZE + keyLength + valueLength) / ALIGNMENT) * ALIGNMENT;
}

/** Returns memory of its own, whose size must be a multiple of {@link ALIGNMENT}. */
function memoryOf(size: number): Pick<Slab, 'bytes' | 'words'> {
  const bytes = Buffer.allocUnsafeSlow(size);
  return { bytes, words: new Uint32Array(bytes.buffer) };
}

/**
 * Records in large blocks of memory. A record that is an object of the heap takes hundreds of bytes besides its own, and time in
 * each collection of garbage; here it takes eight.
 */
export class RecordSlabs {
  readonly #slabs: (Slab | null)[] = [];
  /** The index of the slab that records are added to; -1 before the first one. */
  #current = -1;
  /** Indexes of slabs that became sparse. */
  readonly #sparse = new Set<number>();

  /** The longest key and value, together, in bytes. */
  static readonly MOST_BYTES = SLAB_SIZE / 16;

  /** Bytes of memory that the slabs take. */
  get bytes(): number {
    return this.#slabs.reduce((sum, slab) => sum + (slab?.bytes.length ?? 0), 0);
  }

  /** Copies a record; returns its place. The characters of the key must be below 256. */
  add(key: string, value: Uint8Array): number {
    const size = sizeOf(key.length, value.length);
    const slab = this.#slabFor(size);
    const start = slab.end;
    slab.words[start / WORD_SIZE] = value.length;
    slab.words[start / WORD_SIZE + 1] = key.length;
    slab.bytes.write(key, start + HEAD_SIZE, 'latin1');
    slab.bytes.set(value, start + HEAD_SIZE + key.length);
    slab.end += size;
    slab.live += size;
    return this.#current * PLACES + start / ALIGNMENT;
  }

  #slabFor(size: number): Slab {
    const slab = this.#slabs[this.#current];
    if (slab !== undefined && slab !== null) {
      if (slab.end + size <= slab.bytes.length) return slab;
      if (slab.end + size <= SLAB_SIZE) {
        const larger = memoryOf(Math.min(SLAB_SIZE, 4 * slab.bytes.length));
        slab.bytes.copy(larger.bytes, 0, 0, slab.end);
        Object.assign(slab, larger);
        return this.#slabFor(size);
      }
    }
    return this.#begin(slab === undefined ? Math.max(FIRST_SIZE, size) : SLAB_SIZE);
  }

  #begin(size: number): Slab {
    const before = this.#current;
    const free = this.#slabs.indexOf(null);
    this.#current = free === -1 ? this.#slabs.length : free;
    const slab = { ...memoryOf(size), end: 0, live: 0 };
    this.#slabs[this.#current] = slab;
    // It can have become sparse while it was the one that records are added to.
    this.#look(before);
    return slab;
  }

  /** Returns the key of the record at a place. */
  keyAt(place: number): string {
    const { bytes, words } = this.#slabOf(place);
    const start = (place % PLACES) * ALIGNMENT;
    const from = start + HEAD_SIZE;
    return bytes.toString('latin1', from, from + (words[start / WORD_SIZE + 1] ?? 0));
  }

  /** True when the record at a place has that key. */
  hasKey(place: number, key: string): boolean {
    const { bytes, words } = this.#slabOf(place);
    // Without calls of the functions that say it: this is part of each search for a key.
    const start = (place % PLACES) * ALIGNMENT;
    if (words[start / WORD_SIZE + 1] !== key.length) return false;
    const from = start + HEAD_SIZE;
    for (let index = 0; index < key.length; index++) {
      if (bytes[from + index] !== key.charCodeAt(index)) return false;
    }
    return true;
  }

  /** Returns a copy of the value at a place. */
  read(place: number): Uint8Array {
    const { words } = this.#slabOf(place);
    const start = (place % PLACES) * ALIGNMENT;
    const from = start + HEAD_SIZE + (words[start / WORD_SIZE + 1] ?? 0);
    return new Uint8Array(words.buffer, from, words[start / WORD_SIZE] ?? 0).slice();
  }

  /** Removes the record at a place. */
  remove(place: number): void {
    const slab = this.#slabOf(place);
    const head = ((place % PLACES) * ALIGNMENT) / WORD_SIZE;
    slab.live -= sizeOf(slab.words[head + 1] ?? 0, slab.words[head] ?? 0);
    const index = Math.floor(place / PLACES);
    if (index !== this.#current) this.#look(index);
  }

  #slabOf(place: number): Slab {
    const slab = this.#slabs[Math.floor(place / PLACES)];
    if (slab === undefined || slab === null) throw new RangeError(`there is no record at ${place}`);
    return slab;
  }

  /** Frees a slab without records, and marks one with few. */
  #look(index: number): void {
    const slab = this.#slabs[index];
    if (slab === undefined || slab === null || index === this.#current) return;
    if (slab.live === 0) {
      this.#slabs[index] = null;
      this.#sparse.delete(index);
    } else if (slab.live < SPARSE * SLAB_SIZE) this.#sparse.add(index);
  }

  /** True when a slab has become sparse. */
  get hasSparse(): boolean {
    return this.#sparse.size > 0;
  }

  /**
   * Returns the records of a slab that is to be given up, those that were removed among them; none where there is no such slab.
   * The caller adds those that it still has again, and then removes them here, by which the slab is freed.
   */
  sparseRecords(): readonly PlacedRecord[] {
    const [index] = this.#sparse;
    const slab = index === undefined ? undefined : this.#slabs[index];
    if (index === undefined || slab === undefined || slab === null) return [];
    const records: PlacedRecord[] = [];
    for (let start = 0; start < slab.end; ) {
      const place = index * PLACES + start / ALIGNMENT;
      const key = this.keyAt(place);
      const value = this.read(place);
      records.push({ key, place, value });
      start += sizeOf(key.length, value.length);
    }
    return records;
  }
}
