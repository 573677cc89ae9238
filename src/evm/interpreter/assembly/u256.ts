/**
 * Sums, products and comparisons of 256-bit values.
 *
 * A value is four 64-bit limbs in linear memory, little-endian: 32 bytes at a multiple of 8. Operands are
 * addresses. `out` is the address of the result and may be the address of an operand. All results are modulo
 * 2^256 (Yellow Paper, appendix H.2). EVM memory, calldata and code are big-endian, at any address.
 */

/** Returns true if all 256 bits are zero. */
@inline
export function isZero(a: usize): bool {
  return (load<u64>(a) | load<u64>(a, 8) | load<u64>(a, 16) | load<u64>(a, 24)) == 0;
}

/** Returns true if all 256 bits are set. */
@inline
export function isAllOnes(a: usize): bool {
  return (load<u64>(a) & load<u64>(a, 8) & load<u64>(a, 16) & load<u64>(a, 24)) == ~(<u64>0);
}

/** Returns true if exactly one bit is set. */
@inline
export function isPowerOfTwo(a: usize): bool {
  const lower = popcnt<u64>(load<u64>(a)) + popcnt<u64>(load<u64>(a, 8));
  return lower + popcnt<u64>(load<u64>(a, 16)) + popcnt<u64>(load<u64>(a, 24)) == 1;
}

/** Returns true if only the lowest limb is non-zero. */
@inline
export function fitsU64(a: usize): bool {
  return (load<u64>(a, 8) | load<u64>(a, 16) | load<u64>(a, 24)) == 0;
}

/** Returns true if only the two lowest limbs are non-zero. */
@inline
export function fitsU128(a: usize): bool {
  return (load<u64>(a, 16) | load<u64>(a, 24)) == 0;
}

/** Returns true if the value is negative in two's complement. */
@inline
export function isNegative(a: usize): bool {
  return load<i64>(a, 24) < 0;
}

/** Writes four limbs, the lowest first. */
@inline
export function setLimbs(out: usize, r0: u64, r1: u64, r2: u64, r3: u64): void {
  store<u64>(out, r0);
  store<u64>(out, r1, 8);
  store<u64>(out, r2, 16);
  store<u64>(out, r3, 24);
}

/** Writes a 64-bit value. */
@inline
export function setU64(out: usize, value: u64): void {
  setLimbs(out, value, 0, 0, 0);
}

/** Copies a value. All limbs are read before the first write, so the regions may overlap. */
@inline
export function copy(a: usize, out: usize): void {
  setLimbs(out, load<u64>(a), load<u64>(a, 8), load<u64>(a, 16), load<u64>(a, 24));
}

/** `a == b` */
@inline
export function eq(a: usize, b: usize): bool {
  return (
    ((load<u64>(a) ^ load<u64>(b)) |
      (load<u64>(a, 8) ^ load<u64>(b, 8)) |
      (load<u64>(a, 16) ^ load<u64>(b, 16)) |
      (load<u64>(a, 24) ^ load<u64>(b, 24))) ==
    0
  );
}

/** `a < b` for the three lower limbs. */
@inline
function lowerLimbsLess(a: usize, b: usize): bool {
  const a2 = load<u64>(a, 16), b2 = load<u64>(b, 16);
  if (a2 != b2) return a2 < b2;
  const a1 = load<u64>(a, 8), b1 = load<u64>(b, 8);
  if (a1 != b1) return a1 < b1;
  return load<u64>(a) < load<u64>(b);
}

/** `a < b`, both unsigned. */
@inline
export function lt(a: usize, b: usize): bool {
  const a3 = load<u64>(a, 24), b3 = load<u64>(b, 24);
  return a3 != b3 ? a3 < b3 : lowerLimbsLess(a, b);
}

/** `a > b`, both unsigned. */
@inline
export function gt(a: usize, b: usize): bool {
  return lt(b, a);
}

/** `a < b`, both in two's complement. */
@inline
export function slt(a: usize, b: usize): bool {
  const a3 = load<i64>(a, 24), b3 = load<i64>(b, 24);
  return a3 != b3 ? a3 < b3 : lowerLimbsLess(a, b);
}

/** `a > b`, both in two's complement. */
@inline
export function sgt(a: usize, b: usize): bool {
  return slt(b, a);
}

/** `out = a + b`. Returns the carry, 0 or 1. */
@inline
export function addWithCarry(a: usize, b: usize, out: usize): u64 {
  const a0 = load<u64>(a), a1 = load<u64>(a, 8), a2 = load<u64>(a, 16), a3 = load<u64>(a, 24);
  const r0 = a0 + load<u64>(b);
  const s1 = a1 + load<u64>(b, 8);
  const s2 = a2 + load<u64>(b, 16);
  const s3 = a3 + load<u64>(b, 24);
  const r1 = s1 + u64(r0 < a0);
  const r2 = s2 + (u64(s1 < a1) | u64(r1 < s1));
  const r3 = s3 + (u64(s2 < a2) | u64(r2 < s2));
  setLimbs(out, r0, r1, r2, r3);
  return u64(s3 < a3) | u64(r3 < s3);
}

