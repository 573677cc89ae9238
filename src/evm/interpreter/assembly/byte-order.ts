/**
 * The byte order of the EVM's memory, calldata and code: big-endian, at any address.
 */

/** `out` = the value of the 32 bytes at `pointer`, the most significant first. */
@inline
export function readBigEndian(pointer: usize, out: usize): void {
  const high = v128.load(pointer);
  const low = v128.load(pointer, 16);
  v128.store(out, reversed(low));
  v128.store(out, reversed(high), 16);
}

/** Writes the value at `a` as 32 bytes to `pointer`, the most significant first. */
@inline
export function writeBigEndian(a: usize, pointer: usize): void {
  // Two loads of 64 bits: a load of 128 would wait for limbs that were written one by one just before.
  const low = i64x2.replace_lane(i64x2.splat(load<i64>(a)), 1, load<i64>(a, 8));
  const high = i64x2.replace_lane(i64x2.splat(load<i64>(a, 16)), 1, load<i64>(a, 24));
  v128.store(pointer, reversed(high));
  v128.store(pointer, reversed(low), 16);
}

@inline
function reversed(bytes: v128): v128 {
  return v128.shuffle<u8>(bytes, bytes, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}
