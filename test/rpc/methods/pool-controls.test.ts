import { describe, expect, it } from 'vitest';
import { BOB } from '../../support/test-chain.ts';
import { createRpcHarness } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

const UNKNOWN = `0x${'ee'.repeat(32)}`;

async function createWaiting() {
  const harness = await createRpcHarness({ compat: 'anvil' });
  const { call } = harness;
  const mined = await call('eth_sendTransaction', [{ from: SENDER, to: BOB }]);
  await call('evm_setAutomine', [false]);
  const first = await call('eth_sendTransaction', [{ from: SENDER, to: BOB }]);
  const second = await call('eth_sendTransaction', [{ from: SENDER, to: BOB }]);
  const others = await call('eth_sendTransaction', [{ from: BOB, to: SENDER }]);
  return { ...harness, mined, first, second, others };
}

describe('dropping one transaction', () => {
  it('anvil_dropTransaction queues the later transactions of the sender', async () => {
    const { call, first, second } = await createWaiting();
    expect(await call('anvil_dropTransaction', [first])).toBe(first);
    expect(await call('anvil_dropTransaction', [first])).toBeNull();
    expect(await call('txpool_status')).toEqual({ pending: '0x1', queued: '0x1' });
    expect(await call('eth_getTransactionByHash', [first])).toBeNull();
    expect(await call('eth_getTransactionByHash', [second])).not.toBeNull();
  });

  it('hardhat_dropTransaction returns a boolean, and rejects a mined transaction', async () => {
    const { call, mined, second } = await createWaiting();
    expect(await call('hardhat_dropTransaction', [second])).toBe(true);
    expect(await call('hardhat_dropTransaction', [second])).toBe(false);
    expect(await call('hardhat_dropTransaction', [UNKNOWN])).toBe(false);
    await expect(call('hardhat_dropTransaction', [mined])).rejects.toMatchObject({
      code: -32000,
      message: `Transaction ${mined} cannot be dropped because it's already mined`,
    });
    expect(await call('anvil_dropTransaction', [mined])).toBeNull();
  });
});

describe('dropping many transactions', () => {
  it('anvil_removePoolTransactions removes only the transactions of the sender', async () => {
    const { call, others } = await createWaiting();
    await call('anvil_removePoolTransactions', [SENDER]);
    expect(await call('txpool_status')).toEqual({ pending: '0x1', queued: '0x0' });
    expect(await call('eth_getTransactionByHash', [others])).not.toBeNull();
    await call('anvil_removePoolTransactions', [SENDER]);
  });

  it('anvil_dropAllTransactions empties the pool, and evm_revert restores it', async () => {
    const { call } = await createWaiting();
    const snapshot = await call('evm_snapshot');
    await call('anvil_dropAllTransactions');
    expect(await call('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' });
    expect(await call('eth_getTransactionCount', [SENDER, 'pending'])).toBe('0x1');
    await call('evm_revert', [snapshot]);
    expect(await call('txpool_status')).toEqual({ pending: '0x3', queued: '0x0' });
  });
});
