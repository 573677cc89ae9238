/** Shifts, and the instructions that extract or extend a byte. Operands and results as in `u256.ts`. */

import { copy, fitsU64, isNegative, setLimbs, setU64 } from './u256';

/** `out = a << bits` for `bits` below 256. */
export function shiftLeft(bits: u64, a: usize, out: usize): void {
  let r0 = load<u64>(a), r1 = load<u64>(a, 8), r2 = load<u64>(a, 16), r3 = load<u64>(a, 24);
  if (bits & 128) {
    r3 = r1;
    r2 = r0;
    r1 = r0 = 0;
  }
  if (bits & 64) {
    r3 = r2;
    r2 = r1;
    r1 = r0;
    r0 = 0;
  }
  // Shifts by one and by the rest, because a shift by 64 would be a shift by 0.
  const n = bits & 63, m = 63 - n;
  setLimbs(
    out,
    r0 << n,
    (r1 << n) | ((r0 >> 1) >> m),
    (r2 << n) | ((r1 >> 1) >> m),
    (r3 << n) | ((r2 >> 1) >> m),
  );
}

/** `out = a >> bits` for `bits` below 256. The new high bits come from `fill`. */
@inline
function shiftRightFilling(bits: u64, a: usize, fill: u64, out: usize): void {
  let r0 = load<u64>(a), r1 = load<u64>(a, 8), r2 = load<u64>(a, 16), r3 = load<u64>(a, 24);
  if (bits & 128) {
    r0 = r2;
    r1 = r3;
    r2 = r3 = fill;
  }
  if (bits & 64) {
    r0 = r1;
    r1 = r2;
    r2 = r3;
    r3 = fill;
  }
  const n = bits & 63, m = 63 - n;
  setLimbs(
    out,
    (r0 >> n) | ((r1 << 1) << m),
    (r1 >> n) | ((r2 << 1) << m),
    (r2 >> n) | ((r3 << 1) << m),
    (r3 >> n) | ((fill << 1) << m),
  );
}

/** `out = a >> bits` for `bits` below 256, `a` unsigned. */
export function shiftRight(bits: u64, a: usize, out: usize): void {
  shiftRightFilling(bits, a, 0, out);
}

@inline
function isBelow256(a: usize): bool {
  return fitsU64(a) && load<u64>(a) < 256;
}

/** `out = a << shift` (EIP-145). */
@inline
export function shl(shift: usize, a: usize, out: usize): void {
  if (isBelow256(shift)) shiftLeft(load<u64>(shift), a, out);
  else setU64(out, 0);
}

/** `out = a >> shift`, `a` unsigned (EIP-145). */
@inline
export function shr(shift: usize, a: usize, out: usize): void {
  if (isBelow256(shift)) shiftRight(load<u64>(shift), a, out);
  else setU64(out, 0);
}

/** `out = a >> shift`, `a` in two's complement (EIP-145). */
export function sar(shift: usize, a: usize, out: usize): void {
  const fill: u64 = isNegative(a) ? ~0 : 0;
  if (isBelow256(shift)) shiftRightFilling(load<u64>(shift), a, fill, out);
  else setLimbs(out, fill, fill, fill, fill);
}

/** `out` = the byte of `a` at `index`, counted from the most significant byte; 0 beyond the 32 bytes. */
@inline
export function byte(index: usize, a: usize, out: usize): void {
  const isInside = fitsU64(index) && load<u64>(index) < 32;
  setU64(out, isInside ? load<u8>(a + 31 - <usize>load<u64>(index)) : 0);
}

/** `out` = the lowest `last + 1` bytes of `a`, sign-extended. */
export function signextend(last: usize, a: usize, out: usize): void {
  if (!fitsU64(last) || load<u64>(last) > 30) {
    copy(a, out);
    return;
  }
  const index = <usize>load<u64>(last);
  const limb = (index >> 3) << 3;
  const unused: u64 = 56 - ((index & 7) << 3);
  const extended = (load<i64>(a + limb) << unused) >> unused;
  const sign = extended >> 63;
  copy(a, out);
  store<i64>(out + limb, extended);
  for (let above = limb + 8; above < 32; above += 8) store<i64>(out + above, sign);
}
