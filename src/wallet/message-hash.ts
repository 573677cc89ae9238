import { concatBytes } from '../primitives/bytes.ts';
import { keccak256 } from '../primitives/keccak.ts';

/** The hash that `eth_sign` signs for a message: the prefix keeps it from being a transaction (EIP-191). */
export function messageHash(message: Uint8Array): Uint8Array {
  const prefix = new TextEncoder().encode(`\x19Ethereum Signed Message:\n${message.length}`);
  return keccak256(concatBytes(prefix, message));
}
