/** An empty byte array, shared by callers that need one. */
export const EMPTY_BYTES: Uint8Array = new Uint8Array(0);

/** Joins the parts into one new array. For a few parts; {@link joinBytes} takes any number. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  return joinBytes(parts);
}

/** Joins any number of parts into one new array. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const joined = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** True if both arrays hold the same bytes. */
export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) if (left[index] !== right[index]) return false;
  return true;
}

/** Returns the bytes without their leading zeros; empty when all are zero. */
export function stripLeadingZeros(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < bytes.length && bytes[start] === 0) start++;
  return start === 0 ? bytes : bytes.slice(start);
}

/** Returns the bytes with zeros in front, `length` bytes long. Throws a `RangeError` when they are longer already. */
export function padLeft(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length === length) return bytes;
  if (bytes.length > length) throw new RangeError(`${bytes.length} bytes do not fit into ${length}`);
  const padded = new Uint8Array(length);
  padded.set(bytes, length - bytes.length);
  return padded;
}

// Integers up to twelve bytes, such as amounts of wei, are read and written as two halves that are exact numbers: faster than
// converting hexadecimal digits.
const HALF_LENGTH = 6;
const HALF_BITS = 48n;
const LOWER_HALF = 2n ** 48n - 1n;
const HALVES_END = 2n ** 96n;
const LARGEST_NUMBER = BigInt(Number.MAX_SAFE_INTEGER);

function numberBetween(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let index = start; index < end; index++) value = value * 256 + (bytes[index] ?? 0);
  return value;
}

/** Returns the unsigned big-endian integer of the bytes; 0n for none. */
export function bytesToBigInt(bytes: Uint8Array): bigint {
  const { buffer, byteOffset, length } = bytes;
  if (length <= HALF_LENGTH) return BigInt(numberBetween(bytes, 0, length));
  if (length <= 2 * HALF_LENGTH) {
    const middle = length - HALF_LENGTH;
    return (
      (BigInt(numberBetween(bytes, 0, middle)) << HALF_BITS) | BigInt(numberBetween(bytes, middle, length))
    );
  }
  return BigInt(`0x${Buffer.from(buffer, byteOffset, length).toString('hex')}`);
}

/** Returns the shortest big-endian bytes of an unsigned integer up to 2^53 - 1; none for 0. */
export function numberToBytes(value: number): Uint8Array {
  let length = 0;
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) length++;
  const bytes = new Uint8Array(length);
  for (let index = length - 1, rest = value; index >= 0; index--, rest = Math.floor(rest / 256))
    bytes[index] = rest;
  return bytes;
}

/** Returns the bytes of an integer in two halves, the upper one not 0. */
function halvesToBytes(upper: number, lower: number): Uint8Array {
  const start = numberToBytes(upper);
  const bytes = new Uint8Array(start.length + HALF_LENGTH);
  bytes.set(start);
  for (let index = bytes.length - 1, rest = lower; rest > 0; index--, rest = Math.floor(rest / 256))
    bytes[index] = rest;
  return bytes;
}

/**
 * Returns the shortest big-endian bytes of an unsigned integer; none for 0n. Throws a `RangeError` for a negative one.
 */
export function bigIntToBytes(value: bigint): Uint8Array {
  if (value === 0n) return EMPTY_BYTES;
  if (value < 0n) throw new RangeError(`${value} is negative`);
  if (value <= LARGEST_NUMBER) return numberToBytes(Number(value));
  if (value < HALVES_END) return halvesToBytes(Number(value >> HALF_BITS), Number(value & LOWER_HALF));
  const digits = value.toString(16);
  return new Uint8Array(Buffer.from(digits.length % 2 === 1 ? `0${digits}` : digits, 'hex'));
}

/** Returns the integer as exactly `length` big-endian bytes. Throws a `RangeError` when it does not fit. */
export function bigIntToFixedBytes(value: bigint, length: number): Uint8Array {
  return padLeft(bigIntToBytes(value), length);
}

/**
 * Returns the unsigned integer as two's-complement bytes: a zero in front where the top bit is set, one zero byte for
 * zero.
 */
export function bigIntToSignedBytes(value: bigint): Uint8Array {
  const bytes = bigIntToBytes(value);
  return bytes.length === 0 || (bytes[0] ?? 0) >= 0x80 ? concatBytes(Uint8Array.of(0), bytes) : bytes;
}

/** Bytes that are compared one by one before all are compared at once: hashes hardly ever have so many in common. */
const COMPARED_FIRST = 4;

/** Compares byte arrays lexicographically; a prefix sorts before the longer array. */
export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const first = Math.min(COMPARED_FIRST, left.length, right.length);
  for (let index = 0; index < first; index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference < 0 ? -1 : 1;
  }
  return Buffer.compare(left, right);
}
