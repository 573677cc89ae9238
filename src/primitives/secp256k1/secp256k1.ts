// The contract that all implementations of the curve secp256k1 fulfil.

import { bigIntToFixedBytes, bytesToBigInt, concatBytes, equalBytes } from '../bytes.ts';

/** A recoverable ECDSA signature over secp256k1, with `s` in the lower half of the order. */
export interface Signature {
  /** `r` then `s`, 32 bytes each. */
  readonly compact: Uint8Array;
  /** The index of the candidate public key that signed: 0 or 1. */
  readonly recovery: number;
}

/** The operations on the curve that the chain needs. */
export interface Secp256k1 {
  readonly name: 'native' | 'wasm' | 'javascript';
  /**
   * Signs a 32-byte hash deterministically (RFC 6979). All implementations give the same signature for a hash below the
   * order of the curve. For one at or above it, libraries derive different nonces and so different signatures, each of
   * them valid.
   */
  sign(hash: Uint8Array, privateKey: Uint8Array): Signature;
  /** Returns the signer's uncompressed public key without its prefix byte: 64 bytes, which must not be changed. Throws when there is none. */
  recover(hash: Uint8Array, signature: Signature): Uint8Array;
  /** Returns the public key of a private key, 64 bytes. */
  publicKey(privateKey: Uint8Array): Uint8Array;
  /** Returns the public key of a private key, 33 bytes. */
  compressedPublicKey(privateKey: Uint8Array): Uint8Array;
  /** True for 32 bytes between 1 and the order minus one. */
  isPrivateKey(bytes: Uint8Array): boolean;
  /**
   * Returns the point of a public key: x then y, 32 bytes each. The key has 33 bytes, the first of them 2 or 3, or 65,
   * the first of them 4. Throws when it has another form (hybrid keys, which begin with 6 or 7, too) or stands for no
   * point.
   */
  pointOf(publicKey: Uint8Array): Uint8Array;
  /**
   * Returns the sum of two points of 64 bytes; zeros are the point at infinity. Throws when one is not on the curve.
   */
  addPoints(left: Uint8Array, right: Uint8Array): Uint8Array;
  /**
   * Returns the product of such a point and a number of 32 bytes, which may be any. Throws when it is not on the curve.
   */
  multiplyPoint(point: Uint8Array, factor: Uint8Array): Uint8Array;
}

/** The order of the curve: how many points there are. */
export const CURVE_ORDER = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n;

/** The bytes of a point: x then y, 32 each. */
export const POINT_SIZE = 64;

const UNCOMPRESSED = 4;
const HYBRIDS: readonly (number | undefined)[] = [6, 7];

/** True for zeros, which stand for the point at infinity. */
export function isInfinity(point: Uint8Array): boolean {
  return point.every((byte) => byte === 0);
}

/** Returns the 65-byte public key of the point. */
export function keyOfPoint(point: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(UNCOMPRESSED), point);
}

/**
 * The operations of a library of public keys, which has no point at infinity: neither as an operand nor as a result.
 */
export interface PublicKeyLibrary {
  /** Returns the point of a public key of 33 or 65 bytes, be it a hybrid one. Throws when it is none. */
  pointOf(publicKey: Uint8Array): Uint8Array;
  /** Returns the sum of two points. */
  sum(left: Uint8Array, right: Uint8Array): Uint8Array;
  /** Returns the product of a point and a number between 1 and the order minus one, in 32 bytes. */
  product(point: Uint8Array, factor: Uint8Array): Uint8Array;
}

/** Returns point operations that include the point at infinity, computed by a library that does not have it. */
export function pointsWithInfinity(
  library: PublicKeyLibrary,
): Pick<Secp256k1, 'pointOf' | 'addPoints' | 'multiplyPoint'> {
  const checked = (point: Uint8Array): Uint8Array =>
    isInfinity(point) ? point.slice() : library.pointOf(keyOfPoint(point));
  return {
    pointOf(publicKey) {
      if (HYBRIDS.includes(publicKey[0])) throw new Error('the public key is in the hybrid format');
      return library.pointOf(publicKey);
    },
    addPoints(left, right) {
      const [first, second] = [checked(left), checked(right)];
      if (isInfinity(first)) return second;
      if (isInfinity(second)) return first;
      const areInverse =
        equalBytes(first.subarray(0, 32), second.subarray(0, 32)) && !equalBytes(first, second);
      return areInverse ? new Uint8Array(POINT_SIZE) : library.sum(first, second);
    },
    multiplyPoint(point, factor) {
      const remainder = bytesToBigInt(factor) % CURVE_ORDER;
      const isNothing = isInfinity(checked(point)) || remainder === 0n;
      return isNothing
        ? new Uint8Array(POINT_SIZE)
        : library.product(point, bigIntToFixedBytes(remainder, 32));
    },
  };
}
