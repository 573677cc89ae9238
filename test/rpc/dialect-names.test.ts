import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { CompatName } from '../../src/rpc/compat.ts';
import { METHODS } from '../../src/rpc/method-table.ts';
import { createExampleChain, EXAMPLE } from './example-chain.ts';
import { exampleOf } from './method-examples.ts';

/** Response of each Hardhat or Anvil alias to the example of its method. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  anvil_setBalance: null,
  hardhat_setBalance: true,
  ganache_setBalance: true,
  tenderly_setBalance: null,
  evm_setAccountBalance: true,
  anvil_addBalance: null,
  hardhat_addBalance: true,
  tenderly_addBalance: null,
  anvil_setNonce: null,
  hardhat_setNonce: true,
  ganache_setNonce: true,
  evm_setAccountNonce: true,
  anvil_setCode: null,
  hardhat_setCode: true,
  ganache_setCode: true,
  evm_setAccountCode: true,
  anvil_setStorageAt: true,
  hardhat_setStorageAt: true,
  ganache_setStorageAt: true,
  evm_setAccountStorageAt: true,
  anvil_impersonateAccount: null,
  hardhat_impersonateAccount: true,
  ganache_impersonateAccount: true,
  evm_addAccount: true,
  evm_removeAccount: true,
  anvil_stopImpersonatingAccount: null,
  hardhat_stopImpersonatingAccount: false,
  ganache_stopImpersonatingAccount: false,
  anvil_autoImpersonateAccount: null,
  hardhat_autoImpersonateAccount: true,
  anvil_mine: null,
  hardhat_mine: true,
  hardhat_intervalMine: true,
  anvil_setAutomine: null,
  hardhat_setAutomine: true,
  anvil_getAutomine: true,
  hardhat_getAutomine: true,
  anvil_setIntervalMining: null,
  hardhat_setIntervalMining: true,
  anvil_getIntervalMining: null,
  hardhat_getIntervalMining: null,
  evm_setBlockGasLimit: true,
  anvil_setBlockGasLimit: true,
  hardhat_setBlockGasLimit: true,
  anvil_setCoinbase: null,
  hardhat_setCoinbase: true,
  ganache_setCoinbase: true,
  miner_setEtherbase: true,
  miner_setGasPrice: true,
  miner_setExtra: true,
  miner_start: true,
  miner_stop: true,
  anvil_setMinGasPrice: null,
  hardhat_setMinGasPrice: true,
  ganache_setMinGasPrice: true,
  anvil_setChainId: null,
  anvil_setLoggingEnabled: null,
  hardhat_setLoggingEnabled: true,
  ganache_setLoggingEnabled: true,
  anvil_setBlockTimestampInterval: null,
  hardhat_setBlockTimestampInterval: true,
  ganache_setBlockTimestampInterval: true,
  anvil_removeBlockTimestampInterval: false,
  hardhat_removeBlockTimestampInterval: false,
  anvil_increaseTime: 3600,
  anvil_setNextBlockTimestamp: null,
  anvil_setTime: 256,
  anvil_snapshot: '0x1',
  anvil_revert: true,
  anvil_reset: null,
  hardhat_reset: true,
  ganache_reset: true,
  anvil_loadState: true,
  hardhat_loadState: true,
  ganache_loadState: true,
  anvil_rollback: null,
  anvil_reorg: null,
  anvil_dropTransaction: EXAMPLE.queuedHash,
  hardhat_dropTransaction: true,
  ganache_dropTransaction: true,
  anvil_dropAllTransactions: null,
  hardhat_dropAllTransactions: true,
  anvil_removePoolTransactions: null,
  hardhat_getStackTraceFailuresCount: 0,
  hardhat_addCompilationResult: false,
};

/** Responses of the aliases that depend on the compat mode. */
const BY_DIALECT: Readonly<Record<string, Readonly<Record<CompatName, unknown>>>> = {
  evm_setAutomine: { service: null, anvil: null, hardhat: true },
  evm_setIntervalMining: { service: null, anvil: null, hardhat: true },
  evm_setNextBlockTimestamp: { service: null, anvil: null, hardhat: '1700000256' },
  evm_increaseTime: { service: '0xe10', anvil: 3600, hardhat: '3600' },
  evm_mine: { service: null, anvil: '0x0', hardhat: '0' },
  evm_setTime: { service: 256, anvil: 256, hardhat: 256 },
};

function methodOf(name: string) {
  const method = METHODS.find(({ name: own, aliases }) => own === name || aliases.includes(name));
  if (method === undefined) throw new Error(`${name} is not in the table of methods`);
  return method;
}

async function answerTo(name: string, compat: CompatName): Promise<unknown> {
  const { params, before = [] } = exampleOf(methodOf(name).name);
  const { call } = await createExampleChain({ compat });
  for (const earlier of before) await call(earlier.method, earlier.params);
  return call(name, params);
}

describe('aliases of Hardhat and Anvil', () => {
  it.each(Object.entries(ANSWERS))('%s returns %j in every compat mode', async (name, expected) => {
    for (const compat of ['service', 'anvil', 'hardhat'] as const) {
      expect(await answerTo(name, compat), compat).toEqual(expected);
    }
  });
});

describe('aliases that depend on the compat mode', () => {
  const cases = Object.entries(BY_DIALECT).flatMap(([name, answers]) =>
    Object.entries(answers).map(([compat, answer]) => [name, compat as CompatName, answer] as const),
  );
  it.each(cases)('%s in compat mode %s returns %j', async (name, compat, expected) => {
    expect(await answerTo(name, compat)).toEqual(expected);
  });
});

describe('response schemas of aliases', () => {
  const cases = METHODS.flatMap((method) => method.aliases.map((alias) => [alias, method] as const));
  it.each(cases)('%s returns a response of the documented schema', async (alias, method) => {
    const { error: refusal } = exampleOf(method.name);
    if (refusal !== undefined) {
      await expect(answerTo(alias, 'service')).rejects.toMatchObject(refusal);
      return;
    }
    const schema = method.shapes[alias]?.schema ?? method.result.schema ?? {};
    const { error } = z.fromJSONSchema(schema).safeParse(await answerTo(alias, 'service'));
    expect(error && z.prettifyError(error)).toBeUndefined();
  });
});

it('evm_setIntervalMining reads seconds, or milliseconds in compat mode hardhat', async () => {
  for (const [compat, expected] of [
    ['service', 3000],
    ['anvil', 3000],
    ['hardhat', 3],
  ] as const) {
    const { call, chain } = await createExampleChain({ compat });
    await call('evm_setIntervalMining', [3000]);
    expect(chain.miner.blockTime, compat).toBe(expected);
    await call('evm_setIntervalMining', [[1000, 2500]]);
    expect(chain.miner.blockTime, compat).toEqual({ least: 1, most: 2.5 });
  }
});
