import { describe, expect, it } from 'vitest';
import { firstNumber } from '../../../src/rpc/fork/derived-searches.ts';

/** A test that is true from `first` on, with the rounds it was called in. */
function from(first: number): {
  readonly test: (numbers: readonly number[]) => Promise<boolean[]>;
  readonly rounds: (readonly number[])[];
} {
  const rounds: (readonly number[])[] = [];
  return {
    rounds,
    test: async (numbers) => {
      rounds.push(numbers);
      return numbers.map((number) => number >= first);
    },
  };
}

describe('the search for the first number', () => {
  it('finds every number of small ranges', async () => {
    for (let last = 0; last < 70; last++)
      for (let first = 0; first <= last; first++)
        expect(await firstNumber(last, from(first).test)).toBe(first);
  });

  it('returns undefined after one round if no number passes', async () => {
    const { test, rounds } = from(101);
    expect(await firstNumber(100, test)).toBeUndefined();
    expect(rounds).toEqual([[100]]);
  });

  it('finds a number among 20 million in at most 7 rounds', async () => {
    for (const first of [0, 1, 7_654_321, 19_999_999, 20_000_000]) {
      const { test, rounds } = from(first);
      expect(await firstNumber(20_000_000, test)).toBe(first);
      expect(rounds.length).toBeLessThanOrEqual(7);
    }
  });
});
