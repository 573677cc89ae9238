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
  it('concatBytes joins arrays in order', () => {
    expect(concatBytes()).toEqual(EMPTY);
    expect(concatBytes(Uint8Array.of(1), EMPTY, Uint8Array.of(2, 3))).toEqual(Uint8Array.of(1, 2, 3));
  });

  it('equalBytes returns true only for the same bytes', () => {
    fc.assert(
      fc.property(bytes, bytes, (left, right) => {
        expect(equalBytes(left, left.slice())).toBe(true);
        expect(equalBytes(left, right)).toBe(left.join() === right.join());
      }),
    );
    expect(equalBytes(Uint8Array.of(0), Uint8Array.of(0, 0))).toBe(false);
  });

  it('compareBytes orders byte by byte, and a prefix before the longer array', () => {
    expect(compareBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 2))).toBe(0);
    expect(compareBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 2, 0))).toBeLessThan(0);
    expect(compareBytes(Uint8Array.of(2), Uint8Array.of(1, 255))).toBeGreaterThan(0);
    const like = (...last: number[]): Uint8Array => Uint8Array.of(9, 9, 9, 9, 9, ...last);
    expect(compareBytes(like(3), like(200))).toBe(-1);
    expect(compareBytes(like(3, 0), like(3))).toBe(1);
    expect(compareBytes(Uint8Array.of(9, 9, 200), Uint8Array.of(9, 9, 3, 1))).toBe(1);
  });

  it('stripLeadingZeros removes only leading zeros', () => {
    expect(stripLeadingZeros(Uint8Array.of(0, 0, 1, 0))).toEqual(Uint8Array.of(1, 0));
    expect(stripLeadingZeros(Uint8Array.of(0, 0))).toEqual(EMPTY);
    expect(stripLeadingZeros(Uint8Array.of(5, 0))).toEqual(Uint8Array.of(5, 0));
  });

  it('padLeft pads to a length and throws if the bytes are longer', () => {
    expect(padLeft(Uint8Array.of(1, 2), 4)).toEqual(Uint8Array.of(0, 0, 1, 2));
    expect(padLeft(Uint8Array.of(1, 2), 2)).toEqual(Uint8Array.of(1, 2));
    expect(() => padLeft(Uint8Array.of(0, 1, 2), 2)).toThrow(RangeError);
  });
});

describe('integers as bytes', () => {
  it('bytesToBigInt inverts bigIntToBytes, which writes no leading zeros', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 1n << 300n), (value) => {
        const spelled = bigIntToBytes(value);
        expect(bytesToBigInt(spelled)).toBe(value);
        expect(stripLeadingZeros(spelled)).toEqual(spelled);
      }),
    );
  });

  it('bigIntToBytes writes the same bytes as the hexadecimal digits for each length', () => {
    for (let length = 1; length <= 33; length++) {
      for (const value of [1n << BigInt(8 * length - 8), (1n << BigInt(8 * length)) - 1n]) {
        const spelled = Uint8Array.from(Buffer.from(value.toString(16).padStart(2 * length, '0'), 'hex'));
        expect(bigIntToBytes(value)).toEqual(spelled);
        expect(bytesToBigInt(spelled)).toBe(value);
        if (value <= Number.MAX_SAFE_INTEGER) expect(numberToBytes(Number(value))).toEqual(spelled);
      }
    }
  });

  it('bytesToBigInt reads a subarray', () => {
    const part = Uint8Array.from({ length: 20 }, (_, index) => index).subarray(2, 16);
    expect(bytesToBigInt(part)).toBe(0x02030405060708090a0b0c0d0e0fn);
    expect(bytesToBigInt(Uint8Array.of(9, 1, 2, 9).subarray(1, 3))).toBe(0x0102n);
  });

  it('bigIntToBytes encodes zero as no bytes', () => {
    expect(bigIntToBytes(0n)).toEqual(EMPTY);
    expect(bytesToBigInt(EMPTY)).toBe(0n);
    expect(bytesToBigInt(Uint8Array.of(0, 0))).toBe(0n);
  });

  it('bigIntToFixedBytes pads to the length and throws if the value is too large', () => {
    expect(bigIntToFixedBytes(0x0102n, 4)).toEqual(Uint8Array.of(0, 0, 1, 2));
    expect(() => bigIntToFixedBytes(0x010203n, 2)).toThrow(RangeError);
    expect(() => bigIntToBytes(-1n)).toThrow(RangeError);
  });
});
