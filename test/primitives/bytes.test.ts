import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bigIntToBytes,
  bigIntToFixedBytes,
  bytesToBigInt,
  compareBytes,
  concatBytes,
  equalBytes,
  numberToBytes,
  padLeft,
  stripLeadingZeros,
} from '../../src/primitives/bytes.ts';

const bytes = fc.uint8Array({ maxLength: 80 });
const EMPTY = new Uint8Array(0);

describe('byte arrays', () => {
  it('are joined in order', () => {
    expect(concatBytes()).toEqual(EMPTY);
    expect(concatBytes(Uint8Array.of(1), EMPTY, Uint8Array.of(2, 3))).toEqual(Uint8Array.of(1, 2, 3));
  });

  it('are equal when they hold the same bytes, and only then', () => {
    fc.assert(
      fc.property(bytes, bytes, (left, right) => {
        expect(equalBytes(left, left.slice())).toBe(true);
        expect(equalBytes(left, right)).toBe(left.join() === right.join());
      }),
    );
    expect(equalBytes(Uint8Array.of(0), Uint8Array.of(0, 0))).toBe(false);
  });

  it('are ordered byte by byte, the shorter first when one begins the other', () => {
    expect(compareBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 2))).toBe(0);
    expect(compareBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 2, 0))).toBeLessThan(0);
    expect(compareBytes(Uint8Array.of(2), Uint8Array.of(1, 255))).toBeGreaterThan(0);
    // Behind those that are compared one by one.
    const like = (...last: number[]): Uint8Array => Uint8Array.of(9, 9, 9, 9, 9, ...last);
    expect(compareBytes(like(3), like(200))).toBe(-1);
    expect(compareBytes(like(3, 0), like(3))).toBe(1);
    expect(compareBytes(Uint8Array.of(9, 9, 200), Uint8Array.of(9, 9, 3, 1))).toBe(1);
  });

  it('lose their leading zeros only', () => {
    expect(stripLeadingZeros(Uint8Array.of(0, 0, 1, 0))).toEqual(Uint8Array.of(1, 0));
    expect(stripLeadingZeros(Uint8Array.of(0, 0))).toEqual(EMPTY);
    expect(stripLeadingZeros(Uint8Array.of(5, 0))).toEqual(Uint8Array.of(5, 0));
  });

  it('are padded on the left to a length, never cut', () => {
    expect(padLeft(Uint8Array.of(1, 2), 4)).toEqual(Uint8Array.of(0, 0, 1, 2));
    expect(padLeft(Uint8Array.of(1, 2), 2)).toEqual(Uint8Array.of(1, 2));
    expect(() => padLeft(Uint8Array.of(0, 1, 2), 2)).toThrow(RangeError);
  });
});

describe('integers', () => {
  it('come back from their shortest bytes', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 1n << 300n), (value) => {
        const spelled = bigIntToBytes(value);
        expect(bytesToBigInt(spelled)).toBe(value);
        expect(stripLeadingZeros(spelled)).toEqual(spelled);
      }),
    );
  });

  it('of each length are spelled as their digits are', () => {
    for (let length = 1; length <= 33; length++) {
      for (const value of [1n << BigInt(8 * length - 8), (1n << BigInt(8 * length)) - 1n]) {
        const spelled = Uint8Array.from(Buffer.from(value.toString(16).padStart(2 * length, '0'), 'hex'));
        expect(bigIntToBytes(value)).toEqual(spelled);
        expect(bytesToBigInt(spelled)).toBe(value);
        if (value <= Number.MAX_SAFE_INTEGER) expect(numberToBytes(Number(value))).toEqual(spelled);
      }
    }
  });

  it('are read from bytes that are a part of others', () => {
    const part = Uint8Array.from({ length: 20 }, (_, index) => index).subarray(2, 16);
    expect(bytesToBigInt(part)).toBe(0x02030405060708090a0b0c0d0e0fn);
    expect(bytesToBigInt(Uint8Array.of(9, 1, 2, 9).subarray(1, 3))).toBe(0x0102n);
  });

  it('of zero are no bytes', () => {
    expect(bigIntToBytes(0n)).toEqual(EMPTY);
    expect(bytesToBigInt(EMPTY)).toBe(0n);
    expect(bytesToBigInt(Uint8Array.of(0, 0))).toBe(0n);
  });

  it('fill a fixed length, or are refused', () => {
    expect(bigIntToFixedBytes(0x0102n, 4)).toEqual(Uint8Array.of(0, 0, 1, 2));
    expect(() => bigIntToFixedBytes(0x010203n, 2)).toThrow(RangeError);
    expect(() => bigIntToBytes(-1n)).toThrow(RangeError);
  });
});
