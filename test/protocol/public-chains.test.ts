import { type ChainConfig, Holesky, Hoodi, Mainnet, Sepolia } from '@ethereumjs/common';
import { describe, expect, it } from 'vitest';
import { scheduledRuleSet } from '../../src/protocol/hardforks/public-chains.ts';
import { RULE_SET_NAMES, type RuleSetName } from '../../src/protocol/hardforks/registry.ts';

/** The first block of a hardfork, by its number or by its time. */
type Activation = readonly [ruleSet: RuleSetName, by: 'block' | 'time', at: number];

/** Number and time of a block `distance` blocks or seconds after the activation. */
function placeOf([, by, at]: Activation, distance: number): readonly [block: number, time: number] {
  return by === 'block' ? [at + distance, 0] : [Number.MAX_SAFE_INTEGER, at + distance];
}

/** The hardforks of a chain from ethereumjs, from the first supported one on. */
function listedBy({ hardforks }: ChainConfig): Activation[] {
  const known = hardforks.flatMap(({ name, block, timestamp }) => {
    const ruleSet = RULE_SET_NAMES.find((each) => each === name);
    const at = timestamp ?? block ?? null;
    if (ruleSet === undefined || at === null) return [];
    const by = timestamp === undefined ? 'block' : 'time';
    return [[ruleSet, by, Number(at)] as const];
  });
  const first = Math.max(
    0,
    known.findLastIndex(([, , at]) => at === 0),
  );
  // Of several hardforks at one block, the last one applies.
  return known.filter(([, , at], index) => index >= first && at !== known[index + 1]?.[2]);
}

// Chains outside ethereumjs. Sources: gnosischain/specs and the superchain registry of the OP Stack.
const PUBLISHED: readonly (readonly [chainId: number, readonly Activation[]])[] = [
  [11_155_111, [...listedBy(Sepolia), ['amsterdam', 'time', 1_791_294_816]]],
  [
    100,
    [
      ['istanbul', 'block', 0],
      ['berlin', 'block', 16_101_500],
      ['london', 'block', 19_040_000],
      ['paris', 'block', 25_349_537],
      ['shanghai', 'time', 1_690_889_660],
      ['cancun', 'time', 1_710_181_820],
      ['prague', 'time', 1_746_021_820],
      ['osaka', 'time', 1_776_168_380],
    ],
  ],
  [
    10,
    [
      ['istanbul', 'block', 0],
      ['berlin', 'block', 3_950_000],
      ['paris', 'block', 105_235_063],
      ['shanghai', 'time', 1_704_992_401],
      ['cancun', 'time', 1_710_374_401],
      ['prague', 'time', 1_746_806_401],
      ['osaka', 'time', 1_783_526_401],
    ],
  ],
  [
    8_453,
    [
      ['paris', 'block', 0],
      ['shanghai', 'time', 1_704_992_401],
      ['cancun', 'time', 1_710_374_401],
      ['prague', 'time', 1_746_806_401],
      ['osaka', 'time', 1_779_991_200],
    ],
  ],
];

describe.each([
  [1, listedBy(Mainnet)] as const,
  [17_000, listedBy(Holesky)] as const,
  [560_048, listedBy(Hoodi)] as const,
  ...PUBLISHED,
])('scheduledRuleSet of chain %i', (chainId, activations) => {
  it('returns each rule set from its activation on and the previous one before', () => {
    expect(activations.length).toBeGreaterThan(4);
    for (const [index, activation] of activations.entries()) {
      const [ruleSet] = activation;
      expect(scheduledRuleSet(chainId, ...placeOf(activation, 0)), ruleSet).toBe(ruleSet);
      expect(scheduledRuleSet(chainId, ...placeOf(activation, 1)), ruleSet).toBe(ruleSet);
      const before = activations[index - 1]?.[0];
      if (before !== undefined)
        expect(scheduledRuleSet(chainId, ...placeOf(activation, -1)), `before ${ruleSet}`).toBe(before);
    }
  });

  it('returns the last known rule set for later blocks', () => {
    const latest = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER] as const;
    expect(scheduledRuleSet(chainId, ...latest)).toBe(activations.at(-1)?.[0]);
  });
});

describe('scheduledRuleSet of an unknown chain', () => {
  it.each([0, 33, 31_337])('returns undefined for chain %i', (chainId) => {
    expect(scheduledRuleSet(chainId, 1, 1)).toBeUndefined();
  });
});
