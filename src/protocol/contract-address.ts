/** The addresses of contracts (20 bytes). */

import { bigIntToBytes, concatBytes } from '../primitives/bytes.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { encodeRlp } from '../primitives/rlp.ts';

/** Returns the address of a contract that a transaction or CREATE creates. */
export function createdAddress(creator: Uint8Array, nonce: bigint): Uint8Array {
  return keccak256(encodeRlp([creator, bigIntToBytes(nonce)])).subarray(-20);
}

/** Returns the address of a contract that CREATE2 creates with a salt of 32 bytes (EIP-1014). */
export function saltedAddress(creator: Uint8Array, salt: Uint8Array, initcode: Uint8Array): Uint8Array {
  return keccak256(concatBytes(Uint8Array.of(0xff), creator, salt, keccak256(initcode))).subarray(-20);
}
