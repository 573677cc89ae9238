import { createHash } from 'node:crypto';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { concatBytes } from '../../../src/primitives/bytes.ts';
import { wordBytes } from '../../support/words.ts';

const { Point } = bls12_381.G1;
type G1Point = typeof Point.BASE;

/** The order of BLS12-381's groups. */
export const KZG_ORDER: bigint = bls12_381.fields.Fr.ORDER;

/** The published product of the G1 generator and the secret of Ethereum's KZG ceremony. */
export const SECRET_IN_G1: G1Point = Point.fromHex(
  'ad3eb50121139aa34db1d545093ac9374ab7bca2c0f3bf28e27c8dcd8fc7cb42d25926fc0c97b336e9f0fb35e5a04c81',
);

/** A point times a number, compressed. */
export function compressedProduct(point: G1Point, scalar: bigint): Uint8Array {
  return product(point, scalar).toBytes(true);
}

function product(point: G1Point, scalar: bigint): G1Point {
  return scalar === 0n ? Point.ZERO : point.multiplyUnsafe(scalar);
}

/** Input of KZG_POINT_EVALUATION, with the versioned hash of the commitment. */
export function evaluationInput(commitment: Uint8Array, z: bigint, y: bigint, proof: Uint8Array): Uint8Array {
  const hash = new Uint8Array(createHash('sha256').update(commitment).digest());
  hash[0] = 1;
  return concatBytes(hash, wordBytes(z), wordBytes(y), commitment, proof);
}

/** Input for the value of a polynomial at `z`. The value is too high by `error`. */
export function evaluationOf(
  { constant, slope }: { readonly constant: bigint; readonly slope: bigint },
  z: bigint,
  error = 0n,
): Uint8Array {
  const commitment = product(Point.BASE, constant).add(product(SECRET_IN_G1, slope));
  const y = (constant + slope * z + error) % KZG_ORDER;
  return evaluationInput(commitment.toBytes(true), z, y, compressedProduct(Point.BASE, slope));
}
