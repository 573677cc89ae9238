/**
 * Sums and products modulo a value. Operands and results as in `u256.ts`; modulo zero, all results are zero
 * (Yellow Paper, appendix H.2).
 */

import { mod, divideLong, shiftDigitsLeft } from './division';
import { mul, multiplyFull } from './multiplication';
import { NUMERATOR, REDUCED, QUOTIENT } from './scratch';
import { addU64, addWithCarry, and, copy, eq, fitsU128, isAllOnes, isPowerOfTwo, isZero, lt, negate, not, setU64, sub, countLeadingZeros, setLimbs } from './u256';
import { shiftLeft, shiftRight } from './shifts';

/**
 * Products modulo a repeated modulus: Barrett reduction (Handbook of Applied Cryptography, 14.42) with a
 * cached reciprocal.
 *
 * WebAssembly has no 64-by-64-bit product with 128 bits, so carries cost more than products. A number
 * therefore has nine digits of 29 bits. A sum of nine digit products fits into 64 bits, so each column of the
 * schoolbook multiplication has only one carry.
 */

const DIGIT: u64 = (1 << 29) - 1;

/** The prepared modulus; initially zero, which has no reciprocal. */
const MODULUS: usize = memory.data(32, 16);
/** Number of bits that normalisation shifts the modulus left, so that its highest bit is set. */
let leadingZeros: u64 = 0;
/** The normalised modulus. */
const NORMALISED: usize = memory.data(32, 16);
/** The divisor in nine digits: 16 times the normalised modulus, to have one spare bit above a remainder. */
const DIVISOR_DIGITS: usize = memory.data(9 * 8, 16);
/** `floor(2^522 / divisor)` in nine digits; the last digit may have 32 bits. */
const RECIPROCAL_DIGITS: usize = memory.data(9 * 8, 16);

/** Returns true if `multiplyPrepared` can reduce by this non-zero modulus. */
@inline
function isPrepared(m: usize): bool {
  return eq(m, MODULUS);
}

/** Prepares a non-zero modulus. */
function prepare(m: usize): void {
  copy(m, MODULUS);
  leadingZeros = countLeadingZeros(m);
  shiftLeft(leadingZeros, m, NORMALISED);
  // 2^522 / (16 * normalised) = 2^518 / normalised
  memory.fill(NUMERATOR, 0, 64);
  store<u64>(NUMERATOR, 1 << 6, 64);
  divideLong(9, NORMALISED, NUMERATOR);
  writeDigits(QUOTIENT, RECIPROCAL_DIGITS);
  store<u64>(QUOTIENT, shiftDigitsLeft(NORMALISED, 4, 4, QUOTIENT), 32);
  writeDigits(QUOTIENT, DIVISOR_DIGITS);
}

/** Splits five limbs into nine digits. The last digit gets all remaining bits. */
function writeDigits(limbs: usize, digits: usize): void {
  for (let i: usize = 0; i < 9; i++) {
    const bit: usize = 29 * i;
    const limb = limbs + ((bit >> 6) << 3);
    const bits = (load<u64>(limb) >> (bit & 63)) | ((load<u64>(limb, 8) << 1) << (63 - (bit & 63)));
    store<u64>(digits + (i << 3), i < 8 ? bits & DIGIT : bits);
  }
}

