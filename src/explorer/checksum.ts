/** The checksum of addresses. */

import { getAddress } from 'viem/utils';

/** Returns an address with its EIP-55 checksum. Rootstock's checksum (EIP-1191) differs. */
export function eip55(address: string): string {
  return getAddress(address);
}
