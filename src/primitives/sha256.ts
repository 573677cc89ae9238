// SHA-256 with midstates. Miners need them, and `node:crypto` does not offer them.

const BLOCK_SIZE = 64;
const LENGTH_SIZE = 8;
const WORD_COUNT = 8;
const WORDS_OF_BLOCK = BLOCK_SIZE / 4;

/**
 * Returns the first 32 bits of the fractional parts of the roots of the first primes (FIPS 180-4, sections
 * 4.2 and 5.3).
 */
function fractions(count: number, root: (prime: number) => number): Int32Array {
  const words = new Int32Array(count);
  let found = 0;
  for (let candidate = 2; found < count; candidate++) {
    let divisor = 2;
    while (divisor * divisor <= candidate && candidate % divisor !== 0) divisor++;
    if (divisor * divisor > candidate) words[found++] = (root(candidate) % 1) * 2 ** 32;
  }
  return words;
}

const ROUND_CONSTANTS = fractions(64, Math.cbrt);

/** The state after a number of whole 64-byte blocks. Immutable. */
export interface Sha256Midstate {
  /** The number of absorbed bytes. */
  readonly length: number;
  readonly words: Int32Array;
}

/** The initial state. */
export const SHA256_START: Sha256Midstate = { length: 0, words: fractions(WORD_COUNT, Math.sqrt) };

/** Computes one hash at a time, with one shared schedule and padded block. */
class Sha256 {
  /** The words of a block, then the words derived from them. */
  readonly #schedule = new Int32Array(BLOCK_SIZE);
  readonly #padded = new Uint8Array(2 * BLOCK_SIZE);
  readonly #view = new DataView(this.#padded.buffer);

  advance({ length, words }: Sha256Midstate, blocks: Uint8Array): Sha256Midstate {
    const advanced = words.slice();
    this.#absorb(advanced, blocks);
    return { length: length + blocks.length, words: advanced };
  }

  finishDouble({ length, words }: Sha256Midstate, tail: Uint8Array): Uint8Array {
    const first = this.#finish(words.slice(), tail, length + tail.length);
    // The first hash with its padding is one block.
    const w = this.#schedule;
    w.set(first);
    w[WORD_COUNT] = 0x80 << 24;
    w.fill(0, WORD_COUNT + 1, WORDS_OF_BLOCK - 1);
    w[WORDS_OF_BLOCK - 1] = 32 * WORD_COUNT;
    const second = SHA256_START.words.slice();
    this.#compress(second);
    return wordsToBytes(second);
  }

  /** Absorbs the whole blocks; returns their end offset. */
  #absorb(words: Int32Array, bytes: Uint8Array): number {
    let offset = 0;
    for (; offset + BLOCK_SIZE <= bytes.length; offset += BLOCK_SIZE) {
      this.#padded.set(bytes.subarray(offset, offset + BLOCK_SIZE));
      this.#compressAt(words, 0);
    }
    return offset;
  }

  /** Absorbs the tail and the padding. `length` is the byte length of the whole message. */
  #finish(words: Int32Array, tail: Uint8Array, length: number): Int32Array {
    const offset = this.#absorb(words, tail);
    const padded = this.#padded.fill(0);
    padded.set(offset === 0 ? tail : tail.subarray(offset));
    const rest = tail.length - offset;
    padded[rest] = 0x80;
    const end = rest + 1 + LENGTH_SIZE <= BLOCK_SIZE ? BLOCK_SIZE : 2 * BLOCK_SIZE;
    this.#view.setUint32(end - 8, Math.floor((length * 8) / 2 ** 32));
    this.#view.setUint32(end - 4, length * 8);
    for (let start = 0; start < end; start += BLOCK_SIZE) this.#compressAt(words, start);
    return words;
  }

  /** Absorbs the padded block at `start`. */
  #compressAt(words: Int32Array, start: number): void {
    const w = this.#schedule;
    const view = this.#view;
    for (let index = 0; index < WORDS_OF_BLOCK; index++) w[index] = view.getInt32(start + 4 * index);
    this.#compress(words);
  }

  /** Absorbs the block at the start of the schedule (FIPS 180-4, 6.2.2). It is the inner loop of mining. */
  #compress(words: Int32Array): void {
    const w = this.#schedule;
    for (let index = WORDS_OF_BLOCK; index < 64; index++) {
      const x = w[index - 15] ?? 0;
      const y = w[index - 2] ?? 0;
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      w[index] = ((w[index - 16] ?? 0) + s0 + (w[index - 7] ?? 0) + s1) | 0;
    }
    let a = words[0] ?? 0;
    let b = words[1] ?? 0;
    let c = words[2] ?? 0;
    let d = words[3] ?? 0;
    let e = words[4] ?? 0;
    let f = words[5] ?? 0;
    let g = words[6] ?? 0;
    let h = words[7] ?? 0;
    for (let index = 0; index < 64; index++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const choice = (e & f) ^ (~e & g);
      const t1 = (h + s1 + choice + (ROUND_CONSTANTS[index] ?? 0) + (w[index] ?? 0)) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const majority = (a & b) ^ (a & c) ^ (b & c);
      h = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + s0 + majority) | 0;
    }
    words[0] = (words[0] ?? 0) + a;
    words[1] = (words[1] ?? 0) + b;
    words[2] = (words[2] ?? 0) + c;
    words[3] = (words[3] ?? 0) + d;
    words[4] = (words[4] ?? 0) + e;
    words[5] = (words[5] ?? 0) + f;
    words[6] = (words[6] ?? 0) + g;
    words[7] = (words[7] ?? 0) + h;
  }
}

const hasher = new Sha256();

/** Returns the words of a state or hash as 32 big-endian bytes. */
export function wordsToBytes(words: Int32Array): Uint8Array {
  const bytes = new Uint8Array(4 * WORD_COUNT);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < WORD_COUNT; index++) view.setInt32(4 * index, words[index] ?? 0);
  return bytes;
}

/** Returns the words of 32 big-endian bytes. */
export function bytesToWords(bytes: Uint8Array): Int32Array {
  const words = new Int32Array(WORD_COUNT);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  for (let index = 0; index < WORD_COUNT; index++) words[index] = view.getInt32(4 * index);
  return words;
}

/**
 * Returns the midstate after more blocks. The length of `blocks` must be a multiple of 64. Use it to cache
 * the hash of a constant prefix.
 */
export function advanceSha256(midstate: Sha256Midstate, blocks: Uint8Array): Sha256Midstate {
  return hasher.advance(midstate, blocks);
}

/** Returns Bitcoin's hash (32 bytes) of the midstate's message followed by the tail of any length. */
export function finishDoubleSha256(midstate: Sha256Midstate, tail: Uint8Array): Uint8Array {
  return hasher.finishDouble(midstate, tail);
}

/** Returns Bitcoin's hash (32 bytes): the SHA-256 of the SHA-256. */
export function doubleSha256(bytes: Uint8Array): Uint8Array {
  return finishDoubleSha256(SHA256_START, bytes);
}
