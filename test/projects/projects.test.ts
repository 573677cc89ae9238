import { describe, expect, it } from 'vitest';
import { compareResults, kindOfMessage, type TestResult } from './compare.ts';
import { forgeResults } from './foundry-suite.ts';
import { type NetworkSettings, nodeOptions, UnsupportedSettingError } from './node-options.ts';
import { usageOf } from './process-usage.ts';

const passed = (name: string): TestResult => ({ name, state: 'passed' });
const failed = (name: string, message: string): TestResult => ({ name, state: 'failed', message });
const all = (...results: readonly TestResult[]) => ({ results, isLate: false });
const late = (...results: readonly TestResult[]) => ({ results, isLate: true });

describe('kindOfMessage', () => {
  it('replaces numbers and hexadecimal values, and keeps the first line', () => {
    expect(kindOfMessage('expected 0xabCD to be 1_000.5\n    at line 3')).toBe('expected 0x… to be N');
  });
});

describe('compareResults', () => {
  it('groups tests with the same change of outcome, the largest group first', () => {
    const before = all(passed('a'), passed('b'), failed('c', 'no 1'), passed('d'));
    const after = all(failed('a', 'got 5'), failed('b', 'got 7'), failed('c', 'no 2'), {
      name: 'd',
      state: 'skipped',
    });
    expect(compareResults(before, after)).toMatchObject({
      same: 1,
      failedOnBoth: 1,
      notCompared: 0,
      differences: [
        { kind: "Hardhat's node: passed | node-cli: failed: got N", names: ['a', 'b'] },
        { kind: "Hardhat's node: passed | node-cli: skipped", names: ['d'] },
      ],
    });
  });

  it('distinguishes tests with equal names', () => {
    const { same, differences } = compareResults(all(passed('a'), passed('a')), all(passed('a')));
    expect(same).toBe(1);
    expect(differences).toMatchObject([{ names: ['a (2)'] }]);
  });

  it('does not compare tests that the time limit prevented', () => {
    expect(compareResults(late(passed('a')), all(passed('a'), passed('b')))).toMatchObject({
      same: 1,
      notCompared: 1,
      differences: [],
    });
  });
});

describe('nodeOptions', () => {
  const settings: NetworkSettings = {
    chainId: 31_337,
    hardfork: 'merge',
    blockGasLimit: 30_000_000,
    accounts: {
      mnemonic: 'a b c',
      path: "m/44'/60'/0'/0",
      count: 20,
      accountsBalance: '1500000000000000000',
    },
  };

  it('has the options of node-cli for the settings of a Hardhat network', () => {
    expect(
      nodeOptions({ ...settings, allowUnlimitedContractSize: true, initialBaseFeePerGas: 0 }).join(' '),
    ).toBe(
      "--chain-id 31337 --hardfork paris --gas-limit 30000000 --mnemonic a b c --accounts 20 --derivation-path m/44'/60'/0'/0/ --balance 1.5 --allow-unlimited-contract-size --base-fee 0",
    );
  });

  it('rejects accounts with private keys', () => {
    expect(() => nodeOptions({ ...settings, accounts: [] })).toThrow(UnsupportedSettingError);
  });
});

describe('forgeResults', () => {
  it('reads the JSON of forge after other lines', () => {
    const suites = {
      'test/A.t.sol:A': {
        test_results: {
          'testA()': { status: 'Success', reason: null },
          'testB()': { status: 'Failure', reason: 'no' },
        },
      },
    };
    expect(forgeResults(`Compiling...\n${JSON.stringify(suites)}\n`)).toEqual([
      { name: 'test/A.t.sol:A: testA()', state: 'passed' },
      { name: 'test/A.t.sol:A: testB()', state: 'failed', message: 'no' },
    ]);
  });
});

describe.skipIf(process.platform !== 'linux')('usageOf', () => {
  it('reads processor time and memory of a process', () => {
    const { processor, memory } = usageOf(process.pid);
    expect(processor).toBeGreaterThan(0);
    expect(memory).toBeGreaterThan(10);
  });
});
