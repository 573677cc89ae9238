/** A shared empty byte array. */
export const EMPTY_BYTES: Uint8Array = new Uint8Array(0);

/** Returns a copy, if others may change the bytes. For empty input, returns the shared array. */
export function copyBytes(bytes: Uint8Array): Uint8Array {
  return bytes.length === 0 ? EMPTY_BYTES : bytes.slice();
}

/** Joins the parts into a new array. Only for a few parts; {@link joinBytes} takes any number. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  return joinBytes(parts);
}

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

/** Up to this length, a loop is faster than a call of Node. */
const MAX_LOOPED_LENGTH = 8;

export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (left === right) return true;
  const { length } = left;
  if (length !== right.length) return false;
  // Most different arrays differ in the first or the last byte.
  if (length > MAX_LOOPED_LENGTH)
    return (
      left[0] === right[0] && left[length - 1] === right[length - 1] && Buffer.compare(left, right) === 0
    );
  for (let index = 0; index < length; index++) if (left[index] !== right[index]) return false;
  return true;
}

/** Returns the bytes without leading zeros; empty if all are zero. */
export function stripLeadingZeros(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < bytes.length && bytes[start] === 0) start++;
  return start === 0 ? bytes : bytes.slice(start);
}

/** Returns the bytes, padded with leading zeros to `length`. Throws a `RangeError` if they are longer. */
export function padLeft(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length === length) return bytes;
  if (bytes.length > length) throw new RangeError(`${bytes.length} bytes do not fit into ${length}`);
  const padded = new Uint8Array(length);
  padded.set(bytes, length - bytes.length);
  return padded;
}

// Integers up to 32 bytes are read and written in groups of eight bytes. This is faster than hex conversion.
const GROUPED_LENGTH = 32;
const GROUP_BITS = 64n;
const ONE_GROUP = 2n ** 64n;
const TWO_GROUPS = 2n ** 128n;
const FOUR_GROUPS = 2n ** 256n;
const grouped = new Uint8Array(GROUPED_LENGTH);
const groups = new DataView(grouped.buffer);

/** Reads an unsigned big-endian integer; 0n for no bytes. */
export function bytesToBigInt(bytes: Uint8Array): bigint {
  const { buffer, byteOffset, length } = bytes;
  if (length === 0) return 0n;
  if (length > GROUPED_LENGTH) return BigInt(`0x${Buffer.from(buffer, byteOffset, length).toString('hex')}`);
  groups.setBigUint64(24, 0n);
  if (length <= 8) {
    for (let index = 0, start = GROUPED_LENGTH - length; index < length; index++)
      grouped[start + index] = bytes[index] ?? 0;
    return groups.getBigUint64(24);
  }
  grouped.fill(0, 0, GROUPED_LENGTH - length);
  grouped.set(bytes, GROUPED_LENGTH - length);
  const lower = (groups.getBigUint64(16) << GROUP_BITS) | groups.getBigUint64(24);
  if (length <= 16) return lower;
  return (((groups.getBigUint64(0) << GROUP_BITS) | groups.getBigUint64(8)) << (2n * GROUP_BITS)) | lower;
}

/** Returns the shortest big-endian bytes of an unsigned integer up to 2^53 - 1; empty for 0. */
export function numberToBytes(value: number): Uint8Array {
  let length = 0;
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) length++;
  const bytes = new Uint8Array(length);
  for (let index = length - 1, rest = value; index >= 0; index--, rest = Math.floor(rest / 256))
    bytes[index] = rest;
  return bytes;
}

/** Returns the shortest big-endian bytes of an integer; empty for 0n. Throws a `RangeError` if negative. */
export function bigIntToBytes(value: bigint): Uint8Array {
  if (value === 0n) return EMPTY_BYTES;
  if (value < 0n) throw new RangeError(`${value} is negative`);
  if (value >= FOUR_GROUPS) {
    const digits = value.toString(16);
    return new Uint8Array(Buffer.from(digits.length % 2 === 1 ? `0${digits}` : digits, 'hex'));
  }
  // `setBigUint64` takes the low 64 bits.
  groups.setBigUint64(24, value);
  let start = 24;
  if (value >= ONE_GROUP) {
    groups.setBigUint64(16, value >> GROUP_BITS);
    start = 16;
    if (value >= TWO_GROUPS) {
      const upper = value >> (2n * GROUP_BITS);
      groups.setBigUint64(8, upper);
      groups.setBigUint64(0, upper >> GROUP_BITS);
      start = 0;
    }
  }
  while (grouped[start] === 0) start++;
  return grouped.slice(start);
}

/** Returns the integer as exactly `length` big-endian bytes. Throws a `RangeError` if it does not fit. */
export function bigIntToFixedBytes(value: bigint, length: number): Uint8Array {
  return padLeft(bigIntToBytes(value), length);
}

/**
 * Returns an unsigned integer as two's-complement bytes: with a leading zero if the top bit is set; one zero
 * byte for zero.
 */
export function bigIntToSignedBytes(value: bigint): Uint8Array {
  const bytes = bigIntToBytes(value);
  return bytes.length === 0 || (bytes[0] ?? 0) >= 0x80 ? concatBytes(Uint8Array.of(0), bytes) : bytes;
}

/**
 * The first bytes are compared in a loop, because most arrays differ there: hashes rarely have this number of
 * bytes in common.
 */
const COMPARED_FIRST = 4;

/** Compares lexicographically. A prefix sorts before the longer array. */
export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const first = Math.min(COMPARED_FIRST, left.length, right.length);
  for (let index = 0; index < first; index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference < 0 ? -1 : 1;
  }
  return Buffer.compare(left, right);
}
