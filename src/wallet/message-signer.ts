import { concatBytes } from '../primitives/bytes.ts';
import { keccak256 } from '../primitives/keccak.ts';
import { addressOfPublicKey, curve } from '../primitives/secp256k1/curve.ts';
import type { Signature } from '../primitives/secp256k1/secp256k1.ts';
import { InvalidSignatureError } from './errors.ts';

/**
 * Returns the hash that `eth_sign` signs for a message: the prefix prevents it from being a valid transaction
 * (EIP-191).
 */
export function messageHash(message: Uint8Array): Uint8Array {
  const prefix = new TextEncoder().encode(`\x19Ethereum Signed Message:\n${message.length}`);
  return keccak256(concatBytes(prefix, message));
}

/**
 * Returns the address (20 bytes) whose key signed a 32-byte hash. Throws {@link InvalidSignatureError} when there is
 * none.
 */
export function recoverSigner(hash: Uint8Array, signature: Signature): Uint8Array {
  let publicKey: Uint8Array;
  try {
    publicKey = curve.recover(hash, signature);
  } catch {
    throw new InvalidSignatureError();
  }
  return addressOfPublicKey(publicKey);
}
