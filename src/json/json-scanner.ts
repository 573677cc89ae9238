/** Thrown by {@link JsonScanner} for JSON in another form. */
export class OtherJsonError extends Error {
  override readonly name = 'OtherJsonError';
}

const NO_DIGIT = 255;
/** By the code of a character: the value of a hex digit, or {@link NO_DIGIT}. */
const DIGIT_VALUES = new Uint8Array(256).fill(NO_DIGIT);
for (const digit of '0123456789abcdefABCDEF') DIGIT_VALUES[digit.charCodeAt(0)] = Number.parseInt(digit, 16);

/** Maximum digits of an integer that is read as a number, and of any integer. */
const [NUMBER_DIGITS, MAX_DIGITS] = [13, 64];

/**
 * Reads JSON from bytes in the exact form of a `JsonWriter`. `JSON.parse` takes several times as long, because it
 * creates a string per value. Throws an {@link OtherJsonError} for another form.
 */
export class JsonScanner {
  readonly #bytes: Uint8Array;
  /** The bytes of all hex digits. */
  readonly #decoded: Uint8Array;
  #decodedLength = 0;
  /** The offset of the next character. */
  #at: number;

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes;
    this.#decoded = new Uint8Array(Math.ceil((bytes.length - start) / 2));
    this.#at = start;
  }

  get at(): number {
    return this.#at;
  }

  /** Skips these characters. Returns false if others follow. */
  skips(codes: Uint8Array): boolean {
    const [bytes, start] = [this.#bytes, this.#at];
    for (let index = 0; index < codes.length; index++)
      if (bytes[start + index] !== codes[index]) return false;
    this.#at = start + codes.length;
    return true;
  }

  take(codes: Uint8Array): void {
    if (!this.skips(codes)) throw new OtherJsonError();
  }

  /** Returns the bytes of the following digits, exactly `length` bytes if given. */
  hex(length?: number): Uint8Array {
    const [bytes, decoded, start] = [this.#bytes, this.#decoded, this.#decodedLength];
    let [at, end] = [this.#at, start];
    for (;;) {
      const high = DIGIT_VALUES[bytes[at] ?? 0] ?? NO_DIGIT;
      if (high === NO_DIGIT) break;
      const low = DIGIT_VALUES[bytes[at + 1] ?? 0] ?? NO_DIGIT;
      if (low === NO_DIGIT) throw new OtherJsonError();
      decoded[end++] = 16 * high + low;
      at += 2;
    }
    if (length !== undefined && end - start !== length) throw new OtherJsonError();
    [this.#at, this.#decodedLength] = [at, end];
    return decoded.subarray(start, end);
  }

  /** Returns the integer of the following digits. */
  quantity(): bigint {
    const [bytes, start] = [this.#bytes, this.#at];
    let [at, value] = [start, 0];
    for (; ; at++) {
      const digit = DIGIT_VALUES[bytes[at] ?? 0] ?? NO_DIGIT;
      if (digit === NO_DIGIT) break;
      value = 16 * value + digit;
    }
    if (at === start || at - start > MAX_DIGITS) throw new OtherJsonError();
    this.#at = at;
    if (at - start <= NUMBER_DIGITS) return BigInt(value);
    return BigInt(`0x${Buffer.from(bytes.subarray(start, at)).toString('latin1')}`);
  }
}
