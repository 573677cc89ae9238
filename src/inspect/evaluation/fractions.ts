/** Exact fractions, the values of number literals. */

export interface Fraction {
  readonly numerator: bigint;
  /** Positive. */
  readonly denominator: bigint;
}

function greatestDivisor(left: bigint, right: bigint): bigint {
  let [a, b] = [left < 0n ? -left : left, right];
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

/** Returns the fraction in lowest terms. The denominator must not be 0. */
export function reduced(numerator: bigint, denominator: bigint): Fraction {
  if (denominator === 1n) return { numerator, denominator };
  const divisor = greatestDivisor(numerator, denominator < 0n ? -denominator : denominator);
  const sign = denominator < 0n ? -1n : 1n;
  return { numerator: (sign * numerator) / divisor, denominator: (sign * denominator) / divisor };
}
