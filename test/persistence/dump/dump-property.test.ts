import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Chain } from '../../../src/chain/chain.ts';
import { increaseTime } from '../../../src/chain/mining-controls.ts';
import { answers, type Change, outcome, sendStep, steps, take } from '../../chain/random-history.ts';
import { submitCompeting } from '../../support/competing-blocks.ts';
import { createTestChain, nodeOf } from '../../support/test-chain.ts';

const NEXT: readonly Change[] = [{ kind: 'mine', count: 1 }, { kind: 'startMining' }];

/** The start of the chain that loads the dump. With `null`, both chains share blocks. */
const twinStart = fc.constantFrom(null, 5_000, 2_000_000_000);

/** Checks that both chains return the same. */
async function expectTwins(chain: Chain, twin: Chain): Promise<void> {
  expect(await answers(twin)).toEqual(await answers(chain));
  expect(twin.snapshots.list()).toEqual(chain.snapshots.list());
  expect(await twin.change(increaseTime(0))).toBe(await chain.change(increaseTime(0)));
}

it('a loaded dump equals the dumped chain, continues like it and has the same dump', async () => {
  await fc.assert(
    fc.asyncProperty(steps, steps, sendStep, twinStart, async (given, others, last, genesisTimestamp) => {
      const isCompressed = genesisTimestamp === null;
      const { chain } = await createTestChain();
      await take(chain, given);
      const bytes = await nodeOf(chain).dump.write({ isCompressed, withKeys: false });
      const { chain: twin } = await createTestChain({ genesisTimestamp });
      await take(twin, others);
      await nodeOf(twin).dump.load(bytes);
      expect(await nodeOf(twin).dump.write({ isCompressed, withKeys: false })).toEqual(bytes);
      await expectTwins(chain, twin);

      for (const change of [last as Change, ...NEXT])
        expect(await outcome(twin, change)).toEqual(await outcome(chain, change));
      await expectTwins(chain, twin);

      for (const { id } of chain.snapshots.list().reverse()) {
        expect([await twin.snapshots.revert(id), await chain.snapshots.revert(id)]).toEqual([true, true]);
        await expectTwins(chain, twin);
      }
    }),
    { numRuns: 40 },
  );
});

it('a loaded dump has the same uncles, proofs of work and REMASC transactions', async () => {
  let uncles = 0;
  await fc.assert(
    fc.asyncProperty(
      steps,
      steps,
      fc.integer({ min: 2, max: 4 }),
      fc.boolean(),
      async (before, after, miners, remasc) => {
        const options = { remasc, difficulty: 2n };
        const { chain } = await createTestChain(options);
        await take(chain, before);
        await submitCompeting(chain, miners);
        // A side block that no longer competes becomes an uncle.
        await chain.mine();
        uncles += chain.head().uncles.length;
        await take(chain, after);
        const bytes = await nodeOf(chain).dump.write({ isCompressed: false, withKeys: false });
        const { chain: twin } = await createTestChain(options);
        await nodeOf(twin).dump.load(bytes);
        expect(await nodeOf(twin).dump.write({ isCompressed: false, withKeys: false })).toEqual(bytes);
        await expectTwins(chain, twin);
        for (const change of NEXT) expect(await outcome(twin, change)).toEqual(await outcome(chain, change));
        await expectTwins(chain, twin);
      },
    ),
    { numRuns: 8 },
  );
  expect(uncles).toBeGreaterThan(0);
});
