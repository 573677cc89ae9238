import { hexKey } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';

/** The chains whose addresses are written with the chain id in their checksum (EIP-1191, RSKIP-60). */
const CHAINS_IN_CHECKSUM: readonly number[] = [30, 31, 32, 33];

/** `a` in ASCII, and how much less its capital is. */
const FIRST_LETTER = 0x61;
const CAPITAL = 0x20;

/** Returns the address with capitals as a checksum, which is computed from the prefix and the digits. */
function withCapitals(address: Uint8Array, prefix: string): string {
  const digits = hexKey(address);
  const hash = keccak256(Buffer.from(`${prefix}${digits}`));
  const text = Buffer.from(`0x${digits}`);
  for (let index = 0; index < digits.length; index++) {
    const isMarked = ((hash[index >> 1] ?? 0) & (index % 2 === 0 ? 0x80 : 0x08)) !== 0;
    const digit = text[index + 2] ?? 0;
    if (isMarked && digit >= FIRST_LETTER) text[index + 2] = digit - CAPITAL;
  }
  return text.toString('latin1');
}

/** Returns the address with the checksum that all clients take on every chain (EIP-55). */
export function commonChecksumAddress(address: Uint8Array): string {
  return withCapitals(address, '');
}

/**
 * Returns the address with the checksum of its chain: with the chain id in it on the network's chains (EIP-1191), which
 * most clients refuse, and as EIP-55 has it on all others.
 */
export function checksumAddress(address: Uint8Array, chainId: number): string {
  return withCapitals(address, CHAINS_IN_CHECKSUM.includes(chainId) ? `${chainId}0x` : '');
}
