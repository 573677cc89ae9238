/** Quotients and remainders (Yellow Paper, appendix H.2). See `u256.ts`; `x / 0` is zero. */

import { ABSOLUTE, NUMERATOR, QUOTIENT, DIVISOR } from './scratch';
import { copy, fitsU64, isNegative, lt, negate, setU64 } from './u256';
import { multiplyHigh } from './multiplication';

/**
 * Division of up to eight 64-bit digits by up to four: Knuth's algorithm D (The Art of Computer Programming,
 * volume 2, 4.3.1). The digits of the quotient are estimated with reciprocals (Möller and Granlund,
 * algorithms 4 and 5).
 */

/** `floor((2^128 - 1) / divisor) - 2^64`: the reciprocal of one normalised digit. */
function reciprocalOfDigit(divisor: u64): u64 {
  return divideDigits(~divisor, ~0, divisor);
}

/** `floor((high * 2^64 + low) / divisor)`, for `high < divisor`: Knuth's algorithm D on 32-bit digits. */
function divideDigits(high: u64, low: u64, divisor: u64): u64 {
  const divisorHigh = divisor >> 32;
  const quotientHigh = divideHalf(high, low >> 32, divisor, divisorHigh);
  const rest = (high << 32) + (low >> 32) - quotientHigh * divisor;
  return (quotientHigh << 32) + divideHalf(rest, low & 0xffff_ffff, divisor, divisorHigh);
}

/** One 32-bit digit of a quotient. */
@inline
function divideHalf(high: u64, next: u64, divisor: u64, divisorHigh: u64): u64 {
  const divisorLow = divisor & 0xffff_ffff;
  let quotient = high / divisorHigh;
  let rest = high - quotient * divisorHigh;
  while (quotient >> 32 || quotient * divisorLow > ((rest << 32) | next)) {
    quotient--;
    rest += divisorHigh;
    if (rest >> 32) break;
  }
  return quotient;
}

/** `floor((2^192 - 1) / (d1 * 2^64 + d0)) - 2^64`: the reciprocal of two digits (algorithm 6). */
function reciprocalOfTwoDigits(d1: u64, d0: u64): u64 {
  let v = reciprocalOfDigit(d1);
  let p = d1 * v + d0;
  if (p < d0) {
    v--;
    if (p >= d1) {
      v--;
      p -= d1;
    }
    p -= d1;
  }
  const t0 = v * d0, t1 = multiplyHigh(v, d0);
  p += t1;
  if (p < t1) {
    v--;
    if (p > d1 || (p == d1 && t0 >= d0)) v--;
  }
  return v;
}

// The last divisors and their reciprocals, because code often divides by the same number.
let lastDigit: u64 = 0;
let lastReciprocalOfDigit: u64 = 0;
let lastHigh: u64 = 0;
let lastLow: u64 = 0;
let lastReciprocalOfTwo: u64 = 0;

/** Returns the number of digits without leading zeros. */
@inline
function significantDigits(digits: usize, count: i32): i32 {
  while (count > 0 && load<u64>(digits + ((count - 1) << 3)) == 0) count--;
  return count;
}

/** Shifts `count` digits left by less than 64 bits. Returns the bits shifted out. */
@inline
export function shiftDigitsLeft(digits: usize, count: i32, bits: u64, out: usize): u64 {
  let carried: u64 = 0;
  const end = <usize>(count << 3);
  for (let i: usize = 0; i < end; i += 8) {
    const digit = load<u64>(digits + i);
    store<u64>(out + i, (digit << bits) | carried);
    carried = (digit >> 1) >> (63 - bits);
  }
  return carried;
}

/**
 * Divides the `count` digits at NUMERATOR by the non-zero value at `divisor`. Overwrites NUMERATOR. Writes
 * the quotient to QUOTIENT (`count` digits, at least four) and the remainder to `remainder`.
 */
export function divideLong(count: i32, divisor: usize, remainder: usize): void {
  for (let i: usize = 0; i < 64; i += 16) v128.store(QUOTIENT + i, i64x2.splat(0));
  const divisorDigits = significantDigits(divisor, 4);
  const digits = significantDigits(NUMERATOR, count);
  const shift = clz<u64>(load<u64>(divisor + ((divisorDigits - 1) << 3)));
  if (digits < divisorDigits) {
    copy(NUMERATOR, remainder);
    return;
  }
  shiftDigitsLeft(divisor, divisorDigits, shift, DIVISOR);
  const top = shiftDigitsLeft(NUMERATOR, digits, shift, NUMERATOR);
  store<u64>(NUMERATOR + (digits << 3), top);
  if (divisorDigits == 1) {
    setU64(remainder, divideByDigit(digits, top) >> shift);
    return;
  }
  divideByDigits(digits, divisorDigits);
  let above: u64 = 0;
  for (let i = 3; i >= 0; i--) {
    const digit: u64 = i < divisorDigits ? load<u64>(NUMERATOR + (i << 3)) : 0;
    store<u64>(remainder + (i << 3), (digit >> shift) | ((above << 1) << (63 - shift)));
    above = digit;
  }
}

/** Divides by the single digit at DIVISOR. Returns the remainder, still shifted. */
function divideByDigit(count: i32, top: u64): u64 {
  const d = load<u64>(DIVISOR);
  if (d != lastDigit) {
    lastDigit = d;
    lastReciprocalOfDigit = reciprocalOfDigit(d);
  }
  const v = lastReciprocalOfDigit;
  let rest = top;
  for (let j = (count - 1) << 3; j >= 0; j -= 8) {
    const next = load<u64>(NUMERATOR + j);
    const estimate = v * rest + next;
    let q = multiplyHigh(v, rest) + rest + u64(estimate < next) + 1;
    rest = next - q * d;
    if (rest > estimate) {
      q--;
      rest += d;
    }
    if (rest >= d) {
      q++;
      rest -= d;
    }
    store<u64>(QUOTIENT + j, q);
  }
  return rest;
}

