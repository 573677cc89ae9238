import { hexKey } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';

/** The chains whose addresses are written with the chain id in their checksum (EIP-1191, RSKIP-60). */
const CHAINS_IN_CHECKSUM: readonly number[] = [30, 31, 32, 33];

/** `a` in ASCII, and how much less its capital is. */
const FIRST_LETTER = 0x61;
const CAPITAL = 0x20;

/** Returns the address of 40 digits in lower case with capitals as a checksum, which is computed from the prefix and the digits. */
function withCapitals(digits: string, prefix: string): string {
  const text = Buffer.from(`${prefix}${digits}`);
  const hash = keccak256(text);
  for (let index = 0; index < digits.length; index++) {
    const isMarked = ((hash[index >> 1] ?? 0) & (index % 2 === 0 ? 0x80 : 0x08)) !== 0;
    const digit = text[prefix.length + index] ?? 0;
    if (isMarked && digit >= FIRST_LETTER) text[prefix.length + index] = digit - CAPITAL;
  }
  return `0x${text.toString('latin1', prefix.length)}`;
}

/** Returns the address with the checksum that all clients take on every chain (EIP-55). */
export function commonChecksumAddress(address: Uint8Array): string {
  return commonChecksumOf(hexKey(address));
}

/** Returns the same for an address of 40 digits in lower case, without `0x`. */
export function commonChecksumOf(digits: string): string {
  return withCapitals(digits, '');
}

/**
 * Returns the address with the checksum of its chain: with the chain id in it on the network's chains (EIP-1191), which
 * most clients refuse, and as EIP-55 has it on all others.
 */
export function checksumAddress(address: Uint8Array, chainId: number): string {
  return withCapitals(hexKey(address), CHAINS_IN_CHECKSUM.includes(chainId) ? `${chainId}0x` : '');
}
