import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { intersection, lowerBound } from '../../src/storage/log-index.ts';

/** Distinct ascending numbers from a small interval, so that lists share some. */
const ascending = fc
  .uniqueArray(fc.nat(300), { maxLength: 120 })
  .map((numbers) => numbers.toSorted((left, right) => left - right));

describe('lowerBound', () => {
  it('returns the first position from the start with a number of at least the value', () => {
    const isSame = fc.property(ascending, fc.nat(310), fc.nat(120), (numbers, value, wish) => {
      const start = Math.min(wish, numbers.length);
      const found = numbers.findIndex((number, place) => place >= start && number >= value);
      expect(lowerBound(numbers, value, start)).toBe(found === -1 ? numbers.length : found);
    });
    fc.assert(isSame, { numRuns: 500 });
  });

  it('returns zero for an empty list', () => {
    expect(lowerBound([], 7)).toBe(0);
  });
});

describe('intersection', () => {
  it('contains the numbers in both lists', () => {
    const isSame = fc.property(ascending, ascending, (left, right) => {
      expect(intersection(left, right)).toEqual(left.filter((number) => right.includes(number)));
    });
    fc.assert(isSame, { numRuns: 300 });
  });
});
