/** Words of 32 bytes in the form of call data and storage. */

import { bigIntToFixedBytes } from '../../src/primitives/bytes.ts';

/** Returns a word as DATA. */
export function word(value: number | bigint): string {
  return `0x${hexWord(value)}`;
}

/** Returns a word as 64 hexadecimal digits. */
export function hexWord(value: number | bigint): string {
  return value.toString(16).padStart(64, '0');
}

/** Returns a word as bytes. */
export function wordBytes(value: number | bigint): Uint8Array {
  return bigIntToFixedBytes(BigInt(value), 32);
}
