import { describe, expect, it } from 'vitest';
import {
  changedRuleSet,
  type HardforkName,
  RULE_SET_NAMES,
  type RuleSetName,
  ruleSetNamed,
  ruleSetNameOf,
  SINGLE_RULES,
} from '../../src/protocol/hardforks/registry.ts';

function change(number: number, isOn: boolean) {
  const rule = SINGLE_RULES.find((each) => each.number === number);
  if (rule === undefined) throw new Error(`no rule ${number}`);
  return { rule, isOn };
}

describe('changedRuleSet', () => {
  it.each<[RuleSetName, readonly (readonly [number, boolean])[], string]>([
    ['rootstock', [], 'rootstock'],
    ['rootstock', [[692, true]], 'rootstock+rskip692'],
    [
      'rootstock',
      [
        [546, true],
        [543, true],
      ],
      'rootstock+rskip543+rskip546',
    ],
    ['rootstock-next', [[555, false]], 'rootstock-next-rskip555'],
    ['rootstock-next-rskip555', [[692, false]], 'rootstock-next-rskip555-rskip692'],
    ['rootstock-next-rskip555', [[555, true]], 'rootstock-next'],
    ['rootstock+rskip692', [[692, false]], 'rootstock'],
    ['prague', [[7951, true]], 'prague+eip7951'],
    [
      'rootstock-next-rskip555',
      [
        [7951, true],
        [7939, true],
      ],
      'rootstock-next-rskip555+eip7939+eip7951',
    ],
  ])('adds and removes proposals: %s with %j is %s', (name, changes, expected) => {
    const changed = changedRuleSet(
      name,
      changes.map(([number, isOn]) => change(number, isOn)),
    );
    expect(changed).toEqual({ name: expected });
  });

  it.each<[RuleSetName, number, boolean, string]>([
    ['rootstock', 546, true, 'RSKIP-546 requires RSKIP-543; switch RSKIP-543 on, or RSKIP-546 off'],
    ['rootstock+rskip543', 545, true, 'RSKIP-545 requires RSKIP-546; switch RSKIP-546 on, or RSKIP-545 off'],
    ['rootstock-next', 543, false, 'RSKIP-546 requires RSKIP-543; switch RSKIP-543 on, or RSKIP-546 off'],
    ['cancun', 692, true, 'RSKIP-692 cannot be added to cancun; use --hardfork rootstock or rootstock-next'],
  ])('rejects %s with a change of RSKIP-%i', (name, number, isOn, fault) => {
    expect(changedRuleSet(name, [change(number, isOn)])).toEqual({ fault });
  });
});

describe('ruleSetNameOf', () => {
  it.each([
    ['rootstock-next', 'rootstock-next'],
    ['rootstock+rskip546+rskip543', 'rootstock+rskip543+rskip546'],
    ['rootstock-next+rskip692', 'rootstock-next'],
  ])('returns the name with its proposals in order: %s is %s', (text, name) => {
    expect(ruleSetNameOf(text)).toBe(name);
  });

  it.each([
    '',
    'rootstok',
    'rootstock+rskip1',
    'rootstock+rskip546',
    'osaka+rskip692',
    'rootstock-',
    'osaka+eip7951',
    'prague-eip7702',
    'prague+eip4844',
    'berlin+eip7702',
    '+rskip692',
  ])('returns undefined for %j', (text) => expect(ruleSetNameOf(text)).toBeUndefined());
});

