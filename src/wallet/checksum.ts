import { keyOf } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';

/** The address in mixed case, its capitals a checksum that depends on the chain id (EIP-1191). */
export function checksumAddress(address: Uint8Array, chainId: number): string {
  const digits = keyOf(address);
  const hash = keyOf(keccak256(new TextEncoder().encode(`${chainId}0x${digits}`)));
  const marked = Array.from(digits, (digit, index) =>
    Number.parseInt(hash.charAt(index), 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${marked.join('')}`;
}