/** `out = (a * b) mod m` for the prepared modulus `m`, when `a < m`. */
function multiplyPrepared(a: usize, b: usize, out: usize): void {
  const l0 = load<u64>(b), l1 = load<u64>(b, 8), l2 = load<u64>(b, 16), l3 = load<u64>(b, 24);
  const b0 = l0 & DIGIT;
  const b1 = (l0 >> 29) & DIGIT;
  const b2 = ((l0 >> 58) | (l1 << 6)) & DIGIT;
  const b3 = (l1 >> 23) & DIGIT;
  const b4 = ((l1 >> 52) | (l2 << 12)) & DIGIT;
  const b5 = (l2 >> 17) & DIGIT;
  const b6 = ((l2 >> 46) | (l3 << 18)) & DIGIT;
  const b7 = (l3 >> 11) & DIGIT;
  const b8 = l3 >> 40;

  // One factor is shifted like the divisor, so the remainder of the product is shifted too.
  shiftLeft(leadingZeros, a, out);
  const s0 = load<u64>(out), s1 = load<u64>(out, 8), s2 = load<u64>(out, 16), s3 = load<u64>(out, 24);
  const a0 = (s0 << 4) & DIGIT;
  const a1 = (s0 >> 25) & DIGIT;
  const a2 = ((s0 >> 54) | (s1 << 10)) & DIGIT;
  const a3 = (s1 >> 19) & DIGIT;
  const a4 = ((s1 >> 48) | (s2 << 16)) & DIGIT;
  const a5 = (s2 >> 13) & DIGIT;
  const a6 = ((s2 >> 42) | (s3 << 22)) & DIGIT;
  const a7 = (s3 >> 7) & DIGIT;
  const a8 = s3 >> 36;

  const x0 = a0 * b0;
  const x1 = a0 * b1 + a1 * b0;
  const x2 = a0 * b2 + a1 * b1 + a2 * b0;
  const x3 = a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0;
  const x4 = a0 * b4 + a1 * b3 + a2 * b2 + a3 * b1 + a4 * b0;
  const x5 = a0 * b5 + a1 * b4 + a2 * b3 + a3 * b2 + a4 * b1 + a5 * b0;
  const x6 = a0 * b6 + a1 * b5 + a2 * b4 + a3 * b3 + a4 * b2 + a5 * b1 + a6 * b0;
  const x7 = a0 * b7 + a1 * b6 + a2 * b5 + a3 * b4 + a4 * b3 + a5 * b2 + a6 * b1 + a7 * b0;
  const x8 = a0 * b8 + a1 * b7 + a2 * b6 + a3 * b5 + a4 * b4 + a5 * b3 + a6 * b2 + a7 * b1 + a8 * b0;
  const x9 = a1 * b8 + a2 * b7 + a3 * b6 + a4 * b5 + a5 * b4 + a6 * b3 + a7 * b2 + a8 * b1;
  const x10 = a2 * b8 + a3 * b7 + a4 * b6 + a5 * b5 + a6 * b4 + a7 * b3 + a8 * b2;
  const x11 = a3 * b8 + a4 * b7 + a5 * b6 + a6 * b5 + a7 * b4 + a8 * b3;
  const x12 = a4 * b8 + a5 * b7 + a6 * b6 + a7 * b5 + a8 * b4;
  const x13 = a5 * b8 + a6 * b7 + a7 * b6 + a8 * b5;
  const x14 = a6 * b8 + a7 * b7 + a8 * b6;
  const x15 = a7 * b8 + a8 * b7;
  const x16 = a8 * b8;

  // The digits of the product from 2^232 on: `below`, used only for rounding, then h0 to h8.
  let carry = x0 >> 29;
  carry = (x1 + carry) >> 29;
  carry = (x2 + carry) >> 29;
  carry = (x3 + carry) >> 29;
  carry = (x4 + carry) >> 29;
  carry = (x5 + carry) >> 29;
  carry = (x6 + carry) >> 29;
  carry = (x7 + carry) >> 29;
  carry += x8;
  const below = carry & DIGIT;
  carry = (carry >> 29) + x9;
  const h0 = carry & DIGIT;
  carry = (carry >> 29) + x10;
  const h1 = carry & DIGIT;
  carry = (carry >> 29) + x11;
  const h2 = carry & DIGIT;
  carry = (carry >> 29) + x12;
  const h3 = carry & DIGIT;
  carry = (carry >> 29) + x13;
  const h4 = carry & DIGIT;
  carry = (carry >> 29) + x14;
  const h5 = carry & DIGIT;
  carry = (carry >> 29) + x15;
  const h6 = carry & DIGIT;
  carry = (carry >> 29) + x16;
  const h7 = carry & DIGIT;
  const h8 = carry >> 29;

  // The quotient. It is too small by at most one, because the omitted columns add less than a 64th.
  const v0 = load<u64>(RECIPROCAL_DIGITS, 0);
  const v1 = load<u64>(RECIPROCAL_DIGITS, 8);
  const v2 = load<u64>(RECIPROCAL_DIGITS, 16);
  const v3 = load<u64>(RECIPROCAL_DIGITS, 24);
  const v4 = load<u64>(RECIPROCAL_DIGITS, 32);
  const v5 = load<u64>(RECIPROCAL_DIGITS, 40);
  const v6 = load<u64>(RECIPROCAL_DIGITS, 48);
  const v7 = load<u64>(RECIPROCAL_DIGITS, 56);
  const v8 = load<u64>(RECIPROCAL_DIGITS, 64);
  carry = below * v8 + h0 * v7 + h1 * v6 + h2 * v5 + h3 * v4 + h4 * v3 + h5 * v2 + h6 * v1 + h7 * v0;
  carry =
    (carry >> 29) + h0 * v8 + h1 * v7 + h2 * v6 + h3 * v5 + h4 * v4 + h5 * v3 + h6 * v2 + h7 * v1 + h8 * v0;
  carry = (carry >> 29) + h1 * v8 + h2 * v7 + h3 * v6 + h4 * v5 + h5 * v4 + h6 * v3 + h7 * v2 + h8 * v1;
  const q0 = carry & DIGIT;
  carry = (carry >> 29) + h2 * v8 + h3 * v7 + h4 * v6 + h5 * v5 + h6 * v4 + h7 * v3 + h8 * v2;
  const q1 = carry & DIGIT;
  carry = (carry >> 29) + h3 * v8 + h4 * v7 + h5 * v6 + h6 * v5 + h7 * v4 + h8 * v3;
  const q2 = carry & DIGIT;
  carry = (carry >> 29) + h4 * v8 + h5 * v7 + h6 * v6 + h7 * v5 + h8 * v4;
  const q3 = carry & DIGIT;
  carry = (carry >> 29) + h5 * v8 + h6 * v7 + h7 * v6 + h8 * v5;
  const q4 = carry & DIGIT;
  carry = (carry >> 29) + h6 * v8 + h7 * v7 + h8 * v6;
  const q5 = carry & DIGIT;
  carry = (carry >> 29) + h7 * v8 + h8 * v7;
  const q6 = carry & DIGIT;
  carry = (carry >> 29) + h8 * v8;
  const q7 = carry & DIGIT;
  const q8 = carry >> 29;

  // The remainder: the product minus quotient times divisor. The lower nine columns suffice.
  const d0 = load<u64>(DIVISOR_DIGITS, 0);
  const d1 = load<u64>(DIVISOR_DIGITS, 8);
  const d2 = load<u64>(DIVISOR_DIGITS, 16);
  const d3 = load<u64>(DIVISOR_DIGITS, 24);
  const d4 = load<u64>(DIVISOR_DIGITS, 32);
  const d5 = load<u64>(DIVISOR_DIGITS, 40);
  const d6 = load<u64>(DIVISOR_DIGITS, 48);
  const d7 = load<u64>(DIVISOR_DIGITS, 56);
  const d8 = load<u64>(DIVISOR_DIGITS, 64);
  let rest: i64 = x0 - q0 * d0;
  const r0 = rest & DIGIT;
  rest = (rest >> 29) + x1 - (q0 * d1 + q1 * d0);
  const r1 = rest & DIGIT;
  rest = (rest >> 29) + x2 - (q0 * d2 + q1 * d1 + q2 * d0);
  const r2 = rest & DIGIT;
  rest = (rest >> 29) + x3 - (q0 * d3 + q1 * d2 + q2 * d1 + q3 * d0);
  const r3 = rest & DIGIT;
  rest = (rest >> 29) + x4 - (q0 * d4 + q1 * d3 + q2 * d2 + q3 * d1 + q4 * d0);
  const r4 = rest & DIGIT;
  rest = (rest >> 29) + x5 - (q0 * d5 + q1 * d4 + q2 * d3 + q3 * d2 + q4 * d1 + q5 * d0);
  const r5 = rest & DIGIT;
  rest = (rest >> 29) + x6 - (q0 * d6 + q1 * d5 + q2 * d4 + q3 * d3 + q4 * d2 + q5 * d1 + q6 * d0);
  const r6 = rest & DIGIT;
  rest = (rest >> 29) + x7 - (q0 * d7 + q1 * d6 + q2 * d5 + q3 * d4 + q4 * d3 + q5 * d2 + q6 * d1 + q7 * d0);
  const r7 = rest & DIGIT;
  rest =
    (rest >> 29) + x8 - (q0 * d8 + q1 * d7 + q2 * d6 + q3 * d5 + q4 * d4 + q5 * d3 + q6 * d2 + q7 * d1 + q8 * d0);
  const r8 = rest & DIGIT;

  // Converts to limbs and removes the factor 16. If the quotient was too small, subtracts the modulus once
  // more.
  setLimbs(
    out,
    (r0 >> 4) | (r1 << 25) | (r2 << 54),
    (r2 >> 10) | (r3 << 19) | (r4 << 48),
    (r4 >> 16) | (r5 << 13) | (r6 << 42),
    (r6 >> 22) | (r7 << 7) | (r8 << 36),
  );
  if (r8 >> 28 || !lt(out, NORMALISED)) sub(out, NORMALISED, out);
  shiftRight(leadingZeros, out, out);
}

