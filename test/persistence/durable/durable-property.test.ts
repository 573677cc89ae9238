import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Chain } from '../../../src/chain/chain.ts';
import { increaseTime } from '../../../src/chain/mining-controls.ts';
import { compareBytes } from '../../../src/primitives/bytes.ts';
import { answers, type Change, outcome, sendStep, steps, take } from '../../chain/random-history.ts';
import { createTestChain, nodeOf } from '../../support/test-chain.ts';

type Answers = Awaited<ReturnType<typeof answers>>;

const NEXT: readonly Change[] = [{ kind: 'mine', count: 1 }, { kind: 'startMining' }];

/** The order of senders is not stored. */
function withSortedPool({ pool, ...others }: Answers): unknown {
  const sorted = (transactions: Answers['pool']['pending']): unknown =>
    transactions.toSorted((left, right) => compareBytes(left.hash, right.hash));
  return { ...others, pool: { pending: pool.pending, queued: sorted(pool.queued), size: pool.size } };
}

/** Checks that both chains return the same. */
async function expectTwins(stored: Chain, twin: Chain): Promise<void> {
  expect(withSortedPool(await answers(stored))).toEqual(withSortedPool(await answers(twin)));
  expect(stored.snapshots.list()).toEqual(twin.snapshots.list());
  expect(await stored.change(increaseTime(0))).toBe(await twin.change(increaseTime(0)));
}

/** The blocks and states of a dump. */
async function dumpedHistory(chain: Chain): Promise<string[]> {
  const dump = await nodeOf(chain).dump.write({ isCompressed: false, withKeys: false });
  const lines = Buffer.from(dump).toString().split('\n');
  return lines.filter((line) => /^\{"(code|block|range)"/.test(line));
}

it('a chain in a data directory equals a chain in memory after restarts, changes and reverts', async () => {
  await fc.assert(
    fc.asyncProperty(steps, steps, sendStep, async (given, later, last) => {
      const dataDirectory = await mkdtemp(join(tmpdir(), 'node-cli-test-'));
      const options = { dataDirectory, syncsData: false };
      const { chain: twin } = await createTestChain();
      try {
        let { chain: stored } = await createTestChain(options);
        for (const part of [given, later]) {
          await take(twin, part);
          await take(stored, part);
          await stored.close();
          ({ chain: stored } = await createTestChain(options));
          await expectTwins(stored, twin);
        }
        for (const change of [last as Change, ...NEXT]) {
          expect(await outcome(stored, change)).toEqual(await outcome(twin, change));
        }
        await stored.close();
        ({ chain: stored } = await createTestChain(options));
        await expectTwins(stored, twin);
        expect(await dumpedHistory(stored)).toEqual(await dumpedHistory(twin));
        for (const { id } of twin.snapshots.list().reverse()) {
          expect([await stored.snapshots.revert(id), await twin.snapshots.revert(id)]).toEqual([true, true]);
          await expectTwins(stored, twin);
        }
        await stored.snapshots.reset();
        await twin.snapshots.reset();
        await stored.close();
        ({ chain: stored } = await createTestChain(options));
        await expectTwins(stored, twin);
        await stored.close();
      } finally {
        await rm(dataDirectory, { recursive: true });
      }
    }),
    { numRuns: 15 },
  );
});
