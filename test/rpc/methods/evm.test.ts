import { describe, expect, it } from 'vitest';
import { TEST_START } from '../../support/test-chain.ts';
import { createRpcHarness, testConnection } from '../rpc-harness.ts';
import { deploy, SENDER } from './contract.ts';

describe('evm_reset', () => {
  it('evm_reset returns to the genesis with an empty pool and no snapshots', async () => {
    const { call } = await createRpcHarness();
    const start = await call('eth_getBlockByNumber', ['latest']);
    await call('eth_sendTransaction', [{ from: SENDER, to: SENDER }]);
    await call('eth_sendTransaction', [{ from: SENDER, to: SENDER, nonce: '0x9' }]);
    const snapshot = await call('evm_snapshot');
    await call('evm_increaseTime', ['0x64']);
    await call('evm_stopMining');
    expect(await call('evm_reset')).toBeNull();
    expect(await call('eth_getBlockByNumber', ['latest'])).toEqual(start);
    expect(await call('txpool_status')).toEqual({ pending: 0, queued: 0 });
    expect(await call('evm_revert', [snapshot])).toBe(false);
    expect(await call('evm_increaseTime', ['0x0'])).toBe('0x0');
    expect(await call('eth_mining')).toBe(true);
    expect(await call('eth_getTransactionCount', [SENDER, 'pending'])).toBe('0x0');
  });

  it('evm_reset notifies subscriptions of removed logs', async () => {
    const harness = await createRpcHarness();
    const counter = await deploy(harness, 'Counter');
    const connection = testConnection('websocket');
    const subscription = await harness.call('eth_subscribe', ['logs'], connection);
    await harness.call('eth_sendTransaction', [
      { from: SENDER, to: counter.address, data: counter.data('increment') },
    ]);
    await harness.call('evm_reset');
    const log = { address: counter.address, blockNumber: '0x2' };
    expect(connection.sent.map(({ params }) => params)).toMatchObject([
      { subscription, result: { ...log, removed: false } },
      { subscription, result: { ...log, removed: true } },
    ]);
  });
});

describe('evm_stopMining and evm_startMining', () => {
  it('evm_stopMining keeps transactions pending, and evm_startMining mines them', async () => {
    const { call } = await createRpcHarness();
    expect(await call('evm_stopMining')).toBeNull();
    expect(await call('eth_mining')).toBe(false);
    const hash = await call('eth_sendTransaction', [{ from: SENDER, to: SENDER }]);
    expect(await call('eth_getTransactionReceipt', [hash])).toBeNull();
    expect(await call('evm_startMining')).toBeNull();
    expect(await call('eth_mining')).toBe(true);
    expect(await call('eth_getTransactionReceipt', [hash])).toMatchObject({ blockNumber: '0x1' });
  });

  it('evm_mine works while mining is stopped', async () => {
    const { call } = await createRpcHarness();
    await call('evm_stopMining');
    const hash = await call('eth_sendTransaction', [{ from: SENDER, to: SENDER }]);
    expect(await call('evm_mine')).toBeNull();
    expect(await call('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' });
  });
});

describe('evm_increaseTime', () => {
  it.each([
    ['service', '0xe10', '0x0'],
    ['anvil', 3600, -5099],
    ['hardhat', '3600', '-5099'],
  ] as const)(
    'evm_increaseTime returns the total in the format of compat mode %s',
    async (compat, ahead, setBack) => {
      const { call, time } = await createRpcHarness({ compat });
      expect(await call('evm_increaseTime', [3600])).toBe(ahead);
      await time.advance(5_100_000);
      await call('evm_mine', [{ timestamp: TEST_START / 1000 + 1 }]);
      expect(await call('evm_increaseTime', [0])).toBe(setBack);
    },
  );
});

it('hardhat_reset changes the instance id, but evm_revert does not', async () => {
  const { call } = await createRpcHarness();
  const instance = async () =>
    ((await call('hardhat_metadata')) as { readonly instanceId: string }).instanceId;
  const first = await instance();
  await call('evm_revert', [await call('evm_snapshot')]);
  expect(await instance()).toBe(first);
  await call('hardhat_reset');
  const second = await instance();
  expect(second).toMatch(/^0x[0-9a-f]{64}$/);
  expect(second).not.toBe(first);
});
