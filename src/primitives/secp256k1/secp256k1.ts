import { bigIntToFixedBytes, bytesToBigInt, concatBytes, equalBytes } from '../bytes.ts';

/** A recoverable ECDSA signature over secp256k1, with `s` in the lower half of the order. */
export interface Signature {
  /** `r` then `s`, 32 bytes each. */
  readonly compact: Uint8Array;
  /** Which of the candidate public keys signed: 0 or 1. */
  readonly recovery: number;
}

/** The curve operations the chain needs, whoever computes them. */
export interface Secp256k1 {
  readonly name: 'native' | 'wasm' | 'javascript';
  /**
   * Signs a 32-byte hash deterministically (RFC 6979). All implementations sign a hash below the order of the curve alike;
   * of one at or above it, libraries make different nonces and so different signatures, each of them valid.
   */
  sign(hash: Uint8Array, privateKey: Uint8Array): Signature;
  /** The signer's uncompressed public key without its prefix byte: 64 bytes. Throws when there is none. */
  recover(hash: Uint8Array, signature: Signature): Uint8Array;
  /** The public key of a private key, 64 bytes. */
  publicKey(privateKey: Uint8Array): Uint8Array;
  /** The public key of a private key, 33 bytes. */
  compressedPublicKey(privateKey: Uint8Array): Uint8Array;
  /** True for 32 bytes between 1 and the order minus one. */
  isPrivateKey(bytes: Uint8Array): boolean;
  /**
   * The point of a public key: x then y, 32 bytes each. The key has 33 bytes, the first of them 2 or 3, or 65, the first
   * of them 4. Throws when it has another form (hybrid keys, which begin with 6 or 7, too) or stands for no point.
   */
  pointOf(publicKey: Uint8Array): Uint8Array;
  /** The sum of two points of 64 bytes; zeros are the point at infinity. Throws when one is not on the curve. */
  addPoints(left: Uint8Array, right: Uint8Array): Uint8Array;
  /** The product of such a point and a number of 32 bytes, which may be any. Throws when it is not on the curve. */
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

/** The bytes of a public key that is this point. */
export function keyOfPoint(point: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(UNCOMPRESSED), point);
}

/** What a library of public keys computes. It knows no point at infinity: neither as an operand nor as a result. */
export interface PublicKeyLibrary {
  /** The point of a public key of 33 or 65 bytes, be it a hybrid one. Throws when it is none. */
  pointOf(publicKey: Uint8Array): Uint8Array;
  /** The sum of two points. */
  sum(left: Uint8Array, right: Uint8Array): Uint8Array;
  /** The product of a point and a number between 1 and the order minus one, in 32 bytes. */
  product(point: Uint8Array, factor: Uint8Array): Uint8Array;
}

/** The points of the curve with the one at infinity among them, computed by a library that does not know it. */
export function pointsWithInfinity(
  library: PublicKeyLibrary,
): Pick<Secp256k1, 'pointOf' | 'addPoints' | 'multiplyPoint'> {
  const checked = (point: Uint8Array): Uint8Array =>
    isInfinity(point) ? point.slice() : library.pointOf(keyOfPoint(point));
  return {
    pointOf(publicKey) {
      if (HYBRIDS.includes(publicKey[0])) throw new Error('the public key is a hybrid one');
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
