import { keccak256 } from '../primitives/keccak.ts';
import { curve } from '../primitives/secp256k1/curve.ts';

/** Returns the address (20 bytes) of a 64-byte public key. */
export function addressOfPublicKey(publicKey: Uint8Array): Uint8Array {
  return keccak256(publicKey).subarray(12);
}

/** Returns the address (20 bytes) of a private key. */
export function addressOfPrivateKey(privateKey: Uint8Array): Uint8Array {
  return addressOfPublicKey(curve.publicKey(privateKey));
}
