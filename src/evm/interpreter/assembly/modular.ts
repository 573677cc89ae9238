/**
 * Sums and products modulo a value. Operands and results as in `u256.ts`; modulo zero everything is zero (Yellow
 * Paper, appendix H.2).
 */

import { isPrepared, multiplyPrepared, prepare } from './barrett';
import { mod } from './division';
import { divideLong } from './long-division';
import { mul, multiplyFull } from './multiplication';
import { NUMERATOR, REDUCED } from './scratch';
import { addU64, addWithCarry, and, copy, eq, fitsU128, isAllOnes, isPowerOfTwo, isZero, lt, negate, not, setU64, sub } from './u256';

/** The modulus of the last product that was not reduced with a reciprocal. */
const LAST_MODULUS: usize = memory.data(32, 16);

/** `out = (a + b) mod m`, the sum not cut to 256 bits. */
export function addmod(a: usize, b: usize, m: usize, out: usize): void {
  if (isZero(m)) {
    setU64(out, 0);
    return;
  }
  const carry = addWithCarry(remainder(a, m, REDUCED), remainder(b, m, REDUCED + 32), REDUCED);
  if (carry || !lt(REDUCED, m)) sub(REDUCED, m, out);
  else copy(REDUCED, out);
}

/** The address of `a mod m`: `a` itself where it is below `m`, or `spare`. */
@inline
function remainder(a: usize, m: usize, spare: usize): usize {
  if (lt(a, m)) return a;
  mod(a, m, spare);
  return spare;
}

/** `out = (a * b) mod m`, the product not cut to 256 bits. */
export function mulmod(a: usize, b: usize, m: usize, out: usize): void {
  if (isPrepared(m)) {
    // One factor below the modulus is enough.
    if (lt(b, m)) multiplyPrepared(b, a, out);
    else multiplyPrepared(remainder(a, m, REDUCED), b, out);
  } else if (isZero(m)) {
    setU64(out, 0);
  } else if (fitsU128(a) && fitsU128(b)) {
    mul(a, b, REDUCED);
    mod(REDUCED, m, out);
  } else if (isAllOnes(m)) {
    mulmodAllOnes(a, b, out);
  } else if (isPowerOfTwo(m)) {
    negate(m, REDUCED);
    not(REDUCED, REDUCED);
    mul(a, b, out);
    and(out, REDUCED, out);
  } else if (eq(m, LAST_MODULUS)) {
    // The second time in a row: now the reciprocal, which costs as much as a division, is worth it.
    prepare(m);
    multiplyPrepared(remainder(a, m, REDUCED), b, out);
  } else {
    copy(m, LAST_MODULUS);
    multiplyFull(a, b, NUMERATOR);
    divideLong(8, m, out);
  }
}

/**
 * `out = (a * b) mod (2^256 - 1)`: the sum of the product's halves, with its carry added to it. Contracts ask for it
 * to learn the upper half of a product.
 */
function mulmodAllOnes(a: usize, b: usize, out: usize): void {
  multiplyFull(a, b, NUMERATOR);
  const carry = addWithCarry(NUMERATOR, NUMERATOR + 32, out);
  addU64(out, carry, out);
  if (isAllOnes(out)) setU64(out, 0);
}
