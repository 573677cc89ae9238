/*
 * The compression function F of BLAKE2b (RFC 7693, section 3.2) with any number of rounds, as a separate
 * module. A vector contains two 64-bit words. The 16 words of the working vector are four rows of two
 * vectors.
 */

/** The input buffers: state (64 bytes, replaced by the result), message (128) and counter (16). */
export const STATE: usize = memory.data(64, 16);
export const MESSAGE: usize = memory.data(128, 16);
export const COUNTER: usize = memory.data(16, 16);

/** The working vector between two calls of `mix`, and the position in the schedule. */
const WORK: usize = memory.data(128, 16);
let schedulePlace: usize = 0;

/** The message words of the ten rounds, as byte offsets (section 2.7). */
const SCHEDULE: usize = memory.data<u8>([
  0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120,
  112, 80, 32, 64, 72, 120, 104, 48, 8, 96, 0, 16, 88, 56, 40, 24,
  88, 64, 96, 0, 40, 16, 120, 104, 80, 112, 24, 48, 56, 8, 72, 32,
  56, 72, 24, 8, 104, 96, 88, 112, 16, 48, 40, 80, 32, 0, 120, 64,
  72, 0, 40, 56, 16, 32, 80, 120, 112, 8, 88, 96, 48, 64, 24, 104,
  16, 96, 48, 80, 0, 88, 64, 24, 32, 104, 56, 40, 120, 112, 8, 72,
  96, 40, 8, 120, 112, 104, 32, 80, 0, 56, 48, 24, 72, 16, 64, 88,
  104, 88, 56, 112, 96, 8, 24, 72, 40, 0, 120, 32, 64, 48, 16, 80,
  48, 120, 112, 72, 88, 24, 0, 64, 96, 16, 104, 56, 8, 32, 80, 40,
  80, 16, 64, 32, 56, 48, 8, 40, 120, 88, 72, 112, 24, 96, 104, 0,
]);

const SCHEDULE_SIZE: usize = 160;

/** Loads the message words at schedule positions `place` and `place + 2`. */
@inline function messageWords(place: usize): v128 {
  const first = v128.load64_zero(MESSAGE + load<u8>(place));
  return v128.load_lane<u64>(MESSAGE + load<u8>(place, 2), first, 1);
}

@inline function rotatedBy32(x: v128): v128 {
  return v128.shuffle<u8>(x, x, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
}

@inline function rotatedBy24(x: v128): v128 {
  return v128.shuffle<u8>(x, x, 3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10);
}

@inline function rotatedBy16(x: v128): v128 {
  return v128.shuffle<u8>(x, x, 2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9);
}

@inline function rotatedBy63(x: v128): v128 {
  return v128.or(i64x2.shl(x, 1), i64x2.shr_u(x, 63));
}

/** The second word of the first vector and the first word of the second vector. */
@inline function middle(first: v128, second: v128): v128 {
  return v128.shuffle<u8>(first, second, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23);
}

/** Initialises the working vector from the input buffers. `finalMask` has all bits set for the last block. */
export function begin(finalMask: u64): void {
  v128.store(WORK, v128.load(STATE));
  v128.store(WORK, v128.load(STATE, 16), 16);
  v128.store(WORK, v128.load(STATE, 32), 32);
  v128.store(WORK, v128.load(STATE, 48), 48);
  v128.store(WORK, i64x2(0x6a09e667f3bcc908, <i64>0xbb67ae8584caa73b), 64);
  v128.store(WORK, i64x2(0x3c6ef372fe94f82b, <i64>0xa54ff53a5f1d36f1), 80);
  v128.store(WORK, v128.xor(i64x2(0x510e527fade682d1, <i64>0x9b05688c2b3e6c1f), v128.load(COUNTER)), 96);
  v128.store(
    WORK,
    v128.xor(i64x2(0x1f83d9abfb41bd6b, 0x5be0cd19137e2179), i64x2.replace_lane(i64x2.splat(0), 0, <i64>finalMask)),
    112,
  );
  schedulePlace = SCHEDULE;
}

/** Runs the next rounds. */
export function mix(rounds: u32): void {
  let a01 = v128.load(WORK);
  let a23 = v128.load(WORK, 16);
  let b01 = v128.load(WORK, 32);
  let b23 = v128.load(WORK, 48);
  let c01 = v128.load(WORK, 64);
  let c23 = v128.load(WORK, 80);
  let d01 = v128.load(WORK, 96);
  let d23 = v128.load(WORK, 112);
  let place = schedulePlace;
  for (let round: u32 = 0; round < rounds; round++) {
    // First the columns, then the diagonals. Rotating the rows turns diagonals into columns.
    for (let half = 0; half < 2; half++) {
      a01 = i64x2.add(i64x2.add(a01, b01), messageWords(place));
      a23 = i64x2.add(i64x2.add(a23, b23), messageWords(place + 4));
      d01 = rotatedBy32(v128.xor(d01, a01));
      d23 = rotatedBy32(v128.xor(d23, a23));
      c01 = i64x2.add(c01, d01);
      c23 = i64x2.add(c23, d23);
      b01 = rotatedBy24(v128.xor(b01, c01));
      b23 = rotatedBy24(v128.xor(b23, c23));
      a01 = i64x2.add(i64x2.add(a01, b01), messageWords(place + 1));
      a23 = i64x2.add(i64x2.add(a23, b23), messageWords(place + 5));
      d01 = rotatedBy16(v128.xor(d01, a01));
      d23 = rotatedBy16(v128.xor(d23, a23));
      c01 = i64x2.add(c01, d01);
      c23 = i64x2.add(c23, d23);
      b01 = rotatedBy63(v128.xor(b01, c01));
      b23 = rotatedBy63(v128.xor(b23, c23));
      place += 8;
      const b = half == 0 ? middle(b01, b23) : middle(b23, b01);
      b23 = half == 0 ? middle(b23, b01) : middle(b01, b23);
      b01 = b;
      const c = c01;
      c01 = c23;
      c23 = c;
      const d = half == 0 ? middle(d23, d01) : middle(d01, d23);
      d23 = half == 0 ? middle(d01, d23) : middle(d23, d01);
      d01 = d;
    }
    if (place == SCHEDULE + SCHEDULE_SIZE) place = SCHEDULE;
  }
  schedulePlace = place;
  v128.store(WORK, a01);
  v128.store(WORK, a23, 16);
  v128.store(WORK, b01, 32);
  v128.store(WORK, b23, 48);
  v128.store(WORK, c01, 64);
  v128.store(WORK, c23, 80);
  v128.store(WORK, d01, 96);
  v128.store(WORK, d23, 112);
}

/** Writes the result to `STATE`. */
export function finish(): void {
  for (let at: usize = 0; at < 64; at += 16) {
    const mixed = v128.xor(v128.load(WORK + at), v128.load(WORK + at, 64));
    v128.store(STATE + at, v128.xor(v128.load(STATE + at), mixed));
  }
}
