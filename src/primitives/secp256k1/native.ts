import { createRequire } from 'node:module';
import type { Secp256k1 } from './secp256k1.ts';
import { keyOfPoint, pointsWithInfinity } from './secp256k1.ts';

interface NativeBinding {
  ecdsaSign(hash: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number };
  ecdsaRecover(signature: Uint8Array, recovery: number, hash: Uint8Array, compressed: boolean): Uint8Array;
  publicKeyCreate(key: Uint8Array, compressed: boolean): Uint8Array;
  privateKeyVerify(key: Uint8Array): boolean;
  publicKeyConvert(key: Uint8Array, compressed: boolean): Uint8Array;
  publicKeyCombine(keys: readonly Uint8Array[], compressed: boolean): Uint8Array;
  publicKeyTweakMul(key: Uint8Array, factor: Uint8Array, compressed: boolean): Uint8Array;
}

/** Returns the native implementation, or `undefined` when its binary is not installed. */
export function nativeSecp256k1(): Secp256k1 | undefined {
  let binding: NativeBinding;
  try {
    // The package's main module would fall back to a slow library; its bindings alone show whether the binary is
    // installed.
    binding = createRequire(import.meta.url)('secp256k1/bindings');
  } catch {
    return undefined;
  }
  return {
    name: 'native',
    sign(hash, privateKey) {
      const { signature, recid } = binding.ecdsaSign(hash, privateKey);
      return { compact: signature, recovery: recid };
    },
    recover: (hash, { compact, recovery }) =>
      binding.ecdsaRecover(compact, recovery, hash, false).subarray(1),
    publicKey: (privateKey) => binding.publicKeyCreate(privateKey, false).subarray(1),
    compressedPublicKey: (privateKey) => binding.publicKeyCreate(privateKey, true),
    isPrivateKey: (bytes) => bytes.length === 32 && binding.privateKeyVerify(bytes),
    ...pointsWithInfinity({
      pointOf: (publicKey) => binding.publicKeyConvert(publicKey, false).subarray(1),
      sum: (left, right) =>
        binding.publicKeyCombine([keyOfPoint(left), keyOfPoint(right)], false).subarray(1),
      product: (point, factor) => binding.publicKeyTweakMul(keyOfPoint(point), factor, false).subarray(1),
    }),
  };
}
