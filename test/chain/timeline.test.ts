import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chain } from '../../src/chain/chain.ts';
import { type CancelCheck, neverCancelled } from '../../src/scheduling/cancel-check.ts';
import { createTestChain, testAccount, transfer } from '../support/test-chain.ts';

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('empty' as const), count: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ kind: fc.constantFrom('send' as const, 'snapshot' as const, 'revert' as const) }),
    fc.record({
      kind: fc.constant('read' as const),
      below: fc.nat(12),
      count: fc.integer({ min: 1, max: 12 }),
    }),
  ),
  { maxLength: 25 },
);

type Step = (typeof steps extends fc.Arbitrary<infer Steps> ? Steps : never)[number];

/** Runs the steps. Reads the timeline at the end and, if `reads` is true, at each read step. */
async function take(chain: Chain, given: readonly Step[], reads: boolean) {
  const read = (below: number, count: number) =>
    chain.timeline.read(Math.max(0, chain.head().header.number - below), count, neverCancelled);
  const snapshots: number[] = [];
  for (const step of given) {
    if (step.kind === 'empty') for (let mined = 0; mined < step.count; mined++) await chain.mine({});
    else if (step.kind === 'send') await chain.sendFrom(testAccount(0).address, transfer());
    else if (step.kind === 'snapshot') snapshots.push(await chain.snapshots.take());
    else if (step.kind === 'read' && reads) await read(step.below, step.count);
    else if (step.kind === 'revert') {
      const last = snapshots.pop();
      if (last !== undefined) await chain.snapshots.revert(last);
    }
  }
  return Promise.all([read(0, 100), read(3, 100), read(0, 7), read(1, 3)]);
}

describe('timeline', () => {
  it('is the same with and without earlier reads of empty runs', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom(null, 3), async (given, keptBlocks) => {
        const { chain } = await createTestChain({ keptBlocks });
        const { chain: fresh } = await createTestChain({ keptBlocks });
        expect(await take(chain, given, true)).toEqual(await take(fresh, given, false));
      }),
      { numRuns: 100 },
    );
  });

  it('reads a long run of empty blocks once, even if the run grows', async () => {
    const { chain } = await createTestChain();
    await chain.sendFrom(testAccount(0).address, transfer());
    for (let mined = 0; mined < 4_000; mined++) await chain.mine({});
    const piecesOf = async (): Promise<number> => {
      let pieces = 0;
      const count: CancelCheck = () => {
        pieces++;
      };
      const { cells } = await chain.timeline.read(chain.head().header.number, 100, count);
      const last = chain.head().header.number;
      expect(cells).toMatchObject([{ first: 2, last }, { number: 1 }, { number: 0 }]);
      return pieces;
    };
    expect(await piecesOf()).toBeGreaterThan(0);
    await chain.mine({});
    expect(await piecesOf()).toBe(0);
  });
});
