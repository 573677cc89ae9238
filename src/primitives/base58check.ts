import { createHash } from 'node:crypto';
import { createBase58check } from '@scure/base';

const CHECKSUM_SIZE = 4;
/** The most digits that a byte takes. */
const DIGITS_PER_BYTE = Math.log(256) / Math.log(58);

const BASE58_CHECK = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest());

/** Returns the bytes with their checksum as digits of base 58: how Bitcoin writes addresses and extended keys. */
export function encodeBase58Check(payload: Uint8Array): string {
  return BASE58_CHECK.encode(payload);
}

/**
 * Returns the `length` bytes that the text encodes with their checksum (see {@link encodeBase58Check}); `undefined` for
 * any other text.
 */
export function decodeBase58Check(text: string, length: number): Uint8Array | undefined {
  // Decoding takes the square of the length, so that a text that is too long to be right is not decoded.
  if (text.length > Math.ceil((length + CHECKSUM_SIZE) * DIGITS_PER_BYTE)) return undefined;
  try {
    const payload = BASE58_CHECK.decode(text);
    return payload.length === length ? payload : undefined;
  } catch {
    return undefined;
  }
}
