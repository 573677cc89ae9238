import { describe, expect, it } from 'vitest';
import type { CompatName } from '../../../src/rpc/compat.ts';
import { BOB, CAROL } from '../../support/test-chain.ts';
import { createRpcHarness } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

/** Two pending transactions and a queued one of the sender, and a pending creation. */
async function createWaitingPool(compat: CompatName) {
  const { call } = await createRpcHarness({ compat }, { automine: false });
  const hashes: unknown[] = [];
  for (const fields of [{ nonce: '0x0' }, { nonce: '0x1', gasPrice: '0x80' }, { nonce: '0xa' }]) {
    const transaction = { from: SENDER, to: BOB, gas: '0x5208', value: '0x10000', ...fields };
    hashes.push(await call('eth_sendTransaction', [transaction]));
  }
  hashes.push(await call('eth_sendTransaction', [{ from: CAROL, gas: '0x186a0', data: '0x6001' }]));
  return { call, hashes };
}

describe('pool in compat mode service', () => {
  const bare = (address: string) => address.slice(2);

  it('txpool_content lists each transaction in an array under sender and decimal nonce', async () => {
    const { call, hashes } = await createWaitingPool('service');
    const shared = {
      blockHash: `0x${'00'.repeat(32)}`,
      blockNumber: null,
      transactionIndex: null,
      from: SENDER,
      to: BOB,
      gas: '0x5208',
      gasPrice: '0x00',
      value: '0x010000',
      input: '0x',
    };
    expect(await call('txpool_content')).toEqual({
      pending: {
        [bare(SENDER)]: {
          0: [{ ...shared, hash: hashes[0], nonce: '0x0' }],
          1: [{ ...shared, hash: hashes[1], nonce: '0x1', gasPrice: '0x80' }],
        },
        [bare(CAROL)]: {
          0: [
            {
              ...shared,
              hash: hashes[3],
              from: CAROL,
              to: '0x00',
              nonce: '0x0',
              gas: '0x186a0',
              value: '0x00',
              input: '0x6001',
            },
          ],
        },
      },
      queued: { [bare(SENDER)]: { 10: [{ ...shared, hash: hashes[2], nonce: '0xa' }] } },
    });
  });

  it('txpool_inspect summarizes each transaction, and txpool_status returns numbers', async () => {
    const { call } = await createWaitingPool('service');
    const line = `${bare(BOB)}: 65536 wei + 21000 x 0 gas`;
    expect(await call('txpool_inspect')).toEqual({
      pending: {
        [bare(SENDER)]: { 0: [line], 1: [`${bare(BOB)}: 65536 wei + 21000 x 128 gas`] },
        [bare(CAROL)]: { 0: [': 0 wei + 100000 x 0 gas'] },
      },
      queued: { [bare(SENDER)]: { 10: [line] } },
    });
    expect(await call('txpool_status')).toEqual({ pending: 3, queued: 1 });
  });
});

describe.each(['anvil', 'hardhat'] as const)('pool in compat mode %s', (compat) => {
  it('txpool_content lists each transaction like eth_getTransactionByHash', async () => {
    const { call, hashes } = await createWaitingPool(compat);
    const listed = await Promise.all(hashes.map((hash) => call('eth_getTransactionByHash', [hash])));
    expect(await call('txpool_content')).toEqual({
      pending: { [SENDER]: { 0: listed[0], 1: listed[1] }, [CAROL]: { 0: listed[3] } },
      queued: { [SENDER]: { 10: listed[2] } },
    });
  });

  it('txpool_inspect summarizes each transaction, and txpool_status returns quantities', async () => {
    const { call } = await createWaitingPool(compat);
    const line = `${BOB}: 65536 wei + 21000 gas × 0 wei`;
    expect(await call('txpool_inspect')).toEqual({
      pending: {
        [SENDER]: { 0: line, 1: `${BOB}: 65536 wei + 21000 gas × 128 wei` },
        [CAROL]: { 0: 'contract creation: 0 wei + 100000 gas × 0 wei' },
      },
      queued: { [SENDER]: { 10: line } },
    });
    expect(await call('txpool_status')).toEqual({ pending: '0x3', queued: '0x1' });
  });
});

it('pool methods return empty lists for an empty pool', async () => {
  const { call } = await createRpcHarness();
  expect(await call('txpool_content')).toEqual({ pending: {}, queued: {} });
  expect(await call('txpool_inspect')).toEqual({ pending: {}, queued: {} });
  expect(await call('txpool_status')).toEqual({ pending: 0, queued: 0 });
});
