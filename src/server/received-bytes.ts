// The bytes of a request as they arrive.

/** Bytes of a request after which the rest of it is copied as it arrives. */
const LONG = 2 ** 20;

/**
 * Collects the bytes of a request. Joining the parts of a long one takes tens of milliseconds, so they are copied to one
 * place as they arrive if the length of the request is known.
 */
export class ReceivedBytes {
  #parts: Buffer[] = [];
  #length = 0;
  /** The memory of a long request, and the number of its bytes that have arrived. The parts follow it. */
  #long: Buffer | null = null;
  #filled = 0;

  /** The number of bytes. */
  get length(): number {
    return this.#length;
  }

  /** Adds bytes that follow the others. `expected` is the length of the whole request in bytes; 0 if it is unknown. */
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
    // The next request has begun.
    if (copied < bytes.length) this.#parts.push(bytes.subarray(copied));
  }

  /** Returns all bytes, and continues without any. */
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
