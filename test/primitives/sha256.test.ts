import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  advanceSha256,
  bytesToWords,
  doubleSha256,
  finishDoubleSha256,
  SHA256_START,
  wordsToBytes,
} from '../../src/primitives/sha256.ts';

function sha256(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(bytes).digest());
}

function expected(bytes: Uint8Array): Uint8Array {
  return sha256(sha256(bytes));
}

describe('the double SHA-256', () => {
  it('agrees with node:crypto at every length up to 200 bytes and at long ones', () => {
    for (const length of [...Array(201).keys(), 1_000, 4_096, 65_537]) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 7 + length) & 255);
      expect(doubleSha256(bytes)).toEqual(expected(bytes));
    }
  });

  it('continues from a midstate like a hash of the whole input', () => {
    const cut = fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(), (bytes, place) => {
      const end = 64 * (place % (Math.floor(bytes.length / 64) + 1));
      const midstate = advanceSha256(SHA256_START, bytes.subarray(0, end));
      expect(midstate.length).toBe(end);
      const tail = bytes.subarray(end);
      expect(finishDoubleSha256(midstate, tail)).toEqual(expected(bytes));
      const restored = { length: end, words: bytesToWords(wordsToBytes(midstate.words)) };
      expect(restored).toEqual(midstate);
    });
    fc.assert(cut);
  });

  it('does not change midstates and earlier hashes', () => {
    const start = SHA256_START.words.slice();
    const first = finishDoubleSha256(SHA256_START, Uint8Array.of(1));
    const copy = first.slice();
    advanceSha256(SHA256_START, new Uint8Array(64));
    finishDoubleSha256(SHA256_START, Uint8Array.of(2));
    expect(SHA256_START.words).toEqual(start);
    expect(first).toEqual(copy);
  });
});
