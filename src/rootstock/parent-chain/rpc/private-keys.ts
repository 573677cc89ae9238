// Private keys in the wallet import format of regtest.

import { curve } from '../../../primitives/secp256k1/curve.ts';
import { decodeBase58Check, encodeBase58Check } from '../../bitcoin/base58-check.ts';

const VERSION = 0xef;
const COMPRESSED = 1;
const KEY_SIZE = 32;

interface ImportedKey {
  readonly privateKey: Uint8Array;
  /** True if the public key has 33 bytes. */
  readonly isCompressed: boolean;
}

/** Decodes a private key; `undefined` for any other text. */
export function decodePrivateKey(text: string): ImportedKey | undefined {
  const compressed = decodeBase58Check(text, KEY_SIZE + 2);
  const bytes = compressed ?? decodeBase58Check(text, KEY_SIZE + 1);
  if (bytes === undefined || bytes[0] !== VERSION) return undefined;
  if (compressed !== undefined && compressed.at(-1) !== COMPRESSED) return undefined;
  const privateKey = bytes.slice(1, 1 + KEY_SIZE);
  return curve.isPrivateKey(privateKey) ? { privateKey, isCompressed: compressed !== undefined } : undefined;
}

/** Encodes the private key of a compressed public key. */
export function encodePrivateKey(privateKey: Uint8Array): string {
  return encodeBase58Check(Uint8Array.of(VERSION, ...privateKey, COMPRESSED));
}
