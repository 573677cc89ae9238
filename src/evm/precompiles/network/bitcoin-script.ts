import { createHash } from 'node:crypto';
import { decodeBase58Check, encodeBase58Check } from '../../../primitives/base58check.ts';
import { concatBytes } from '../../../primitives/bytes.ts';

/** The opcode that pushes 1; those for higher numbers follow. */
const OP_1 = 0x51;
const OP_CHECKMULTISIG = 0xae;

/** SHA-256, then RIPEMD-160: Bitcoin's hash of 20 bytes, which its addresses are of. */
export function hash160(bytes: Uint8Array): Uint8Array {
  const inner = createHash('sha256').update(bytes).digest();
  return new Uint8Array(createHash('ripemd160').update(inner).digest());
}

/**
 * Returns the script that asks for so many signatures of those keys (33 bytes each, 16 keys at most), which stand in it
 * in their order (BIP-11).
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
/** What addresses on a local parent chain begin with, by what they are the hash of. */
const VERSIONS = { key: 0x6f, script: 0xc4 } as const;

/**
 * Returns the address on a local parent chain of a public key or a script with that hash (20 bytes), as people write
 * it.
 */
export function parentChainAddress(kind: keyof typeof VERSIONS, hash: Uint8Array): string {
  return encodeBase58Check(concatBytes(Uint8Array.of(VERSIONS[kind]), hash));
}

/** Returns the hash (20 bytes) that the address is of; `undefined` when it is none of a local parent chain. */
export function hashOfAddress(address: string): Uint8Array | undefined {
  const bytes = decodeBase58Check(address, 1 + HASH_SIZE);
  const isLocal = bytes?.[0] === VERSIONS.key || bytes?.[0] === VERSIONS.script;
  return isLocal ? bytes?.subarray(1) : undefined;
}
