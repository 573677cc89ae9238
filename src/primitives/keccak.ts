import { createKeccak } from 'hash-wasm';

const hasher = await createKeccak(256);

/** The Keccak-256 hash (32 bytes, a new array) of the bytes: the hash of Ethereum, not NIST's SHA3-256. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  hasher.init();
  hasher.update(bytes);
  return hasher.digest('binary');
}

/** The hash of no bytes: the code hash of an account without code. */
export const KECCAK_EMPTY: Uint8Array = keccak256(new Uint8Array(0));
