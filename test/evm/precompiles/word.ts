import { bigIntToFixedBytes } from '../../../src/primitives/bytes.ts';

/** A number as a 32-byte word. */
export function word(value: bigint | number): Uint8Array {
  return bigIntToFixedBytes(BigInt(value), 32);
}
