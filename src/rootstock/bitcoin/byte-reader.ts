import { bytesToBigInt, concatBytes } from '../../primitives/bytes.ts';

/** Thrown for bytes that are not in Bitcoin's format. */
export class BitcoinFormatError extends Error {
  override get name(): string {
    return 'BitcoinFormatError';
  }
}

/** Returns the bytes in the opposite order: converts a hash between raw order and text order. */
export function reversed(bytes: Uint8Array): Uint8Array {
  return bytes.slice().reverse();
}

/** Reads Bitcoin's little-endian values. All methods throw `BitcoinFormatError` after the last byte. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #offset: number;

  constructor(bytes: Uint8Array, offset = 0) {
    this.#bytes = bytes;
    this.#offset = offset;
  }

  /** The offset of the next byte. */
  get offset(): number {
    return this.#offset;
  }

  /** True if all bytes were read. */
  get isAtEnd(): boolean {
    return this.#offset >= this.#bytes.length;
  }

  bytes(length: number): Uint8Array {
    const end = this.#offset + length;
    if (end > this.#bytes.length) {
      throw new BitcoinFormatError(`expected ${length} bytes at ${this.#offset}, got the end of the data`);
    }
    const slice = this.#bytes.slice(this.#offset, end);
    this.#offset = end;
    return slice;
  }

  /** Returns an unsigned number of `length` bytes. */
  unsigned(length: number): bigint {
    return bytesToBigInt(this.bytes(length).reverse());
  }

  number(length: 1 | 2 | 4): number {
    return Number(this.unsigned(length));
  }

  /** Returns a length of variable size. */
  length(): number {
    const first = this.number(1);
    if (first < 0xfd) return first;
    const value = this.unsigned(2 ** (first - 0xfc));
    if (value > BigInt(Number.MAX_SAFE_INTEGER))
      throw new BitcoinFormatError(`the length ${value} is too large`);
    return Number(value);
  }

  /** Returns bytes after their length. */
  lengthAndBytes(): Uint8Array {
    return this.bytes(this.length());
  }
}

/** Encodes a number as `length` little-endian bytes. */
export function littleEndian(value: number | bigint, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let rest = BigInt.asUintN(8 * length, BigInt(value));
  for (let index = 0; index < length; index++, rest >>= 8n) bytes[index] = Number(rest & 0xffn);
  return bytes;
}

/** Encodes a length in one, three, five or nine bytes. */
export function encodeLength(value: number | bigint): Uint8Array {
  const number = BigInt(value);
  if (number < 0xfdn) return Uint8Array.of(Number(number));
  const power = number <= 0xffffn ? 1 : number <= 0xffff_ffffn ? 2 : 3;
  return concatBytes(Uint8Array.of(0xfc + power), littleEndian(number, 2 ** power));
}
