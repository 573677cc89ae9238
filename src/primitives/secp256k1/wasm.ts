import { instantiateSecp256k1 } from '@bitauth/libauth/build/lib/crypto/secp256k1.js';
import { javascriptSecp256k1 } from './javascript.ts';
import type { Secp256k1 } from './secp256k1.ts';
import { keyOfPoint, pointsWithInfinity } from './secp256k1.ts';

/** Returns the library's result. Throws if it is a string, which describes an error. */
function given<Result>(result: Result | string): Result {
  if (typeof result === 'string') throw new Error(result);
  return result;
}

/** Resolves to the compiled WebAssembly implementation. It works on every platform. */
export async function wasmSecp256k1(): Promise<Secp256k1> {
  const library = await instantiateSecp256k1();
  return {
    name: 'wasm',
    sign(hash, privateKey) {
      const { signature, recoveryId } = given(library.signMessageHashRecoverableCompact(privateKey, hash));
      return { compact: signature, recovery: recoveryId };
    },
    recover(hash, { compact, recovery }) {
      // The library types recovery ids as a union; it rejects other values.
      const candidate = recovery as 0 | 1;
      return given(library.recoverPublicKeyUncompressed(compact, candidate, hash)).subarray(1);
    },
    publicKey: (privateKey) => given(library.derivePublicKeyUncompressed(privateKey)).subarray(1),
    compressedPublicKey: (privateKey) => given(library.derivePublicKeyCompressed(privateKey)),
    isPrivateKey: (bytes) => bytes.length === 32 && library.validatePrivateKey(bytes),
    ...pointsWithInfinity({
      pointOf: (publicKey) => given(library.uncompressPublicKey(publicKey)).subarray(1),
      // The library cannot add two keys.
      sum: javascriptSecp256k1().addPoints,
      product: (point, factor) =>
        given(library.mulTweakPublicKeyUncompressed(keyOfPoint(point), factor)).subarray(1),
    }),
  };
}
