/** Powers. Operands and results as in `u256.ts`. */

import { mul } from './multiplication';
import { POWER } from './scratch';
import { shl } from './shifts';
import { copy, countLeadingZeros, fitsU64, setU64 } from './u256';

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
