// Base58Check, the encoding of Bitcoin addresses and extended keys.

import { bigIntToFixedBytes, bytesToBigInt, concatBytes, equalBytes } from './bytes.ts';
import { doubleSha256 } from './sha256.ts';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE = BigInt(ALPHABET.length);
const CHECKSUM_SIZE = 4;
/** The maximum number of digits per byte. */
const DIGITS_PER_BYTE = Math.log(256) / Math.log(ALPHABET.length);

function checksum(payload: Uint8Array): Uint8Array {
  return doubleSha256(payload).subarray(0, CHECKSUM_SIZE);
}

/** Returns how many of the first items are `item`. */
function countLeading<Item>(items: Iterable<Item>, item: Item): number {
  let count = 0;
  for (const each of items) {
    if (each !== item) break;
    count++;
  }
  return count;
}

/** Returns the bytes with their checksum in base 58. */
export function encodeBase58Check(payload: Uint8Array): string {
  const bytes = concatBytes(payload, checksum(payload));
  let digits = '';
  for (let rest = bytesToBigInt(bytes); rest > 0n; rest /= BASE) {
    digits = (ALPHABET[Number(rest % BASE)] ?? '') + digits;
  }
  // Leading zeros are lost in the number: each zero byte is encoded as one digit of its own.
  return '1'.repeat(countLeading(bytes, 0)) + digits;
}

/**
 * Returns the `length` bytes that the text encodes with their checksum (see {@link encodeBase58Check}); `undefined` for
 * any other text.
 */
export function decodeBase58Check(text: string, length: number): Uint8Array | undefined {
  const size = length + CHECKSUM_SIZE;
  // Avoids the computation for a text that is too long to be right.
  if (text.length > Math.ceil(size * DIGITS_PER_BYTE)) return undefined;
  let value = 0n;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return undefined;
    value = value * BASE + BigInt(digit);
  }
  if (value >= 1n << BigInt(8 * size)) return undefined;
  const bytes = bigIntToFixedBytes(value, size);
  if (countLeading(text, '1') !== countLeading(bytes, 0)) return undefined;
  const payload = bytes.slice(0, length);
  return equalBytes(checksum(payload), bytes.subarray(length)) ? payload : undefined;
}
