/** A run of zero bytes shared by callers that need an empty value. */
export const EMPTY_BYTES: Uint8Array = new Uint8Array(0);

/** Joins the parts into one new array. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
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

/** True when both arrays hold the same bytes. */
export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) if (left[index] !== right[index]) return false;
  return true;
}

/** The bytes without their leading zeros; empty when all are zero. */
export function stripLeadingZeros(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < bytes.length && bytes[start] === 0) start++;
  return start === 0 ? bytes : bytes.slice(start);
}

/** The bytes, zeros put in front, `length` bytes long. Throws a `RangeError` when they are longer already. */
export function padLeft(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length === length) return bytes;
  if (bytes.length > length) throw new RangeError(`${bytes.length} bytes do not fit into ${length}`);
  const padded = new Uint8Array(length);
  padded.set(bytes, length - bytes.length);
  return padded;
}

/** The unsigned big-endian integer that the bytes spell; 0n for none. */
export function bytesToBigInt(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n;
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

/** The shortest big-endian bytes of an unsigned integer; none for 0n. */
export function bigIntToBytes(value: bigint): Uint8Array {
  if (value === 0n) return EMPTY_BYTES;
  if (value < 0n) throw new RangeError(`${value} is negative`);
  const digits = value.toString(16);
  return new Uint8Array(Buffer.from(digits.length % 2 === 1 ? `0${digits}` : digits, 'hex'));
}

/** The integer as exactly `length` big-endian bytes. Throws a `RangeError` when it does not fit. */
export function bigIntToFixedBytes(value: bigint, length: number): Uint8Array {
  return padLeft(bigIntToBytes(value), length);
}

/** The unsigned integer as two's-complement bytes: a zero in front where the top bit is set, one zero byte for zero. */
export function bigIntToSignedBytes(value: bigint): Uint8Array {
  const bytes = bigIntToBytes(value);
  return bytes.length === 0 || (bytes[0] ?? 0) >= 0x80 ? concatBytes(Uint8Array.of(0), bytes) : bytes;
}

/** Orders byte arrays as numbers are read: byte by byte, the shorter first when one begins the other. */
export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  return Buffer.compare(left, right);
}
