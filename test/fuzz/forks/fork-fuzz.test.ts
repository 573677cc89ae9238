import { expect, it } from 'vitest';
import { compareForks } from './compare-fork.ts';

it('transactions on a fork equal the same transactions on the forked node, with any hints', async () => {
  const differences: string[] = [];
  await compareForks(39_000_000, 60, (difference) => differences.push(difference));
  expect(differences).toEqual([]);
});
