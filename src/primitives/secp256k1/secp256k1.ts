// The interface of all implementations of the curve secp256k1.

import { bigIntToFixedBytes, bytesToBigInt, concatBytes, equalBytes } from '../bytes.ts';

/** A recoverable ECDSA signature over secp256k1, with `s` in the lower half of the curve order. */
export interface Signature {
  /** `r` then `s`, 32 bytes each. */
  readonly compact: Uint8Array;
  /** The recovery id: 0 or 1. */
  readonly recovery: number;
}

export interface Secp256k1 {
  readonly name: 'native' | 'wasm' | 'javascript';
  /**
   * Signs a 32-byte hash deterministically (RFC 6979). All implementations give the same signature for a hash
   * below the curve order. At or above it, libraries derive different nonces and so different signatures,
   * each of them valid.
   */
  sign(hash: Uint8Array, privateKey: Uint8Array): Signature;
  /**
   * Returns the signer's uncompressed public key without its prefix byte (64 bytes). It must not be changed.
   * Throws if there is none.
   */
  recover(hash: Uint8Array, signature: Signature): Uint8Array;
  /** Returns the public key of a private key, 64 bytes. */
  publicKey(privateKey: Uint8Array): Uint8Array;
  /** Returns the public key of a private key, 33 bytes. */
  compressedPublicKey(privateKey: Uint8Array): Uint8Array;
  /** Returns true for 32 bytes between 1 and the curve order minus one. */
  isPrivateKey(bytes: Uint8Array): boolean;
  /**
   * Returns the point of a public key: x then y, 32 bytes each. The key has 33 bytes with the prefix 2 or 3,
   * or 65 bytes with the prefix 4. Throws for other forms (also hybrid keys with the prefix 6 or 7), and if
   * the key is not a point of the curve.
   */
  pointOf(publicKey: Uint8Array): Uint8Array;
  /** Returns the sum of two points (64 bytes; zeros for the point at infinity). Throws if one is invalid. */
  addPoints(left: Uint8Array, right: Uint8Array): Uint8Array;
  /** Returns the product of a point and a number of 32 bytes. Throws if the point is not on the curve. */
  multiplyPoint(point: Uint8Array, factor: Uint8Array): Uint8Array;
}

/** The curve order: the number of points. */
export const CURVE_ORDER = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n;

/** The size of a point: x then y, 32 bytes each. */
export const POINT_SIZE = 64;

const UNCOMPRESSED = 4;
const HYBRIDS: readonly (number | undefined)[] = [6, 7];

/** Returns true for zeros, the encoding of the point at infinity. */
export function isInfinity(point: Uint8Array): boolean {
  return point.every((byte) => byte === 0);
}

/** Returns the 65-byte public key of the point. */
export function keyOfPoint(point: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(UNCOMPRESSED), point);
}

/** The operations of a public-key library. It does not support the point at infinity. */
export interface PublicKeyLibrary {
  /** Returns the point of a public key (33 or 65 bytes, also hybrid keys). Throws if the key is invalid. */
  pointOf(publicKey: Uint8Array): Uint8Array;
  sum(left: Uint8Array, right: Uint8Array): Uint8Array;
  /** Returns the product of a point and a number between 1 and the curve order minus one (32 bytes). */
  product(point: Uint8Array, factor: Uint8Array): Uint8Array;
}

/** Adds support for the point at infinity to a library. */
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
