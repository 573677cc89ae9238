import { describe, expect, it } from 'vitest';
import { DECISIONS, EXCLUDED } from './decisions.ts';
import { isPorted, ledger, namesOfAnvil, readme } from './ledger.ts';

const EXCLUDED_NAMES = Object.values(EXCLUDED).flat();
const DECIDED_NAMES = DECISIONS.flatMap(({ tests }) => tests);

describe('the list of Anvil tests', () => {
  it('has a test or a reason for each name', () => {
    const ported = isPorted();
    const excluded = new Set(EXCLUDED_NAMES);

    expect(namesOfAnvil().filter((name) => !ported(name) && !excluded.has(name))).toEqual([]);
  });

  it('contains each name of the decisions and reasons once', () => {
    const all = new Set(namesOfAnvil());
    const named = [...EXCLUDED_NAMES, ...DECIDED_NAMES];

    expect(named.filter((name) => !all.has(name))).toEqual([]);
    expect(new Set(named).size).toBe(named.length);
  });

  it('has at most 10 tests with differences', () => {
    expect(DECIDED_NAMES.length).toBeLessThanOrEqual(10);
  });

  it('equals the tables of the README', () => {
    expect(readme()).toContain(ledger());
  });
});
