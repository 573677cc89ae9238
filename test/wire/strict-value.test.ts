import { describe, expect, it } from 'vitest';
import { InvalidDumpError } from '../../src/wire/errors.ts';
import { StrictValue } from '../../src/wire/strict-value.ts';

const value = (json: unknown): StrictValue => new StrictValue(json, 'line 3');

describe('StrictValue', () => {
  it.each([[5], ['text'], [true], [null], [undefined], [[{ a: 1 }]]])(
    'rejects %j as an object, with its path in the error',
    (json) => {
      const read = value(json);
      expect(read.isObject).toBe(false);
      expect(() => read.field('a')).toThrow(InvalidDumpError);
      expect(() => read.field('a')).toThrow(/line 3: expected an object, got /);
      expect(() => read.names()).toThrow('expected an object');
    },
  );

  it('returns its own fields and an empty value for other names', () => {
    const read = value({ a: { b: 1 }, c: null });
    expect(read.isObject).toBe(true);
    expect(read.names()).toEqual(['a', 'c']);
    expect(read.field('a').field('b').quantity()).toBe(1n);
    expect(
      [read.field('c'), read.field('d'), read.field('toString')].map((field) => field.isNothing),
    ).toEqual([true, true, true]);
    expect(() => read.field('a').field('b').field('x')).toThrow(/line 3\.a\.b: expected an object, got 1/);
    expect(read.either('c', 'a').isObject).toBe(true);
    expect(read.either('c', undefined).isNothing).toBe(true);
    expect(read.with('c', 7).field('c').quantity()).toBe(7n);
  });

  it.each([
    ['0x0', 8, 0n],
    ['0xff', 8, 255n],
    [255, 8, 255n],
    [`0x${'f'.repeat(64)}`, 256, 2n ** 256n - 1n],
  ])('accepts %j as a quantity of %i bits', (json, bits, expected) => {
    expect(value(json).quantity(bits)).toBe(expected);
  });

  it.each([
    ['0x100', 8],
    [256, 8],
    [-1, 64],
    [1.5, 64],
    ['', 64],
    ['0x', 64],
    [`0x${'1'.repeat(65)}`, 256],
    [null, 64],
  ])('rejects %j as a quantity of %i bits', (json, bits) => {
    expect(() => value(json).quantity(bits)).toThrow(InvalidDumpError);
  });

  it('returns bytes of the requested length', () => {
    expect(value('0x0102').bytes()).toEqual(Uint8Array.of(1, 2));
    expect(value('0x0102').bytes(2)).toEqual(Uint8Array.of(1, 2));
    expect(() => value('0x0102').bytes(3)).toThrow('expected DATA of 3 bytes, got "0x0102"');
    expect(() => value('0x010').bytes()).toThrow('expected DATA');
    expect(() => value(1).bytes()).toThrow('expected DATA');
  });

  it('quotes at most 60 characters of the value in an error', () => {
    expect(() => value('x'.repeat(58)).items()).toThrow(`got "${'x'.repeat(58)}"`);
    expect(() => value('x'.repeat(59)).items()).toThrow(`got "${'x'.repeat(59)}…`);
  });

  it('includes the index of an item in the error', () => {
    expect(() => value([1, 'a']).items()[1]?.quantity()).toThrow(/line 3\[1\]: /);
  });
});
