import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hexKey } from '../../src/primitives/hex.ts';
import { keccak256 } from '../../src/primitives/keccak.ts';
import { reservedHash, reservedNumber } from '../../src/storage/empty-block-range.ts';

const SEED = keccak256(Uint8Array.of(1));
const seed = fc.uint8Array({ minLength: 32, maxLength: 32 });
const blockNumber = fc.integer({ min: 0, max: 2 ** 48 - 1 });

describe('reservedHash', () => {
  it('the hash has 32 bytes and contains the number', () => {
    const isTold = fc.property(seed, blockNumber, (given, number) => {
      const hash = reservedHash(given, number);
      expect(hash).toHaveLength(32);
      expect(reservedNumber(hash)).toBe(BigInt(number));
    });
    fc.assert(isTold);
  });

  it('the hash differs for each number and each seed, and is always the same for both', () => {
    const other = keccak256(Uint8Array.of(2));
    const hashes = Array.from({ length: 1_000 }, (_, number) =>
      [SEED, other].map((s) => reservedHash(s, number)),
    );
    expect(new Set(hashes.flat().map(hexKey)).size).toBe(2_000);
    expect(reservedHash(SEED, 5)).toEqual(hashes[5]?.[0]);
  });

  it('the hash looks random in every byte, so that contracts can use it as a random number', () => {
    const counts = Array.from({ length: 32 }, () => new Set<number>());
    for (let number = 1; number <= 2_000; number++) {
      for (const [position, byte] of reservedHash(SEED, number).entries()) counts[position]?.add(byte);
    }
    for (const seen of counts) expect(seen.size).toBeGreaterThan(240);
  });
});
