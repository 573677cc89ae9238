import { describe, expect, it, vi } from 'vitest';
import { listenersOf } from '../../support/listeners.ts';
import { BOB } from '../../support/test-chain.ts';
import { createRpcHarness, testConnection } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

/** A harness with a subscription and its notifications. */
async function subscribed(...params: unknown[]) {
  const harness = await createRpcHarness();
  const connection = testConnection('websocket');
  const id = await harness.call('eth_subscribe', params, connection);
  const send = () => harness.call('eth_sendTransaction', [{ from: SENDER, to: BOB }]);
  const told = () => connection.sent.map(({ params: sent }) => (sent as { result: unknown }).result);
  return { ...harness, connection, id, send, told };
}

describe('newPendingTransactions subscription', () => {
  it('newPendingTransactions sends hashes, or full transactions on request', async () => {
    for (const params of [[], [false], [null]]) {
      const { send, told } = await subscribed('newPendingTransactions', ...params);
      expect([await send()]).toEqual(told());
    }
    const { send, told } = await subscribed('newPendingTransactions', true);
    const hash = await send();
    expect(told()).toMatchObject([{ hash, from: SENDER, to: BOB, blockHash: null }]);
  });
});

describe('newHeads subscription with a pause', () => {
  it('newHeads with a pause sends only the newest head, also after a revert', async () => {
    const harness = await createRpcHarness();
    const { time } = harness;
    const connection = testConnection('websocket');
    await harness.call('eth_subscribe', ['newHeads', { pause: 250 }], connection);
    const told = () =>
      connection.sent.map(({ params }) => (params as { result: { number: string } }).result.number);
    const snapshot = await harness.call('evm_snapshot');
    await harness.call('hardhat_mine', ['0x186a0']);
    expect(told()).toEqual([]);
    await time.advance(10);
    expect(told()).toEqual(['0x186a0']);
    await harness.call('evm_mine');
    await harness.call('evm_mine');
    await time.advance(249);
    expect(told()).toHaveLength(1);
    await time.advance(1);
    expect(told()).toEqual(['0x186a0', '0x186a2']);
    await harness.call('evm_revert', [snapshot]);
    await time.advance(250);
    expect(told()).toEqual(['0x186a0', '0x186a2', '0x0']);
  });
});

describe('transactionReceipts subscription', () => {
  it('transactionReceipts sends the receipts of each block in one list', async () => {
    const { call, chain, send, told } = await subscribed('transactionReceipts');
    chain.miner.setMode({ automine: false, blockTime: null });
    const hashes = [await send(), await send()];
    await call('evm_mine');
    await call('evm_mine');
    const receipts = await Promise.all(hashes.map((hash) => call('eth_getTransactionReceipt', [hash])));
    expect(JSON.parse(JSON.stringify(told()))).toEqual([receipts]);
  });

  it('transactionReceipts sends the receipts of a long block before later receipts', async () => {
    const { chain, call, send, told } = await subscribed('transactionReceipts');
    chain.miner.setMode({ automine: false, blockTime: null });
    for (let sent = 0; sent < 100; sent++) await send();
    await call('evm_mine');
    await send();
    await call('evm_mine');
    await vi.waitFor(() => expect(told()).toHaveLength(2));
    expect((told() as unknown[][]).map(({ length }) => length)).toEqual([100, 1]);
  });

  it('transactionReceipts sends only the receipts of the given transactions', async () => {
    const first = await createRpcHarness();
    await first.call('eth_sendTransaction', [{ from: SENDER, to: BOB }]);
    const wanted = await first.call('eth_sendTransaction', [{ from: SENDER, to: BOB }]);
    const { send, told } = await subscribed('transactionReceipts', { transactionHashes: [wanted] });
    for (let sent = 0; sent < 3; sent++) await send();
    expect(told()).toMatchObject([[{ transactionHash: wanted }]]);
  });

  it('transactionReceipts ends after eth_unsubscribe', async () => {
    const { call, connection, id, send, told } = await subscribed('transactionReceipts');
    expect(await call('eth_unsubscribe', [id], connection)).toBe(true);
    await send();
    expect(told()).toEqual([]);
  });
});

describe('subscription options', () => {
  it.each([
    ['newPendingTransactions', 'yes', /params: options:/],
    ['transactionReceipts', { transactionHashes: ['0x1'] }, /params: options\.transactionHashes\[0\]:/],
    ['transactionReceipts', { transactionHashes: Array(201).fill(`0x${'11'.repeat(32)}`) }, /at most 200/],
    ['logs', { address: '0x1' }, /params: options\.address:/],
  ])('eth_subscribe rejects %s with options %j', async (kind, options, message) => {
    await expect(subscribed(kind, options)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(message),
    });
  });
});

describe('end of a subscription', () => {
  it.each([
    [['newHeads']],
    [['newHeads', { pause: 250 }]],
    [['logs', {}]],
    [['newPendingTransactions']],
    [['transactionReceipts']],
    [['syncing']],
  ])('ending the subscription %j removes all listeners and sends no more notifications', async (params) => {
    for (const close of [false, true]) {
      const harness = await createRpcHarness();
      const listeners = listenersOf(harness.chain.events);
      const connection = testConnection('websocket');
      const id = await harness.call('eth_subscribe', params, connection);
      expect(listeners.size).toBeGreaterThan(0);
      await harness.call('eth_sendTransaction', [{ from: SENDER, to: BOB }]);
      if (close) connection.close();
      else expect(await harness.call('eth_unsubscribe', [id], connection)).toBe(true);
      expect(listeners.size).toBe(0);
      connection.sent.length = 0;
      await harness.call('eth_sendTransaction', [{ from: SENDER, to: BOB }]);
      await harness.time.advance(1_000);
      expect(connection.sent).toEqual([]);
    }
  });

  it('eth_unsubscribe returns true once, and only for subscriptions of the same connection', async () => {
    const harness = await createRpcHarness();
    const [own, other] = [testConnection('websocket'), testConnection('websocket')];
    const id = await harness.call('eth_subscribe', ['newHeads'], own);
    expect(await harness.call('eth_unsubscribe', [id], other)).toBe(false);
    expect(await harness.call('eth_unsubscribe', [id], own)).toBe(true);
    expect(await harness.call('eth_unsubscribe', [id], own)).toBe(false);
  });
});
