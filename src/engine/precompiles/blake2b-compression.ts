/** The words of the message that the ten different rounds take, 16 each (RFC 7693, section 2.7). */
const SCHEDULE = Uint8Array.of(
  ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  ...[14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  ...[11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  ...[7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  ...[9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  ...[2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  ...[12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  ...[13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  ...[6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  ...[10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
);
const MIXINGS_PER_ROUND = 8;

/** The initialisation vector: words of 64 bits, the lower half of each first. */
const INITIAL_VECTOR = Int32Array.of(
  0xf3bcc908,
  0x6a09e667,
  0x84caa73b,
  0xbb67ae85,
  0xfe94f82b,
  0x3c6ef372,
  0x5f1d36f1,
  0xa54ff53a,
  0xade682d1,
  0x510e527f,
  0x2b3e6c1f,
  0x9b05688c,
  0xfb41bd6b,
  0x1f83d9ab,
  0x137e2179,
  0x5be0cd19,
);

/**
 * The compression function F of BLAKE2b (RFC 7693, section 3.2) with any number of rounds. Words have 64 bits, the
 * lower half of each first: eight of `state`, which is replaced, 16 of `message`, two of `counter`.
 */
export function compressBlake2b(
  state: Int32Array,
  message: Int32Array,
  counter: Int32Array,
  isFinal: boolean,
  rounds: number,
): void {
  const vector = new Int32Array(32);
  vector.set(state);
  vector.set(INITIAL_VECTOR, 16);
  for (let half = 0; half < 4; half++) xorInto(vector, 24 + half, counter[half]);
  if (isFinal) for (let half = 28; half < 30; half++) xorInto(vector, half, 0xffff_ffff);
  for (let round = 0; round < rounds; round++) {
    const first = 2 * MIXINGS_PER_ROUND * (round % 10);
    for (let index = 0; index < MIXINGS_PER_ROUND; index++) {
      const x = SCHEDULE[first + 2 * index] ?? 0;
      const y = SCHEDULE[first + 2 * index + 1] ?? 0;
      // The columns of the vector, then its diagonals.
      const column = index % 4;
      const turn = index < 4 ? 0 : 1;
      const b = 4 + ((column + turn) % 4);
      const c = 8 + ((column + 2 * turn) % 4);
      const d = 12 + ((column + 3 * turn) % 4);
      mix(vector, 2 * column, 2 * b, 2 * c, 2 * d, message, 2 * x, 2 * y);
    }
  }
  for (let half = 0; half < 16; half++) xorInto(state, half, (vector[half] ?? 0) ^ (vector[half + 16] ?? 0));
}

function xorInto(words: Int32Array, index: number, bits = 0): void {
  words[index] = (words[index] ?? 0) ^ bits;
}

/** The carry out of the sum of two halves: 1 when the sum, cut to 32 bits, is less than a summand. */
function carry(sum: number, summand: number): number {
  return sum >>> 0 < summand >>> 0 ? 1 : 0;
}

/** The function G: mixes two words of the message into four of the vector. Numbers are indexes of lower halves. */
function mix(
  vector: Int32Array,
  a: number,
  b: number,
  c: number,
  d: number,
  message: Int32Array,
  x: number,
  y: number,
): void {
  let bLow = vector[b] ?? 0;
  let bHigh = vector[b + 1] ?? 0;
  let aLow = vector[a] ?? 0;
  let aHigh = vector[a + 1] ?? 0;
  let summand = bLow;
  aLow = (aLow + summand) | 0;
  aHigh = (aHigh + bHigh + carry(aLow, summand)) | 0;
  summand = message[x] ?? 0;
  aLow = (aLow + summand) | 0;
  aHigh = (aHigh + (message[x + 1] ?? 0) + carry(aLow, summand)) | 0;
  // Rotated by 32 bits: the halves change places.
  let dLow = (vector[d + 1] ?? 0) ^ aHigh;
  let dHigh = (vector[d] ?? 0) ^ aLow;
  let cLow = ((vector[c] ?? 0) + dLow) | 0;
  let cHigh = ((vector[c + 1] ?? 0) + dHigh + carry(cLow, dLow)) | 0;
  let low = bLow ^ cLow;
  let high = bHigh ^ cHigh;
  bLow = (low >>> 24) | (high << 8);
  bHigh = (high >>> 24) | (low << 8);

  aLow = (aLow + bLow) | 0;
  aHigh = (aHigh + bHigh + carry(aLow, bLow)) | 0;
  summand = message[y] ?? 0;
  aLow = (aLow + summand) | 0;
  aHigh = (aHigh + (message[y + 1] ?? 0) + carry(aLow, summand)) | 0;
  low = dLow ^ aLow;
  high = dHigh ^ aHigh;
  dLow = (low >>> 16) | (high << 16);
  dHigh = (high >>> 16) | (low << 16);
  cLow = (cLow + dLow) | 0;
  cHigh = (cHigh + dHigh + carry(cLow, dLow)) | 0;
  low = bLow ^ cLow;
  high = bHigh ^ cHigh;

  vector[a] = aLow;
  vector[a + 1] = aHigh;
  vector[b] = (low << 1) | (high >>> 31);
  vector[b + 1] = (high << 1) | (low >>> 31);
  vector[c] = cLow;
  vector[c + 1] = cHigh;
  vector[d] = dLow;
  vector[d + 1] = dHigh;
}
