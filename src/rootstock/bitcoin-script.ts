// Scripts and addresses of Bitcoin.

import { createHash } from 'node:crypto';
import { createBase58check } from '@scure/base';
import { concatBytes } from '../primitives/bytes.ts';

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

/** The opcode that pushes 1. The opcodes for higher numbers follow. */
const OP_1 = 0x51;
const OP_CHECKMULTISIG = 0xae;

/** Returns RIPEMD-160 of SHA-256, the hash in Bitcoin's addresses (20 bytes). */
export function hash160(bytes: Uint8Array): Uint8Array {
  const inner = createHash('sha256').update(bytes).digest();
  return new Uint8Array(createHash('ripemd160').update(inner).digest());
}

/** Returns the multisig script (BIP-11) for the keys in order (33 bytes each, at most 16). */
export function multisigScript(required: number, keys: readonly Uint8Array[]): Uint8Array {
  const pushes = keys.map((key) => concatBytes(Uint8Array.of(key.length), key));
  const smallNumber = (value: number) => OP_1 - 1 + value;
  return concatBytes(
    Uint8Array.of(smallNumber(required)),
    ...pushes,
    Uint8Array.of(smallNumber(keys.length), OP_CHECKMULTISIG),
  );
}

const HASH_SIZE = 20;
/** The version bytes of regtest addresses, by the kind of the hash. */
const VERSIONS = { key: 0x6f, script: 0xc4 } as const;

/** Returns the regtest address of a public key or script with this hash (20 bytes). */
export function parentChainAddress(kind: keyof typeof VERSIONS, hash: Uint8Array): string {
  return encodeBase58Check(concatBytes(Uint8Array.of(VERSIONS[kind]), hash));
}

/** Returns the hash (20 bytes) of a regtest address; `undefined` for any other text. */
export function hashOfAddress(address: string): Uint8Array | undefined {
  const bytes = decodeBase58Check(address, 1 + HASH_SIZE);
  const isLocal = bytes?.[0] === VERSIONS.key || bytes?.[0] === VERSIONS.script;
  return isLocal ? bytes?.subarray(1) : undefined;
}
