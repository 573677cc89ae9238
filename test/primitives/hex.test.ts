import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import {
  fromHex,
  hexKey,
  isHexData,
  readDigits,
  readHex,
  toHex,
  toQuantity,
} from '../../src/primitives/hex.ts';

const bytes = fc.uint8Array({ maxLength: 300 });

describe('hexadecimal data', () => {
  it('decodes to the encoded bytes in upper and lower case', () => {
    fc.assert(
      fc.property(bytes, (value) => {
        const text = toHex(value);
        expect(fromHex(text)).toEqual(value);
        expect(fromHex(`0x${text.slice(2).toUpperCase()}`)).toEqual(value);
        expect(isHexData(text)).toBe(true);
        expect(hexKey(value)).toBe(text.slice(2));
      }),
    );
  });

  it('encodes each byte as two lower-case digits', () => {
    expect(toHex(new Uint8Array(0))).toBe('0x');
    expect(toHex(Uint8Array.of(0, 10, 255))).toBe('0x000aff');
    expect(toHex(Uint8Array.of(1, 2, 3, 4).subarray(1, 3))).toBe('0x0203');
  });

  it.each(['', '0', '0x0', '0X00', '00', '0xzz', '0x00 ', ' 0x00', '0x00\n', '0x0g'])(
    'rejects %j as hexadecimal data',
    (text) => {
      expect(isHexData(text)).toBe(false);
      expect(() => fromHex(text)).toThrow(RangeError);
    },
  );
});

describe('long hexadecimal data', () => {
  const value = Uint8Array.from({ length: 100_000 }, (_, at) => at % 251);

  it('decodes long data in steps of at most 64 KiB', () => {
    const write = vi.spyOn(Buffer.prototype, 'write');
    expect(readHex(toHex(value))).toEqual(value);
    const longest = Math.max(...write.mock.calls.map(([digits]) => String(digits).length));
    vi.restoreAllMocks();
    expect(longest).toBeLessThanOrEqual(2 ** 16);
  });

  it.each([0, 65_534, 65_535, 65_536, 131_073, 199_999])(
    'rejects long data with an invalid digit at %i',
    (at) => {
      const digits = hexKey(value);
      expect(readDigits(`${digits.slice(0, at)}g${digits.slice(at + 1)}`)).toBeUndefined();
    },
  );

  it('rejects an odd number of digits', () => {
    expect(readHex(`${toHex(value)}0`)).toBeUndefined();
    expect(readDigits('0x00', 1)).toBeUndefined();
  });
});

describe('toQuantity', () => {
  it('writes no leading zeros', () => {
    expect(toQuantity(0)).toBe('0x0');
    expect(toQuantity(0n)).toBe('0x0');
    expect(toQuantity(1024)).toBe('0x400');
    expect(toQuantity(10n ** 18n)).toBe('0xde0b6b3a7640000');
  });
});
