import { EMPTY_BYTES } from '../../primitives/bytes.ts';

const WORD_BITS = 64n;
const WORD_SIZE = 32;

/**
 * The host's view of the memory of an instance. Words are 32 bytes: four 64-bit limbs, little-endian.
 * Addresses and hashes on the host side are big-endian.
 */
export class LinearMemory {
  readonly #memory: Pick<WebAssembly.Memory, 'buffer'>;
  #bytes: Uint8Array;
  #numbers: Uint32Array;
  #limbs: BigUint64Array;
  #signed: BigInt64Array;

  constructor(memory: Pick<WebAssembly.Memory, 'buffer'>) {
    this.#memory = memory;
    const { buffer } = memory;
    this.#bytes = new Uint8Array(buffer);
    this.#numbers = new Uint32Array(buffer);
    this.#limbs = new BigUint64Array(buffer);
    this.#signed = new BigInt64Array(buffer);
  }

  /** Recreates the views. Call it after the memory may have grown, because growth detaches views. */
  refresh(): void {
    if (this.#bytes.length > 0) return;
    const { buffer } = this.#memory;
    this.#bytes = new Uint8Array(buffer);
    this.#numbers = new Uint32Array(buffer);
    this.#limbs = new BigUint64Array(buffer);
    this.#signed = new BigInt64Array(buffer);
  }

  /** All bytes; valid until the memory grows. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Reads an unsigned 32-bit number. */
  number(pointer: number): number {
    return this.#numbers[pointer >> 2] ?? 0;
  }

  setNumber(pointer: number, value: number): void {
    this.#numbers[pointer >> 2] = value;
  }

  /** Reads an unsigned 64-bit number. */
  limb(pointer: number): bigint {
    return this.#limbs[pointer >> 3] ?? 0n;
  }

  setLimb(pointer: number, value: bigint): void {
    this.#limbs[pointer >> 3] = value;
  }

  /** Reads a signed 64-bit number. */
  signed(pointer: number): bigint {
    return this.#signed[pointer >> 3] ?? 0n;
  }

  /** Reads a word. */
  word(pointer: number): bigint {
    const limbs = this.#limbs;
    const index = pointer >> 3;
    const high = limbs[index + 3] ?? 0n;
    const upper = limbs[index + 2] ?? 0n;
    const lower = limbs[index + 1] ?? 0n;
    let value = limbs[index] ?? 0n;
    if (lower !== 0n) value |= lower << WORD_BITS;
    if (upper !== 0n) value |= upper << (2n * WORD_BITS);
    if (high !== 0n) value |= high << (3n * WORD_BITS);
    return value;
  }

  /** Writes a word of at most 256 bits. */
  setWord(pointer: number, value: bigint): void {
    const limbs = this.#limbs;
    const index = pointer >> 3;
    limbs[index] = value;
    const rest = value >> WORD_BITS;
    limbs[index + 1] = rest;
    limbs[index + 2] = rest === 0n ? 0n : rest >> WORD_BITS;
    limbs[index + 3] = rest === 0n ? 0n : rest >> (2n * WORD_BITS);
  }

  /** Returns a copy. */
  copy(pointer: number, length: number): Uint8Array {
    return length === 0 ? EMPTY_BYTES : this.#bytes.slice(pointer, pointer + length);
  }

  set(pointer: number, bytes: Uint8Array): void {
    this.#bytes.set(bytes, pointer);
  }

  /** Returns the last `length` bytes of a word, big-endian. */
  wordBytes(pointer: number, length: 20 | 32): Uint8Array {
    return this.#bytes.slice(pointer, pointer + length).reverse();
  }

  /**
   * Like {@link wordBytes}, but returns `known` (the bytes of the word at `other`) if both words are equal.
   */
  sharedWordBytes(
    pointer: number,
    length: 20 | 32,
    known: Uint8Array | undefined,
    other: number,
  ): Uint8Array {
    if (known === undefined) return this.wordBytes(pointer, length);
    for (let offset = 0; offset < WORD_SIZE; offset += 4)
      if (this.number(pointer + offset) !== this.number(other + offset))
        return this.wordBytes(pointer, length);
    return known;
  }

  /** Writes big-endian bytes as a word and fills the rest with zeros. */
  setWordBytes(pointer: number, bytes: Uint8Array): void {
    const end = pointer + bytes.length;
    this.#bytes.set(bytes, pointer);
    this.#bytes.subarray(pointer, end).reverse();
    if (bytes.length < WORD_SIZE) this.#bytes.fill(0, end, pointer + WORD_SIZE);
  }

  /** Returns a word big-endian without leading zeros. */
  shortWordBytes(pointer: number): Uint8Array {
    const source = this.#bytes;
    let length = 32;
    while (length > 0 && source[pointer + length - 1] === 0) length--;
    return length === 0 ? EMPTY_BYTES : source.slice(pointer, pointer + length).reverse();
  }
}
