import { bigIntToBytes } from '../primitives/bytes.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { encodeRlp } from '../primitives/rlp.ts';

/** The address of the contract that `sender` creates with its transaction number `nonce`. */
export function contractAddress(sender: Uint8Array, nonce: bigint): Uint8Array {
  return keccak256(encodeRlp([sender, bigIntToBytes(nonce)])).subarray(12);
}
