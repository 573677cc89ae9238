import { createHash } from 'node:crypto';
import { createBase58check } from '@scure/base';

const CHECKSUM_SIZE = 4;
/** Maximum base58 digits per byte. */
const DIGITS_PER_BYTE = Math.log(256) / Math.log(58);

const BASE58_CHECK = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest());

/** Encodes bytes with a checksum in base58, like Bitcoin's addresses and extended keys. */
export function encodeBase58Check(payload: Uint8Array): string {
  return BASE58_CHECK.encode(payload);
}

/** Decodes `length` bytes from {@link encodeBase58Check}; `undefined` for any other text. */
export function decodeBase58Check(text: string, length: number): Uint8Array | undefined {
  // Reject long texts first, because decoding takes quadratic time.
  if (text.length > Math.ceil((length + CHECKSUM_SIZE) * DIGITS_PER_BYTE)) return undefined;
  try {
    const payload = BASE58_CHECK.decode(text);
    return payload.length === length ? payload : undefined;
  } catch {
    return undefined;
  }
}
