import { describe, expect, it } from 'vitest';
import { splitCommandLine } from '../../../src/cli/read-options.ts';
import { flagOf, OPTION_ENTRIES } from '../../../src/config/options.ts';
import { startArguments } from '../../../src/library/runners/run-facts.ts';

describe('startArguments', () => {
  it('returns the flags of all kinds of options', () => {
    const options = { chainId: 10, balance: '5', artifacts: ['out', 'lib'], noMining: true, gasReport: true };
    const words = startArguments({ ...options, lanes: false, coverage: null, mnemonic: undefined });
    expect(words).toEqual([
      '--chain-id=10',
      '--balance=5',
      '--artifacts=out',
      '--artifacts=lib',
      '--no-mining',
      '--gas-report',
    ]);
    const { given } = splitCommandLine(['start', ...words], {});
    expect(given.get('artifacts')?.texts).toEqual(['out', 'lib']);
    expect(given.get('noMining')).toBeDefined();
  });

  it.each(OPTION_ENTRIES.map(([key]) => key))('returns the flag of %s', (key) => {
    expect(startArguments({ [key]: true })).toEqual([flagOf(key)]);
  });
});
