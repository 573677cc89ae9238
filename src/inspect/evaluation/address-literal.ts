/** Checks the checksum of an address in an expression (EIP-55). */

import { commonChecksumOf } from '../../wallet/address.ts';

/** Returns the fault of the 40 digits of an address; `null` for none. Digits of one case have no checksum. */
export function checksumFault(digits: string): string | null {
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return null;
  const expected = commonChecksumOf(digits.toLowerCase());
  return expected === `0x${digits}` ? null : `the checksum of the address is wrong; expected ${expected}`;
}
