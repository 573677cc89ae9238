import fc from 'fast-check';
import { describe, it } from 'vitest';
import { FollowingScene, type SidedStep, type Step } from './following-scene.ts';

const upTo = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max });

const transaction: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('transfer' as const),
    from: upTo(2),
    to: upTo(3),
    value: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({
    kind: fc.constant('store' as const),
    from: upTo(2),
    store: upTo(1),
    slot: upTo(2),
    value: upTo(3),
  }),
  fc.record({ kind: fc.constant('create' as const), from: upTo(2) }),
  fc.record({ kind: fc.constant('destroy' as const), from: upTo(2) }),
);

const cheat: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('cheat' as const),
  what: fc.constantFrom(
    'balance' as const,
    'nonce' as const,
    'code' as const,
    'slot' as const,
    'delegation' as const,
  ),
  account: upTo(6),
  slot: upTo(2),
  value: upTo(3),
});

const mining: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('mine' as const), count: fc.constantFrom(1, 2, 100) }),
  fc.record({ kind: fc.constant('increaseTime' as const), seconds: fc.constantFrom(1, 50, 10_000) }),
);

const travel: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('snapshot' as const), name: fc.constantFrom(null, 'one', 'two') }),
  fc.record({ kind: fc.constant('revert' as const), pick: upTo(5) }),
);

const moving: fc.Arbitrary<Step> = fc.constantFrom(
  { kind: 'fork_step' } as const,
  { kind: 'follow' } as const,
);

const other: fc.Arbitrary<Step> = fc.constantFrom(
  { kind: 'branch' } as const,
  { kind: 'reload' } as const,
  { kind: 'reset' } as const,
);

const reorganization: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('reorganize' as const),
  depth: fc.integer({ min: 1, max: 3 }),
  blocks: upTo(3),
});

const sided = (arbitrary: fc.Arbitrary<Step>, isUpstream: boolean): fc.Arbitrary<SidedStep> =>
  arbitrary.map((step) => ({ isUpstream, step }));

const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: sided(transaction, false) },
    { weight: 3, arbitrary: sided(cheat, false) },
    { weight: 2, arbitrary: sided(mining, false) },
    { weight: 4, arbitrary: sided(travel, false) },
    { weight: 6, arbitrary: sided(moving, false) },
    { weight: 1, arbitrary: sided(other, false) },
    { weight: 3, arbitrary: sided(transaction, true) },
    { weight: 1, arbitrary: sided(cheat, true) },
    { weight: 1, arbitrary: sided(mining, true) },
    { weight: 1, arbitrary: sided(reorganization, true) },
  ),
  { minLength: 5, maxLength: 30 },
);

const CHAINS: readonly [name: string, options: Parameters<typeof FollowingScene.create>[0]][] = [
  ['prague', { ruleSet: 'prague' }],
  // SELFDESTRUCT deletes accounts.
  ['shanghai', { ruleSet: 'shanghai' }],
  ['rootstock', { ruleSet: 'rootstock', remasc: true }],
];

describe('random changes on both sides of a fork', () => {
  it.each(CHAINS)('leave the blocks, state and notifications of the model under %s', (_name, options) =>
    fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const scene = await FollowingScene.create(options);
        for (const step of given) {
          await scene.apply(step);
          await scene.check();
        }
      }),
      { seed: 39, numRuns: 10 },
    ),
  );
});
