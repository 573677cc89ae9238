import { bigIntToFixedBytes, bytesToBigInt, concatBytes, equalBytes } from '../bytes.ts';
import type { Secp256k1 } from './secp256k1.ts';

/** The order of the curve: how many points there are. */
export const ORDER = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n;

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
      const remainder = bytesToBigInt(factor) % ORDER;
      const isNothing = isInfinity(checked(point)) || remainder === 0n;
      return isNothing
        ? new Uint8Array(POINT_SIZE)
        : library.product(point, bigIntToFixedBytes(remainder, 32));
    },
  };
}
