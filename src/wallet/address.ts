import { hexKey } from '../primitives/hex.ts';
import { keccak256 } from '../primitives/keccak.ts';

/** Chains with the chain id in the checksum of addresses (EIP-1191, RSKIP-60). */
const CHAINS_IN_CHECKSUM: readonly number[] = [30, 31, 32, 33];

/** `a` in ASCII, and its distance to `A`. */
const FIRST_LETTER = 0x61;
const CAPITAL = 0x20;

/** Returns a checksum address from 40 lower-case digits. The checksum covers the prefix and the digits. */
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

/** Returns the address with the EIP-55 checksum. All clients accept it on every chain. */
export function commonChecksumAddress(address: Uint8Array): string {
  return commonChecksumOf(hexKey(address));
}

/** Returns the EIP-55 checksum address of 40 lower-case digits without `0x`. */
export function commonChecksumOf(digits: string): string {
  return withCapitals(digits, '');
}

/**
 * Returns the address with the checksum of its chain: EIP-1191 on Rootstock chains (most clients reject it),
 * EIP-55 on other chains.
 */
export function checksumAddress(address: Uint8Array, chainId: number): string {
  return withCapitals(hexKey(address), CHAINS_IN_CHECKSUM.includes(chainId) ? `${chainId}0x` : '');
}
