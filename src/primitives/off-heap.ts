// Off-heap storage of many small byte strings: rows of a fixed length, and records with a key.

/** Rows per part of {@link ByteRows}. The first part starts small, so that short lists take little memory. */
const ROWS_OF_PART = 1_024;
const FIRST_ROWS = 16;

/** Byte strings of one length in shared buffers. Separate arrays would take several times the memory. */
export class ByteRows {
  readonly #size: number;
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  /** `size` is the length of each string in bytes. */
  constructor(size: number) {
    this.#size = size;
  }

  get length(): number {
    return this.#length;
  }

  /** Appends a copy of the bytes. Returns the row. */
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

  /** Returns a copy of a row. Throws a `RangeError` for a missing row. */
  at(row: number): Uint8Array {
    return this.read(row, (bytes) => bytes.slice());
  }

  /**
   * Calls `read` with a view of a row and returns the result. `read` must not keep the view, because rows are
   * overwritten. Throws a `RangeError` for a missing row.
   */
  read<Result>(row: number, read: (bytes: Uint8Array) => Result): Result {
    const part = row < this.#length ? this.#parts[Math.floor(row / ROWS_OF_PART)] : undefined;
    if (part === undefined) throw new RangeError(`there is no row ${row}`);
    const start = (row % ROWS_OF_PART) * this.#size;
    return read(part.subarray(start, start + this.#size));
  }

  /** Removes the rows from this index. */
  truncate(length: number): void {
    if (length >= this.#length) return;
    this.#length = length;
    this.#parts.length = Math.ceil(length / ROWS_OF_PART);
  }
}

/** Bytes of a slab. The first one starts small, so that a small store takes little memory. */
const SLAB_SIZE = 256 * 1_024;
const FIRST_SIZE = 4_096;
/** Places are multiples of this number of bytes, so that places in gigabytes are small integers. */
const ALIGNMENT = 8;
const PLACES = SLAB_SIZE / ALIGNMENT;
/** A record starts with the lengths of value and key, one word each. */
const HEAD_SIZE = 8;
const WORD_SIZE = 4;
/** A slab with less than this part in use is abandoned, and its records move. */
const SPARSE = 0.25;

interface Slab {
  bytes: Buffer;
  /** The same memory as words. Reading numbers from a buffer is slow because of Node's checks. */
  words: Uint32Array;
  /** The end of the last record. */
  end: number;
  /** Bytes of records that were not removed. */
  live: number;
}

/** A record with its key and its place. */
export interface PlacedRecord {
  readonly key: string;
  readonly place: number;
  readonly value: Uint8Array;
}

function sizeOf(keyLength: number, valueLength: number): number {
  return Math.ceil((HEAD_SIZE + keyLength + valueLength) / ALIGNMENT) * ALIGNMENT;
}

/** `size` must be a multiple of {@link ALIGNMENT}. */
function memoryOf(size: number): Pick<Slab, 'bytes' | 'words'> {
  const bytes = Buffer.allocUnsafeSlow(size);
  return { bytes, words: new Uint32Array(bytes.buffer) };
}

/**
 * Records in large memory blocks. A record on the heap takes hundreds of extra bytes and slows down garbage
 * collection. Here it takes eight extra bytes.
 */
export class RecordSlabs {
  readonly #slabs: (Slab | null)[] = [];
  /** The index of the slab for new records; -1 before the first one. */
  #current = -1;
  /** Indexes of sparse slabs. */
  readonly #sparse = new Set<number>();

  /** Maximum bytes of key and value together. */
  static readonly MAX_BYTES = SLAB_SIZE / 16;

  /** Total bytes of all slabs. */
  get bytes(): number {
    return this.#slabs.reduce((sum, slab) => sum + (slab?.bytes.length ?? 0), 0);
  }

  /** Copies a record and returns its place. The characters of the key must be below 256. */
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
    // The slab can have become sparse while it was current.
    this.#look(before);
    return slab;
  }

  keyAt(place: number): string {
    const { bytes, words } = this.#slabOf(place);
    const start = (place % PLACES) * ALIGNMENT;
    const from = start + HEAD_SIZE;
    return bytes.toString('latin1', from, from + (words[start / WORD_SIZE + 1] ?? 0));
  }

  hasKey(place: number, key: string): boolean {
    const { bytes, words } = this.#slabOf(place);
    // Inlined for speed, because each key lookup runs it.
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

  /** Frees an empty slab and marks a sparse one. */
  #look(index: number): void {
    const slab = this.#slabs[index];
    if (slab === undefined || slab === null || index === this.#current) return;
    if (slab.live === 0) {
      this.#slabs[index] = null;
      this.#sparse.delete(index);
    } else if (slab.live < SPARSE * SLAB_SIZE) this.#sparse.add(index);
  }

  get hasSparse(): boolean {
    return this.#sparse.size > 0;
  }

  /**
   * Returns the records of a sparse slab, including removed ones; no records if no slab is sparse. The caller
   * adds the records it still needs again and removes the old ones, which frees the slab.
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
