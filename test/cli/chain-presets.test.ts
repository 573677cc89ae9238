import { describe, expect, it } from 'vitest';
import { initialSettings } from '../../src/chain/settings/block-settings.ts';
import type { ChainOptions } from '../../src/chain/settings/chain-options.ts';
import { startEntry } from '../../src/cli/start-entry.ts';
import { chainOptionsOf } from '../../src/config/node-settings.ts';
import { CHAIN_PRESETS } from '../../src/config/options/chain-options.ts';
import { OPTIONS } from '../../src/config/options.ts';
import { readOptions } from './support/read-options.ts';

function chainOf(...commandLine: readonly string[]): ChainOptions {
  return chainOptionsOf(readOptions(commandLine, {}), []);
}

/** The settings that depend on --chain. */
function factsOf(...commandLine: readonly string[]) {
  const { chainId, networkId, gasLimit, gasLimitTarget, minimumGasPrice, networkLimits } = chainOf(
    ...commandLine,
  );
  return { chainId, networkId, gasLimit, gasLimitTarget, minimumGasPrice, networkLimits };
}

describe('--chain', () => {
  it('--chain accepts every preset', () => {
    expect([...OPTIONS.chain.form.choices]).toEqual(Object.keys(CHAIN_PRESETS));
  });

  it.each([
    ['mainnet', 30, 6_800_000n, 60_000_000n],
    ['testnet', 31, 6_800_000n, 60_000_000n],
    ['devnet', 32, 6_800_000n, 0n],
    ['local', 33, 10_000_000n, 0n],
  ] as const)(
    '%s has chain and network id %i, gas limit %s and minimum gas price %s',
    (name, id, gasLimit, price) => {
      expect(factsOf('--chain', name)).toEqual({
        chainId: id,
        networkId: null,
        gasLimit,
        gasLimitTarget: null,
        minimumGasPrice: price,
        networkLimits: false,
      });
    },
  );

  it('options and variables override the preset', () => {
    expect(
      factsOf('--chain', 'mainnet', '--chain-id', '7', '--gas-limit', '8000000', '--min-gas-price', '0'),
    ).toMatchObject({
      chainId: 7,
      networkId: null,
      gasLimit: 8_000_000n,
      minimumGasPrice: 0n,
    });
    const options = readOptions([], { NODE_CLI_CHAIN: 'testnet', NODE_CLI_MIN_GAS_PRICE: '5' });
    expect(chainOptionsOf(options, [])).toMatchObject({ chainId: 31, minimumGasPrice: 5n });
  });

  it('the defaults apply without --chain', () => {
    expect(factsOf()).toEqual({
      chainId: 33,
      networkId: null,
      gasLimit: 30_000_000n,
      gasLimitTarget: null,
      minimumGasPrice: 0n,
      networkLimits: false,
    });
    expect(readOptions([], {}).chain).toBeNull();
  });

  it('the preset minimum limits --gas-price', () => {
    expect(() => readOptions(['--chain', 'mainnet', '--gas-price', '1'], {})).toThrow(
      '--gas-price: expected at least 60000000 (the value of --min-gas-price), got 1',
    );
  });

  it('the banner contains the preset', () => {
    const options = readOptions(['--chain', 'mainnet'], {});
    const chainOptions = chainOptionsOf(options, []);
    const entry = startEntry(
      {
        options,
        compat: { choice: 'service', evidence: null },
        accounts: [],
        chain: {
          options: chainOptions,
          settings: initialSettings(chainOptions),
          miner: { mode: chainOptions },
          durability: null,
          head: () => ({ header: { number: 0 } }),
        },
        artifactFolders: [],
        fork: null,
        beginning: { accounts: null, file: null },
        savedTo: null,
        parentUrl: null,
        ipcPath: null,
        parentChain: null,
        now: 0,
      },
      'http://127.0.0.1:8545',
    );
    expect(entry).toMatchObject({ preset: 'mainnet', chainId: 30, networkLimits: false });
  });
});

describe('--network-limits', () => {
  it('a chain starts with the local gas limit and approaches the gas limit of the miners', () => {
    expect(factsOf('--network-limits')).toMatchObject({
      chainId: 33,
      gasLimit: 10_000_000n,
      gasLimitTarget: 7_500_000n,
      networkLimits: true,
    });
  });

  it('a chain uses the gas limit of --chain or --gas-limit', () => {
    for (const commandLine of [
      ['--network-limits', '--chain', 'mainnet'],
      ['--chain', 'mainnet', '--network-limits'],
    ]) {
      expect(factsOf(...commandLine)).toMatchObject({ gasLimit: 6_800_000n, gasLimitTarget: 6_800_000n });
    }
    expect(factsOf('--network-limits', '--gas-limit', '5000000')).toMatchObject({
      gasLimit: 5_000_000n,
      gasLimitTarget: 7_500_000n,
    });
  });

  it.each([
    [['--code-size-limit', '30000'], '--network-limits cannot be used with --code-size-limit'],
    [['--disable-code-size-limit'], '--network-limits cannot be used with --disable-code-size-limit'],
    [['--hardfork', 'cancun'], '--hardfork cancun cannot be used with --network-limits'],
  ])('conflicting options are rejected: %j', (others, message) => {
    expect(() => readOptions(['--network-limits', ...others], {})).toThrow(message);
  });
});

describe('--min-gas-price-target', () => {
  it('--min-gas-price-target is the target of the minimum gas price', () => {
    expect(chainOf('--min-gas-price', '5', '--min-gas-price-target', '9')).toMatchObject({
      minimumGasPrice: 5n,
      minimumGasPriceTarget: 9n,
    });
    expect(chainOf().minimumGasPriceTarget).toBeNull();
  });

  it('--min-gas-price-target is rejected under Ethereum hardforks', () => {
    expect(() => readOptions(['--min-gas-price-target', '9', '--hardfork', 'london'], {})).toThrow(
      '--hardfork london cannot be used with --min-gas-price-target',
    );
  });
});
