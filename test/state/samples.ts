import { bigIntToFixedBytes } from '../../src/primitives/bytes.ts';

/** A 20-byte address that ends with the number. */
export function addressOf(number: number): Uint8Array {
  return bigIntToFixedBytes(BigInt(number), 20);
}

/** A 32-byte slot key that ends with the number. */
export function slotOf(number: number): Uint8Array {
  return bigIntToFixedBytes(BigInt(number), 32);
}
