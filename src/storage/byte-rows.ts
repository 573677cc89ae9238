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