/** `out = a + b` */
@inline
export function add(a: usize, b: usize, out: usize): void {
  addWithCarry(a, b, out);
}

/** `out = a + value`, for a 64-bit value. */
@inline
export function addU64(a: usize, value: u64, out: usize): void {
  const r0 = load<u64>(a) + value;
  const r1 = load<u64>(a, 8) + u64(r0 < value);
  const carry1 = u64(r0 < value) & u64(r1 == 0);
  const r2 = load<u64>(a, 16) + carry1;
  setLimbs(out, r0, r1, r2, load<u64>(a, 24) + (carry1 & u64(r2 == 0)));
}

/** `out = a - b` */
@inline
export function sub(a: usize, b: usize, out: usize): void {
  const a0 = load<u64>(a), a1 = load<u64>(a, 8), a2 = load<u64>(a, 16);
  const b0 = load<u64>(b), b1 = load<u64>(b, 8), b2 = load<u64>(b, 16);
  const d1 = a1 - b1, d2 = a2 - b2, d3 = load<u64>(a, 24) - load<u64>(b, 24);
  const borrow0 = u64(a0 < b0);
  const borrow1 = u64(a1 < b1) | u64(d1 < borrow0);
  const borrow2 = u64(a2 < b2) | u64(d2 < borrow1);
  setLimbs(out, a0 - b0, d1 - borrow0, d2 - borrow1, d3 - borrow2);
}

/** `out = -a` */
@inline
export function negate(a: usize, out: usize): void {
  const r0 = 0 - load<u64>(a);
  const r1 = ~load<u64>(a, 8) + u64(r0 == 0);
  const carry1 = u64(r0 == 0) & u64(r1 == 0);
  const r2 = ~load<u64>(a, 16) + carry1;
  const r3 = ~load<u64>(a, 24) + (carry1 & u64(r2 == 0));
  setLimbs(out, r0, r1, r2, r3);
}

/** `out = ~a` */
@inline
export function not(a: usize, out: usize): void {
  setLimbs(out, ~load<u64>(a), ~load<u64>(a, 8), ~load<u64>(a, 16), ~load<u64>(a, 24));
}

/** `out = a & b` */
@inline
export function and(a: usize, b: usize, out: usize): void {
  setLimbs(
    out,
    load<u64>(a) & load<u64>(b),
    load<u64>(a, 8) & load<u64>(b, 8),
    load<u64>(a, 16) & load<u64>(b, 16),
    load<u64>(a, 24) & load<u64>(b, 24),
  );
}

/** `out = a | b` */
@inline
export function or(a: usize, b: usize, out: usize): void {
  setLimbs(
    out,
    load<u64>(a) | load<u64>(b),
    load<u64>(a, 8) | load<u64>(b, 8),
    load<u64>(a, 16) | load<u64>(b, 16),
    load<u64>(a, 24) | load<u64>(b, 24),
  );
}

/** `out = a ^ b` */
@inline
export function xor(a: usize, b: usize, out: usize): void {
  setLimbs(
    out,
    load<u64>(a) ^ load<u64>(b),
    load<u64>(a, 8) ^ load<u64>(b, 8),
    load<u64>(a, 16) ^ load<u64>(b, 16),
    load<u64>(a, 24) ^ load<u64>(b, 24),
  );
}

/** Returns the number of leading zero bits; 256 for zero (EIP-7939). */
export function countLeadingZeros(a: usize): u64 {
  if (load<u64>(a, 24) != 0) return clz<u64>(load<u64>(a, 24));
  if (load<u64>(a, 16) != 0) return 64 + clz<u64>(load<u64>(a, 16));
  if (load<u64>(a, 8) != 0) return 128 + clz<u64>(load<u64>(a, 8));
  return 192 + clz<u64>(load<u64>(a));
}

/** `out` = the 32 big-endian bytes at `pointer`. */
@inline
export function readBigEndian(pointer: usize, out: usize): void {
  const high = v128.load(pointer);
  const low = v128.load(pointer, 16);
  v128.store(out, reversed(low));
  v128.store(out, reversed(high), 16);
}

/** Writes the value at `a` to `pointer` as 32 big-endian bytes. */
@inline
export function writeBigEndian(a: usize, pointer: usize): void {
  // Two 64-bit loads, because a 128-bit load would wait for limbs that were just written one by one.
  const low = i64x2.replace_lane(i64x2.splat(load<i64>(a)), 1, load<i64>(a, 8));
  const high = i64x2.replace_lane(i64x2.splat(load<i64>(a, 16)), 1, load<i64>(a, 24));
  v128.store(pointer, reversed(high));
  v128.store(pointer, reversed(low), 16);
}

@inline
function reversed(bytes: v128): v128 {
  return v128.shuffle<u8>(bytes, bytes, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}
