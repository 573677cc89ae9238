// The hash of an authorization (EIP-7702) that its authority signs.

import { bigIntToBytes, concatBytes } from '../primitives/bytes.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { encodeRlp } from '../primitives/rlp.ts';
import type { Authorization } from './transaction.ts';

/** The first byte of the signed bytes of an authorization (EIP-7702). */
const MAGIC = Uint8Array.of(0x05);

/** Returns the hash (32 bytes) that the account signs to run the code of `address`. */
export function authorizationHash({
  chainId,
  address,
  nonce,
}: Pick<Authorization, 'chainId' | 'address' | 'nonce'>): Uint8Array {
  return keccak256(concatBytes(MAGIC, encodeRlp([bigIntToBytes(chainId), address, bigIntToBytes(nonce)])));
}
