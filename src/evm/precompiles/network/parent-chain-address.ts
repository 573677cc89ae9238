import { decodeBase58Check, encodeBase58Check } from '../../../primitives/base58check.ts';
import { concatBytes } from '../../../primitives/bytes.ts';

const HASH_SIZE = 20;
/** What addresses on a local parent chain begin with, by what they are the hash of. */
const VERSIONS = { key: 0x6f, script: 0xc4 } as const;

/** The address on a local parent chain of a public key or a script with that hash (20 bytes), as people write it. */
export function parentChainAddress(kind: keyof typeof VERSIONS, hash: Uint8Array): string {
  return encodeBase58Check(concatBytes(Uint8Array.of(VERSIONS[kind]), hash));
}

/** The hash (20 bytes) that the address is of; `undefined` when it is none of a local parent chain. */
export function hashOfAddress(address: string): Uint8Array | undefined {
  const bytes = decodeBase58Check(address, 1 + HASH_SIZE);
  const isLocal = bytes?.[0] === VERSIONS.key || bytes?.[0] === VERSIONS.script;
  return isLocal ? bytes?.subarray(1) : undefined;
}