describe('ruleSetNamed', () => {
  it('returns the same rule set each time, with its name and its proposals', () => {
    const ruleSet = ruleSetNamed('rootstock-next-rskip555');
    expect(ruleSetNamed('rootstock-next-rskip555')).toBe(ruleSet);
    expect(ruleSet).toMatchObject({ name: 'rootstock-next-rskip555', gas: ruleSetNamed('rootstock').gas });
    expect(Object.keys(ruleSet.preview?.included ?? {})).toEqual(['378', '543', '545', '546', '559', '692']);
  });

  it('has the peg-out drafts only in the rule sets that contain them', () => {
    const upgrades = (name: RuleSetName) => [...ruleSetNamed(name).precompiles.pegUpgrades];
    expect(upgrades('rootstock')).toEqual([]);
    expect(upgrades('rootstock-next')).toEqual(['RSKIP378', 'RSKIP559']);
    expect(upgrades('rootstock-next-rskip378')).toEqual(['RSKIP559']);
  });

  it('has the EIPs that were added, and no preview of them', () => {
    const ruleSet = ruleSetNamed('rootstock+rskip692+eip7951');
    expect(ruleSet.addedEips).toEqual([7951]);
    expect(Object.keys(ruleSet.preview?.included ?? {})).toEqual(['692']);
    expect(ruleSetNamed('prague+eip7951').preview).toBeNull();
  });

  it('all drafts on rootstock have the rules of rootstock-next', () => {
    const drafts = SINGLE_RULES.filter(({ kind }) => kind === 'RSKIP');
    const all = `rootstock${drafts.map(({ number }) => `+rskip${number}`).join('')}` as RuleSetName;
    const { name: _all, preview: _preview, ...rules } = ruleSetNamed(all);
    const { name: _next, preview, ...expected } = ruleSetNamed('rootstock-next');
    expect(JSON.stringify(rules, (_, value) => (typeof value === 'bigint' ? String(value) : value))).toBe(
      JSON.stringify(expected, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    );
    expect(preview?.kind).toBe('RSKIP');
  });
});

describe('single EIPs', () => {
  const EIPS = SINGLE_RULES.filter(({ kind }) => kind === 'EIP');

  /** The parts of a rule set that single EIPs change, without prices that no opcode or precompile has. */
  function rulesOf(name: RuleSetName) {
    const {
      transactionTypes,
      intrinsicGas,
      opcodes,
      gas,
      calls,
      creations,
      accounts,
      precompiles,
      ...others
    } = ruleSetNamed(name);
    const { maximumCodeSize, maximumInitcodeSize, maximumTransactionGas } = others;
    const limits = { maximumCodeSize, maximumInitcodeSize, maximumTransactionGas };
    return { transactionTypes, intrinsicGas, opcodes, gas, calls, creations, accounts, precompiles, limits };
  }

  const withEips = (hardfork: HardforkName, eips: readonly number[]): RuleSetName =>
    `${hardfork}+${eips.map((number) => `eip${number}`).join('+')}`;

  it.each<[HardforkName, HardforkName, readonly number[]]>([
    ['istanbul', 'berlin', [2565, 2929, 2930]],
    ['paris', 'shanghai', [3651, 3855, 3860]],
    ['prague', 'osaka', [7823, 7825, 7883, 7939, 7951]],
  ])('%s has the rules of %s with the EIPs %j', (older, newer, eips) => {
    expect(rulesOf(withEips(older, eips))).toEqual(rulesOf(newer));
  });

  it('cancun has the rules of prague with EIPs 2537, 2935, 7623 and 7702', () => {
    const name = withEips('cancun', [2537, 2935, 7623, 7702]);
    expect(rulesOf(name)).toEqual(rulesOf('prague'));
    const contracts = ruleSetNamed('prague').systemContracts.slice(0, 2);
    expect(ruleSetNamed(name).systemContracts).toEqual(contracts);
  });

  it.each(EIPS.map(({ number }) => number))('EIP-%i can be added to a hardfork', (number) => {
    const ruleSets = RULE_SET_NAMES.filter((name) => 'name' in changedRuleSet(name, [change(number, true)]));
    const requires = EIPS.find((rule) => rule.number === number)?.requires ?? [];
    // An EIP whose requirements came with the same hardfork needs them, too.
    expect(ruleSets.length + requires.length).toBeGreaterThan(0);
    expect(ruleSets).not.toContain('amsterdam');
  });
});
