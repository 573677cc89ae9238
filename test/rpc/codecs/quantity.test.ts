import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toQuantity } from '../../../src/primitives/hex.ts';
import { index, pageSize, quantity, seconds } from '../../../src/rpc/codecs/hex-values.ts';
import { decodeWith, refusalOf } from './decode.ts';

const word = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });

describe('quantity', () => {
  it('decodes the output of toQuantity', () => {
    fc.assert(
      fc.property(word, (value) => {
        expect(decodeWith(quantity, 'value', toQuantity(value))).toBe(value);
      }),
    );
  });

  it('reads decimal strings and hex digits of either case', () => {
    fc.assert(
      fc.property(word, (value) => {
        expect(decodeWith(quantity, 'value', value.toString())).toBe(value);
        expect(decodeWith(quantity, 'value', `0x${value.toString(16).toUpperCase()}`)).toBe(value);
      }),
    );
  });

  it('reads hex padded with zeros', () => {
    fc.assert(
      fc.property(word, fc.nat(40), (value, zeros) => {
        expect(decodeWith(quantity, 'value', `0x${'0'.repeat(zeros)}${value.toString(16)}`)).toBe(value);
      }),
    );
  });

  it('reads safe JSON integers', () => {
    expect(decodeWith(quantity, 'value', 0)).toBe(0n);
    expect(decodeWith(quantity, 'value', Number.MAX_SAFE_INTEGER)).toBe(BigInt(Number.MAX_SAFE_INTEGER));
  });

  it.each([
    ['nothing', undefined, 'nothing'],
    ['null', null, 'null'],
    ['an upper-case prefix', '0X1', '"0X1"'],
    ['no digits', '0x', '"0x"'],
    ['an empty text', '', '""'],
    ['bare hexadecimal', 'ff', '"ff"'],
    ['a sign', '-1', '"-1"'],
    ['a negative number', -1, '-1'],
    ['a fraction', 1.5, '1.5'],
    ['an inexact number', 2 ** 53, '9007199254740992'],
    ['2^256', `0x1${'0'.repeat(64)}`, '"0x1'],
    ['2^256 in decimal', (2n ** 256n).toString(), '"1157'],
    ['a boolean', true, 'true'],
    ['an array', ['0x1'], 'an array of 1 item'],
    ['an object', { a: 1 }, 'an object with a'],
  ])('rejects %s and reports the value', (_case, value, got) => {
    const message = refusalOf(quantity, 'value', value);
    expect(message).toContain('invalid params: value: expected an unsigned integer below 2^256');
    expect(message).toContain(`got ${got}`);
  });

  it('truncates a long value in the message', () => {
    const message = refusalOf(quantity, 'value', 'z'.repeat(1_000_000));
    expect(message.length).toBeLessThan(300);
    expect(message).toContain('(1000000 characters)');
  });
});

describe('index', () => {
  it('reads an index beyond any array', () => {
    expect(decodeWith(index, 'index', '0x2')).toBe(2);
    expect(decodeWith(index, 'index', `0x${'f'.repeat(64)}`)).toBeGreaterThan(Number.MAX_SAFE_INTEGER);
  });
});

describe('seconds', () => {
  it('reads whole seconds below 2^48', () => {
    expect(decodeWith(seconds, 'seconds', '3600')).toBe(3600);
    expect(refusalOf(seconds, 'seconds', 2 ** 48)).toContain('params: seconds:');
  });
});

describe('pageSize', () => {
  it('reads 1 to 1000 and rejects other values', () => {
    expect(decodeWith(pageSize, 'pageSize', 1)).toBe(1);
    expect(decodeWith(pageSize, 'pageSize', '0x3e8')).toBe(1000);
    for (const refused of [0, 1001, 'many'])
      expect(refusalOf(pageSize, 'pageSize', refused)).toContain(
        'params: pageSize: expected a number of items from 1 to 1000',
      );
  });
});
