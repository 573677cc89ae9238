import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/primitives/hex.ts';
import { address, data, hash32, storageSlot } from '../../../src/rpc/codecs/hex-values.ts';
import { decodeWith, refusalOf } from './decode.ts';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

describe('data codecs', () => {
  it('data codecs decode the output of toHex in either case', () => {
    fc.assert(
      fc.property(fc.uint8Array(), bytes(20), bytes(32), (any, twenty, thirtyTwo) => {
        expect(decodeWith(data, 'data', toHex(any))).toEqual(any);
        expect(decodeWith(address, 'address', toHex(twenty))).toEqual(twenty);
        expect(decodeWith(address, 'address', `0x${toHex(twenty).slice(2).toUpperCase()}`)).toEqual(twenty);
        expect(decodeWith(hash32, 'hash', toHex(thirtyTwo))).toEqual(thirtyTwo);
      }),
    );
  });

  it.each([
    ['odd digits', '0x123'],
    ['no prefix', '1234'],
    ['an upper-case prefix', '0X1234'],
    ['other letters', '0xzz'],
    ['a number', 12],
    ['null', null],
    ['nothing', undefined],
    ['an object with a prototype key', JSON.parse('{"__proto__":"0x12"}')],
  ])('data codecs reject %s', (_case, value) => {
    for (const codec of [data, address, hash32]) {
      expect(refusalOf(codec, 'place', value)).toMatch(/^invalid params: place: expected /);
    }
  });

  it('data codecs reject other lengths', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (value) => {
        if (value.length !== 20)
          expect(refusalOf(address, 'address', toHex(value))).toContain('40 hexadecimal digits');
        if (value.length !== 32)
          expect(refusalOf(hash32, 'hash', toHex(value))).toContain('64 hexadecimal digits');
      }),
    );
  });
});

describe('storageSlot', () => {
  it.each([
    ['0x', 0],
    ['0x0', 0],
    ['0x5', 5],
    ['0x05', 5],
    [5, 5],
    ['5', 5],
    [`0x${'0'.repeat(63)}5`, 5],
  ])('storageSlot pads %s to 32 bytes', (value, last) => {
    const slot = decodeWith(storageSlot, 'position', value);
    expect(slot).toHaveLength(32);
    expect(slot[31]).toBe(last);
    expect(slot.subarray(0, 31)).toEqual(new Uint8Array(31));
  });

  it('storageSlot rejects more than 32 bytes', () => {
    expect(refusalOf(storageSlot, 'position', `0x${'1'.repeat(66)}`)).toContain('params: position:');
  });
});
