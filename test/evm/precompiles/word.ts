import { bigIntToFixedBytes } from '../../../src/primitives/bytes.ts';

/** A number as a word of 32 bytes. */
export function word(value: bigint | number): Uint8Array {
  return bigIntToFixedBytes(BigInt(value), 32);
}
