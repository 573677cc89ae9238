/**
 * Division of 64-bit digits by multiplication with a reciprocal, as in Möller and Granlund, "Improved division by
 * invariant integers" (2011). All divisors here are normalised: their highest bit is set.
 */

import { multiplyHigh } from './multiplication';

/** `floor((2^128 - 1) / divisor) - 2^64`: the reciprocal of one normalised digit. */
export function reciprocalOfDigit(divisor: u64): u64 {
  return divideDigits(~divisor, ~0, divisor);
}

/** `floor((high * 2^64 + low) / divisor)`, for `high < divisor`: Knuth's algorithm D on 32-bit digits. */
function divideDigits(high: u64, low: u64, divisor: u64): u64 {
  const divisorHigh = divisor >> 32;
  const quotientHigh = divideHalf(high, low >> 32, divisor, divisorHigh);
  const rest = (high << 32) + (low >> 32) - quotientHigh * divisor;
  return (quotientHigh << 32) + divideHalf(rest, low & 0xffff_ffff, divisor, divisorHigh);
}

/** One digit of 32 bits of a quotient. */
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
export function reciprocalOfTwoDigits(d1: u64, d0: u64): u64 {
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
