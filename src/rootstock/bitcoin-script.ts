// Scripts and addresses of Bitcoin.

import { createHash } from 'node:crypto';
import { createBase58check } from '@scure/base';
import { concatBytes } from '../primitives/bytes.ts';

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

/** The opcode that pushes 1; those for higher numbers follow. */
const OP_1 = 0x51;
const OP_CHECKMULTISIG = 0xae;

/** Returns Bitcoin's hash of 20 bytes, which its addresses contain: SHA-256, then RIPEMD-160. */
export function hash160(bytes: Uint8Array): Uint8Array {
  const inner = createHash('sha256').update(bytes).digest();
  return new Uint8Array(createHash('ripemd160').update(inner).digest());
}

/**
 * Returns the script that requires so many signatures of those keys (33 bytes each, 16 keys at most), in their order
 * (BIP-11).
 */
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
/** The version bytes of addresses on a local parent chain, by the kind of the hash. */
const VERSIONS = { key: 0x6f, script: 0xc4 } as const;

/** Returns the address, as text, of a public key or a script with that hash (20 bytes) on a local parent chain. */
export function parentChainAddress(kind: keyof typeof VERSIONS, hash: Uint8Array): string {
  return encodeBase58Check(concatBytes(Uint8Array.of(VERSIONS[kind]), hash));
}

/** Returns the hash (20 bytes) of the address; `undefined` when it is no address of a local parent chain. */
export function hashOfAddress(address: string): Uint8Array | undefined {
  const bytes = decodeBase58Check(address, 1 + HASH_SIZE);
  const isLocal = bytes?.[0] === VERSIONS.key || bytes?.[0] === VERSIONS.script;
  return isLocal ? bytes?.subarray(1) : undefined;
}
