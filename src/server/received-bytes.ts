// The bytes of a request as they arrive.

/** From this number of bytes on, the rest of a request is copied as it arrives. */
const LONG = 2 ** 20;

/**
 * Collects the bytes of a request. Joining the parts of a long request would block for tens of milliseconds.
 * If its length is known, the parts are copied into one buffer as they arrive.
 */
export class ReceivedBytes {
  #parts: Buffer[] = [];
  #length = 0;
  /** The buffer of a long request, and the number of its received bytes. Later bytes are in the parts. */
  #long: Buffer | null = null;
  #filled = 0;

  get length(): number {
    return this.#length;
  }

  /** Appends bytes. `expected` is the length of the whole request in bytes; 0 if unknown. */
  add(bytes: Buffer, expected: number): void {
    this.#length += bytes.length;
    if (this.#long === null && expected > this.#length && this.#length >= LONG) {
      const parts = this.#parts;
      this.#parts = [];
      this.#long = Buffer.allocUnsafeSlow(expected);
      for (const part of parts) this.#copy(part);
    }
    if (this.#long === null) this.#parts.push(bytes);
    else this.#copy(bytes);
  }

  #copy(bytes: Buffer): void {
    const copied = this.#long === null ? 0 : bytes.copy(this.#long, this.#filled);
    this.#filled += copied;
    // The rest belongs to the next request.
    if (copied < bytes.length) this.#parts.push(bytes.subarray(copied));
  }

  /** Returns all bytes and clears them. */
  take(): Buffer {
    const long = this.#long?.subarray(0, this.#filled);
    const parts = long === undefined ? this.#parts : [long, ...this.#parts];
    this.#parts = [];
    this.#length = 0;
    this.#long = null;
    this.#filled = 0;
    const [first] = parts;
    return parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
  }
}