/** The modulus of the last product computed without a reciprocal. */
const LAST_MODULUS: usize = memory.data(32, 16);

/** `out = (a + b) mod m`, without truncating the sum to 256 bits. */
export function addmod(a: usize, b: usize, m: usize, out: usize): void {
  if (isZero(m)) {
    setU64(out, 0);
    return;
  }
  const carry = addWithCarry(remainder(a, m, REDUCED), remainder(b, m, REDUCED + 32), REDUCED);
  if (carry || !lt(REDUCED, m)) sub(REDUCED, m, out);
  else copy(REDUCED, out);
}

/** Returns the address of `a mod m`: `a` itself if it is below `m`, otherwise `spare`. */
@inline
function remainder(a: usize, m: usize, spare: usize): usize {
  if (lt(a, m)) return a;
  mod(a, m, spare);
  return spare;
}

/** `out = (a * b) mod m`, without truncating the product to 256 bits. */
export function mulmod(a: usize, b: usize, m: usize, out: usize): void {
  if (isPrepared(m)) {
    // Only one factor must be below the modulus.
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
    // The same modulus twice in a row. The reciprocal costs as much as a division, so it pays off now.
    prepare(m);
    multiplyPrepared(remainder(a, m, REDUCED), b, out);
  } else {
    copy(m, LAST_MODULUS);
    multiplyFull(a, b, NUMERATOR);
    divideLong(8, m, out);
  }
}

/**
 * `out = (a * b) mod (2^256 - 1)`: the sum of the product's halves plus its carry. Contracts use it to get
 * the upper half of a product.
 */
function mulmodAllOnes(a: usize, b: usize, out: usize): void {
  multiplyFull(a, b, NUMERATOR);
  const carry = addWithCarry(NUMERATOR, NUMERATOR + 32, out);
  addU64(out, carry, out);
  if (isAllOnes(out)) setU64(out, 0);
}
