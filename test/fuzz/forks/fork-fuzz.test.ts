import { expect, it } from 'vitest';
import { compareForks } from './compare-fork.ts';

async function differencesOf(seed: number, cases: number): Promise<string[]> {
  const differences: string[] = [];
  await compareForks(seed, cases, (difference) => differences.push(difference));
  return differences;
}

it('transactions on a fork equal the same transactions on the forked node, with any hints', async () => {
  expect(await differencesOf(39_000_000, 60)).toEqual([]);
});

// Amsterdam: an access list of a block contains slots whose read ran out of gas. The transaction was then sent again and again.
it.each([20_261_317, 20_261_840])('seed %i, which once revealed a difference, has none', async (seed) => {
  expect(await differencesOf(seed, 1)).toEqual([]);
});
