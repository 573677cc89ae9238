import fc from 'fast-check';
import { expect, it } from 'vitest';
import { increaseTime } from '../../src/chain/mining-controls.ts';
import { createTestChain } from '../support/test-chain.ts';
import { answers, type Change, outcome, sendStep, steps, take } from './random-history.ts';

it('a reverted chain equals a chain without the reverted changes', async () => {
  await fc.assert(
    fc.asyncProperty(steps, sendStep, async (given, last) => {
      const { chain } = await createTestChain();
      const surviving = await take(chain, given);
      const { chain: replayed } = await createTestChain();
      for (const change of surviving) await outcome(replayed, change);
      expect(await answers(chain)).toEqual(await answers(replayed));

      const next = [last as Change, { kind: 'mine', count: 1 } as const, { kind: 'startMining' } as const];
      for (const change of next)
        expect(await outcome(chain, change)).toEqual(await outcome(replayed, change));
      expect(await chain.change(increaseTime(0))).toBe(await replayed.change(increaseTime(0)));
      expect(await answers(chain)).toEqual(await answers(replayed));
    }),
    { numRuns: 60 },
  );
});
