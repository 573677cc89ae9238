import { describe, expect, it } from 'vitest';
import {
  changedRuleSet,
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

  it('all drafts on rootstock have the rules of rootstock-next', () => {
    const all = `rootstock${SINGLE_RULES.map(({ number }) => `+rskip${number}`).join('')}` as RuleSetName;
    const { name: _all, preview: _preview, ...rules } = ruleSetNamed(all);
    const { name: _next, preview, ...expected } = ruleSetNamed('rootstock-next');
    expect(JSON.stringify(rules, (_, value) => (typeof value === 'bigint' ? String(value) : value))).toBe(
      JSON.stringify(expected, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    );
    expect(preview?.kind).toBe('RSKIP');
  });
});
