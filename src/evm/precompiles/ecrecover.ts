import { bytesToBigInt, EMPTY_BYTES } from '../../primitives/bytes.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import { curve } from '../../primitives/secp256k1/curve.ts';
import { CURVE_ORDER } from '../../primitives/secp256k1/secp256k1.ts';
import { type ImpersonatedSigner, impersonatedRecovery } from '../signers.ts';
import { slicePadded } from './input.ts';
import { type PrecompiledFunction, readyFunction } from './precompiled-contract.ts';

function isScalar(bytes: Uint8Array): boolean {
  const value = bytesToBigInt(bytes);
  return value > 0n && value < CURVE_ORDER;
}

/**
 * Returns ECRECOVER: the address that signed a hash (hash, v, r, s of 32 bytes each), or nothing when no key can have
 * signed it. Signers of `signerOf` take precedence over the curve.
 */
export function ecRecover(price: number, signerOf: ImpersonatedSigner): PrecompiledFunction {
  return readyFunction({
    gas: () => BigInt(price),
    run(input) {
      const impersonated = impersonatedRecovery(input, signerOf);
      if (impersonated) return impersonated;
      const words = slicePadded(input, 0, 128);
      const v = bytesToBigInt(words.subarray(32, 64));
      const isValid =
        (v === 27n || v === 28n) && isScalar(words.subarray(64, 96)) && isScalar(words.subarray(96));
      const publicKey = isValid ? recovered(words, Number(v) - 27) : undefined;
      if (!publicKey) return EMPTY_BYTES;
      const result = keccak256(publicKey);
      result.fill(0, 0, 12);
      return result;
    },
  });
}

function recovered(words: Uint8Array, recovery: number): Uint8Array | undefined {
  try {
    return curve.recover(words.subarray(0, 32), { compact: words.subarray(64, 128), recovery });
  } catch {
    // `r` is no coordinate of a point, or the point is at infinity: no key has signed this.
    return undefined;
  }
}
