/** The two digits of each byte, the code of the first in the higher eight bits. */
const DIGITS = Uint16Array.from({ length: 256 }, (_, byte) =>
  Buffer.from(byte.toString(16).padStart(2, '0'), 'latin1').readUInt16BE(),
);

/** Returns the codes of ASCII characters, for {@link JsonWriter.codes}. */
export function asciiCodes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'latin1'));
}

/**
 * Writes long JSON, most of it hexadecimal digits, as UTF-8 into one buffer: several times as fast as joining strings,
 * and without garbage.
 */
export class JsonWriter {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  #length = 0;

  /** `capacity` is the maximum number of bytes; writing more throws a `RangeError`. */
  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafeSlow(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** The number of bytes written. */
  get length(): number {
    return this.#length;
  }

  /** Writes ASCII characters by their codes. */
  codes(codes: Uint8Array): void {
    this.#bytes.set(codes, this.#length);
    this.#length += codes.length;
  }

  /**
   * Writes two digits for each of the bytes from `start` (inclusive) to `end` (exclusive). Throws a `RangeError` when
   * there are no such bytes.
   */
  hex(bytes: Uint8Array, start = 0, end = bytes.length): void {
    if (start < 0 || end > bytes.length) throw new RangeError(`there are ${bytes.length} bytes, not ${end}`);
    let at = this.#length;
    for (let index = start; index < end; index++) {
      this.#view.setUint16(at, DIGITS[bytes[index] ?? 0] ?? 0);
      at += 2;
    }
    this.#length = at;
  }

  /** Writes the digits of an integer from 0 to 2^53 - 1 as in a QUANTITY, without `0x`. */
  quantity(value: number): void {
    this.text(value.toString(16));
  }

  /** Writes a text of any characters. */
  text(text: string): void {
    this.#reserve(Buffer.byteLength(text));
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Writes a copy of the written bytes from `start` (inclusive) to `end` (exclusive). */
  repeat(start: number, end: number): void {
    this.#reserve(end - start);
    this.#bytes.copyWithin(this.#length, start, end);
    this.#length += end - start;
  }

  /** Without this check, some of the writing methods of `Buffer` truncate and others throw. */
  #reserve(length: number): void {
    if (this.#length + length > this.#bytes.length)
      throw new RangeError(`more than ${this.#bytes.length} bytes are written`);
  }

  /** The written bytes, not copied. */
  get written(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}