/** Divides by two or more digits at DIVISOR. The remainder replaces the numerator, still shifted. */
function divideByDigits(count: i32, divisorDigits: i32): void {
  const lower = <usize>((divisorDigits - 2) << 3);
  const d0 = load<u64>(DIVISOR + lower), d1 = load<u64>(DIVISOR + lower, 8);
  if (d1 != lastHigh || d0 != lastLow) {
    lastHigh = d1;
    lastLow = d0;
    lastReciprocalOfTwo = reciprocalOfTwoDigits(d1, d0);
  }
  const v = lastReciprocalOfTwo;
  for (let j = (count - divisorDigits) << 3; j >= 0; j -= 8) {
    const part = NUMERATOR + j;
    const topDigits = part + lower;
    const u2 = load<u64>(topDigits, 16), u1 = load<u64>(topDigits, 8), u0 = load<u64>(topDigits);
    let q: u64 = ~0;
    if (u2 == d1 && u1 == d0) {
      // The estimate from the first two digits would need 65 bits. The quotient digit is the largest digit.
      // The remainder is not negative: it is at least the first two digits minus the other digits times 2^64.
      subtractProduct(part, q, lower + 16);
      store<u64>(topDigits, 0, 16);
    } else {
      // Algorithm 5: the exact quotient of the first three digits by the first two, with remainder r1, r0.
      const estimate = v * u2 + u1;
      q = multiplyHigh(v, u2) + u2 + u64(estimate < u1);
      const t0 = d0 * q, t1 = multiplyHigh(d0, q);
      let r0 = u0 - t0;
      let r1 = u1 - q * d1 - t1 - u64(u0 < t0);
      r1 -= d1 + u64(r0 < d0);
      r0 -= d0;
      q++;
      if (r1 >= estimate) {
        q--;
        r0 += d0;
        r1 += d1 + u64(r0 < d0);
      }
      if (r1 > d1 || (r1 == d1 && r0 >= d0)) {
        q++;
        r1 -= d1 + u64(r0 < d0);
        r0 -= d0;
      }
      const borrow = subtractProduct(part, q, lower);
      const borrow0 = u64(r0 < borrow);
      store<u64>(topDigits, r0 - borrow);
      store<u64>(topDigits, r1 - borrow0, 8);
      store<u64>(topDigits, 0, 16);
      if (r1 < borrow0) {
        q--;
        addBack(part, lower + 16);
      }
    }
    store<u64>(QUOTIENT + j, q);
  }
}

/** Subtracts `q` times the lowest `bytes` of the divisor from `part`. Returns the borrow. */
@inline
function subtractProduct(part: usize, q: u64, bytes: usize): u64 {
  let borrow: u64 = 0;
  for (let i: usize = 0; i < bytes; i += 8) {
    const digit = load<u64>(DIVISOR + i);
    const low = q * digit + borrow;
    borrow = multiplyHigh(q, digit) + u64(low < borrow);
    const before = load<u64>(part + i);
    store<u64>(part + i, before - low);
    borrow += u64(before < low);
  }
  return borrow;
}

/** Adds the lowest `bytes` of the divisor to `part`. The final carry cancels a borrow and is dropped. */
function addBack(part: usize, bytes: usize): void {
  let carry: u64 = 0;
  for (let i: usize = 0; i < bytes; i += 8) {
    const sum = load<u64>(part + i) + carry;
    carry = u64(sum < carry);
    const digit = load<u64>(DIVISOR + i);
    store<u64>(part + i, sum + digit);
    carry += u64(sum + digit < digit);
  }
}

/** `out = a / b`, both unsigned. */
export function div(a: usize, b: usize, out: usize): void {
  if (fitsU64(b)) {
    const divisor = load<u64>(b);
    if (divisor <= 1) {
      if (divisor == 0) setU64(out, 0);
      else copy(a, out);
      return;
    }
    if (fitsU64(a)) {
      setU64(out, load<u64>(a) / divisor);
      return;
    }
  } else if (lt(a, b)) {
    setU64(out, 0);
    return;
  }
  copy(a, NUMERATOR);
  divideLong(4, b, NUMERATOR);
  copy(QUOTIENT, out);
}

/** `out = a mod b`, both unsigned. */
export function mod(a: usize, b: usize, out: usize): void {
  if (fitsU64(b)) {
    const divisor = load<u64>(b);
    if (divisor <= 1) {
      setU64(out, 0);
      return;
    }
    if (fitsU64(a)) {
      setU64(out, load<u64>(a) % divisor);
      return;
    }
  } else if (lt(a, b)) {
    copy(a, out);
    return;
  }
  copy(a, NUMERATOR);
  divideLong(4, b, out);
}

/** Returns the address of the absolute value of `a`: `a` itself, or a copy at `spare`. */
@inline
function absolute(a: usize, spare: usize): usize {
  if (!isNegative(a)) return a;
  negate(a, spare);
  return spare;
}

/** `out = a / b` rounded towards zero, both in two's complement. */
export function sdiv(a: usize, b: usize, out: usize): void {
  const isQuotientNegative = isNegative(a) != isNegative(b);
  div(absolute(a, ABSOLUTE), absolute(b, ABSOLUTE + 32), out);
  if (isQuotientNegative) negate(out, out);
}

/** `out` = the remainder of `sdiv`, with the sign of `a`. */
export function smod(a: usize, b: usize, out: usize): void {
  const isRemainderNegative = isNegative(a);
  mod(absolute(a, ABSOLUTE), absolute(b, ABSOLUTE + 32), out);
  if (isRemainderNegative) negate(out, out);
}
