/** For each byte its two digits, the code of the first in the higher eight bits. */
const DIGITS = Uint16Array.from({ length: 256 }, (_, byte) =>
  Buffer.from(byte.toString(16).padStart(2, '0'), 'latin1').readUInt16BE(),
);

/** Returns the codes of ASCII characters, for {@link JsonWriter.codes}. */
export function asciiCodes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'latin1'));
}

/**
 * Writes long JSON, most of it hexadecimal digits, as UTF-8 into one piece of memory: several times as fast as making
 * texts and joining them, and it leaves nothing behind to be collected.
 */
export class JsonWriter {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  #length = 0;

  /** `capacity` is the most bytes that may be written; writing more throws a `RangeError`. */
  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafeSlow(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** How many bytes are written. */
  get length(): number {
    return this.#length;
  }

  /** Writes ASCII characters of which the codes are known. */
  codes(codes: Uint8Array): void {
    this.#bytes.set(codes, this.#length);
    this.#length += codes.length;
  }

  /** Writes two digits for each of the bytes from `start` to before `end`. Throws a `RangeError` where there are none. */
  hex(bytes: Uint8Array, start = 0, end = bytes.length): void {
    if (start < 0 || end > bytes.length) throw new RangeError(`there are ${bytes.length} bytes, not ${end}`);
    let at = this.#length;
    for (let index = start; index < end; index++) {
      this.#view.setUint16(at, DIGITS[bytes[index] ?? 0] ?? 0);
      at += 2;
    }
    this.#length = at;
  }

  /** Writes the digits of an integer from 0 to 2^53 - 1 as a QUANTITY has them, without `0x`. */
  quantity(value: number): void {
    this.text(value.toString(16));
  }

  /** Writes any text. */
  text(text: string): void {
    this.#reserve(Buffer.byteLength(text));
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Writes again what stands from `start` to before `end`. */
  repeat(start: number, end: number): void {
    this.#reserve(end - start);
    this.#bytes.copyWithin(this.#length, start, end);
    this.#length += end - start;
  }

  /** What would not fit is cut off by some of the ways to write, and refused by the others. */
  #reserve(length: number): void {
    if (this.#length + length > this.#bytes.length)
      throw new RangeError(`more than ${this.#bytes.length} bytes are written`);
  }

  /** What is written, not copied. */
  get written(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}
