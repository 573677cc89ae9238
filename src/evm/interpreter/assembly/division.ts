/**
 * Quotients and remainders. Operands and results as in `u256.ts`; division by zero gives zero (Yellow Paper,
 * appendix H.2).
 */

import { divideLong } from './long-division';
import { ABSOLUTE, NUMERATOR, QUOTIENT } from './scratch';
import { copy, fitsU64, isNegative, lt, negate, setU64 } from './u256';

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

/** The address of the absolute value of `a`: `a` itself, or a copy at `spare`. */
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

/** `out` = the remainder of that division: its sign is the sign of `a`. */
export function smod(a: usize, b: usize, out: usize): void {
  const isRemainderNegative = isNegative(a);
  mod(absolute(a, ABSOLUTE), absolute(b, ABSOLUTE + 32), out);
  if (isRemainderNegative) negate(out, out);
}
