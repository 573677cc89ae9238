/** Sums of products with Pippenger's method. Unlike the library's function, it yields. */

import { bigIntToFixedBytes } from '../../primitives/bytes.ts';
import { type Pointer, SCALAR_SIZE } from '../precompiles/mcl-module.ts';
import type { PairingCurve } from '../precompiles/pairing-curve.ts';
import type { Pieces } from './blob-polynomial.ts';

/** Points are grouped by the digits of their scalars, bytes from -128 to 127. */
const BASE = 256;
const BUCKETS = BASE / 2;
const DIGITS = SCALAR_SIZE + 1;
/** Additions between two yields (some six milliseconds). */
const ADDITIONS_OF_PIECE = 2_048;

/** Returns the digits of scalars below 2^256: the lowest digits of all scalars first. */
function digitsOf(scalars: readonly bigint[]): Int8Array {
  const digits = new Int8Array(DIGITS * scalars.length);
  for (const [index, scalar] of scalars.entries()) {
    const bytes = bigIntToFixedBytes(scalar, SCALAR_SIZE);
    let carry = 0;
    for (let digit = 0; digit < DIGITS; digit++) {
      const value = (bytes[SCALAR_SIZE - 1 - digit] ?? 0) + carry;
      carry = value >= BUCKETS ? 1 : 0;
      digits[digit * scalars.length + index] = value - carry * BASE;
    }
  }
  return digits;
}

/** Computes the sum of the products of consecutive points of G1 and scalars. */
export function* sumOfProducts(
  { mcl, g1 }: PairingCurve,
  result: Pointer,
  points: Pointer,
  scalars: readonly bigint[],
): Pieces<void> {
  const digits = digitsOf(scalars);
  yield;
  // The bucket of digit 0 is unused, so that buckets are indexed by digit.
  const buckets = mcl._malloc((BUCKETS + 3) * g1.size);
  const running = buckets + (BUCKETS + 1) * g1.size;
  const total = running + g1.size;
  try {
    let additions = 0;
    mcl._mclBnG1_clear(result);
    for (let digit = DIGITS - 1; digit >= 0; digit--) {
      for (let bits = BASE; bits > 1; bits /= 2) mcl._mclBnG1_dbl(result, result);
      for (let bucket = 1; bucket <= BUCKETS; bucket++) mcl._mclBnG1_clear(buckets + bucket * g1.size);
      for (let index = 0; index < scalars.length; index++) {
        const value = digits[digit * scalars.length + index] ?? 0;
        if (value === 0) continue;
        const bucket = buckets + Math.abs(value) * g1.size;
        if (value > 0) mcl._mclBnG1_add(bucket, bucket, points + index * g1.size);
        else mcl._mclBnG1_sub(bucket, bucket, points + index * g1.size);
        if (++additions % ADDITIONS_OF_PIECE === 0) yield;
      }
      // The running sums from the highest digit down include the bucket of digit `n` exactly `n` times.
      mcl._mclBnG1_clear(running);
      mcl._mclBnG1_clear(total);
      for (let bucket = BUCKETS; bucket > 0; bucket--) {
        mcl._mclBnG1_add(running, running, buckets + bucket * g1.size);
        mcl._mclBnG1_add(total, total, running);
      }
      mcl._mclBnG1_add(result, result, total);
      yield;
    }
  } finally {
    mcl._free(buckets);
  }
}
