import { keyOf } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';

/** The chains whose addresses are written with the chain id in their checksum (EIP-1191, RSKIP-60). */
const CHAINS_IN_CHECKSUM: readonly number[] = [30, 31, 32, 33];

/**
 * The address in mixed case, its capitals a checksum: with the chain id on the network's chains (EIP-1191), without it
 * on all others (EIP-55).
 */
export function checksumAddress(address: Uint8Array, chainId: number): string {
  const digits = keyOf(address);
  const prefix = CHAINS_IN_CHECKSUM.includes(chainId) ? `${chainId}0x` : '';
  const hash = keyOf(keccak256(new TextEncoder().encode(`${prefix}${digits}`)));
  const marked = Array.from(digits, (digit, index) =>
    Number.parseInt(hash.charAt(index), 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${marked.join('')}`;
}
