import { bigIntToFixedBytes, bytesToBigInt, concatBytes, equalBytes } from './bytes.ts';
import { doubleSha256 } from './sha256.ts';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE = BigInt(ALPHABET.length);
const CHECKSUM_SIZE = 4;
/** The most digits that a byte takes. */
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

/** Returns the bytes with their checksum as digits of base 58: how Bitcoin writes addresses and extended keys. */
export function encodeBase58Check(payload: Uint8Array): string {
  const bytes = concatBytes(payload, checksum(payload));
  let digits = '';
  for (let rest = bytesToBigInt(bytes); rest > 0n; rest /= BASE) {
    digits = (ALPHABET[Number(rest % BASE)] ?? '') + digits;
  }
  // A number has no leading zeros: each byte of zero is one digit of its own.
  return '1'.repeat(countLeading(bytes, 0)) + digits;
}

/**
 * Returns the `length` bytes that stand with their checksum in the text, as {@link encodeBase58Check} writes them;
 * `undefined` when the text is not of that kind.
 */
export function decodeBase58Check(text: string, length: number): Uint8Array | undefined {
  const size = length + CHECKSUM_SIZE;
  // Nothing is worked out for a text that cannot be right, however long it is.
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
