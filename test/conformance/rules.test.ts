import { describe, expect, it } from 'vitest';
import { DECISIONS, decisionOn } from './decisions.ts';
import { MODES } from './modes.ts';
import { RULE_CHECKS } from './rule-checks.ts';
import { describedMethods, ruleRows } from './service-document.ts';

/** Rows that leave a choice end in a fixed phrase, and cannot be checked. */
const CHECKED = ruleRows().filter(
  ({ name, text }) => !/(?:not shown|nowhere in this document)\.?$/.test(text) || name in RULE_CHECKS,
);

describe('the rules of the service document', () => {
  it('have a check for each row with a rule, and no other checks', () => {
    expect(Object.keys(RULE_CHECKS).toSorted()).toEqual(CHECKED.map(({ name }) => name).toSorted());
  });

  it('have deviations only for existing rows', () => {
    const rows = [
      ...CHECKED.map(({ name }) => name),
      ...describedMethods().map(({ name }) => `method ${name}`),
    ];
    expect(rows).toEqual(expect.arrayContaining(DECISIONS.map(({ row }) => row)));
    const keys = DECISIONS.flatMap(({ row, modes }) => modes.map((mode) => `${row} ${mode}`));
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe.each(MODES)('on a node in mode %s', (mode) => {
  it.each(CHECKED)('the row $name matches the list of decisions', async ({ name }) => {
    const check = RULE_CHECKS[name];
    if (check === undefined) throw new Error(`there is no check of ${name}`);
    const decision = decisionOn(name, mode);
    if (decision === undefined) await check(mode);
    else await expect(check(mode), `${name} holds, although: ${decision.reason}`).rejects.toThrow();
  });
});
