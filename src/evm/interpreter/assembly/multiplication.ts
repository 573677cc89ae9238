/**
 * Products and powers. WebAssembly returns only the lower 64 bits of a 64-by-64-bit product, so the upper
 * half is computed from four 32-by-32-bit products. Operands and results as in `u256.ts`.
 */

import { POWER } from './scratch';
import { shl } from './shifts';
import { copy, countLeadingZeros, fitsU64, setLimbs, setU64 } from './u256';

const LOW_HALF: u64 = 0xffff_ffff;

/** Returns the upper 64 bits of the 128-bit product. */
@inline
export function multiplyHigh(a: u64, b: u64): u64 {
  const aLow = a & LOW_HALF, aHigh = a >> 32;
  const bLow = b & LOW_HALF, bHigh = b >> 32;
  const cross = aLow * bHigh;
  const middle = ((aLow * bLow) >> 32) + (cross & LOW_HALF) + aHigh * bLow;
  return aHigh * bHigh + (cross >> 32) + (middle >> 32);
}

/** `out = a * b` */
export function mul(a: usize, b: usize, out: usize): void {
  const a0 = load<u64>(a), b0 = load<u64>(b);
  if (fitsU64(a) && fitsU64(b)) {
    setLimbs(out, a0 * b0, multiplyHigh(a0, b0), 0, 0);
    return;
  }
  const a1 = load<u64>(a, 8), a2 = load<u64>(a, 16), a3 = load<u64>(a, 24);
  const b1 = load<u64>(b, 8), b2 = load<u64>(b, 16), b3 = load<u64>(b, 24);

  let low = a0 * b1;
  let r1 = multiplyHigh(a0, b0) + low;
  let r2 = multiplyHigh(a0, b1) + u64(r1 < low);
  low = a1 * b0;
  r1 += low;
  let high = multiplyHigh(a1, b0) + u64(r1 < low);
  r2 += high;
  let r3 = u64(r2 < high);

  low = a0 * b2;
  r2 += low;
  r3 += multiplyHigh(a0, b2) + u64(r2 < low);
  low = a1 * b1;
  r2 += low;
  r3 += multiplyHigh(a1, b1) + u64(r2 < low);
  low = a2 * b0;
  r2 += low;
  r3 += multiplyHigh(a2, b0) + u64(r2 < low);

  r3 += a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0;
  setLimbs(out, a0 * b0, r1, r2, r3);
}

/** `digits[0..4] = a * digit`, including the fifth limb. */
@inline
function multiplyFirstRow(a: usize, digit: u64, digits: usize): void {
  let carry: u64 = 0;
  for (let i: usize = 0; i < 32; i += 8) {
    const limb = load<u64>(a + i);
    const low = limb * digit + carry;
    carry = multiplyHigh(limb, digit) + u64(low < carry);
    store<u64>(digits + i, low);
  }
  store<u64>(digits, carry, 32);
}

/** `digits[0..4] += a * digit`; the fifth limb is overwritten. */
@inline
function multiplyNextRow(a: usize, digit: u64, digits: usize): void {
  let carry: u64 = 0;
  for (let i: usize = 0; i < 32; i += 8) {
    const limb = load<u64>(a + i);
    const before = load<u64>(digits + i);
    const low = limb * digit + carry;
    carry = multiplyHigh(limb, digit) + u64(low < carry);
    const sum = low + before;
    carry += u64(sum < low);
    store<u64>(digits + i, sum);
  }
  store<u64>(digits, carry, 32);
}

/** The full product of two values: eight limbs at `digits`, which must not overlap the operands. */
export function multiplyFull(a: usize, b: usize, digits: usize): void {
  multiplyFirstRow(a, load<u64>(b), digits);
  multiplyNextRow(a, load<u64>(b, 8), digits + 8);
  multiplyNextRow(a, load<u64>(b, 16), digits + 16);
  multiplyNextRow(a, load<u64>(b, 24), digits + 24);
}

/** `out = base ^ exponent`, with `0 ^ 0 = 1`. */
export function exp(base: usize, exponent: usize, out: usize): void {
  if (fitsU64(base) && load<u64>(base) == 2) {
    setU64(POWER, 1);
    shl(exponent, POWER, out);
    return;
  }
  const product = POWER, square = POWER + 32;
  const bits = 256 - countLeadingZeros(exponent);
  const e0 = load<u64>(exponent), e1 = load<u64>(exponent, 8);
  const e2 = load<u64>(exponent, 16), e3 = load<u64>(exponent, 24);
  copy(base, square);
  setU64(product, 1);
  for (let i: u64 = 0; i < bits; i++) {
    const limb = i < 64 ? e0 : i < 128 ? e1 : i < 192 ? e2 : e3;
    if ((limb >> (i & 63)) & 1) mul(product, square, product);
    if (i + 1 < bits) mul(square, square, square);
  }
  copy(product, out);
}
