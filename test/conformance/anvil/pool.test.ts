import { describe, expect } from 'vitest';
import { ported } from './ported.ts';
import { list, openNode, pick, quantity } from './scene.ts';

const GAS_PRICE = 221_435_145_689n;
const gasPrice = quantity(GAS_PRICE);

describe('txpool methods', () => {
  ported('txpool::geth_txpool', 'list pending transactions by sender and nonce', async () => {
    const { automine, send, alice, rpc } = await openNode();
    await automine(false);
    for (let nonce = 0; nonce < 10; nonce++) await send({ to: alice, value: '0x2a', gasPrice });

    expect(await rpc('txpool_status')).toEqual({ pending: '0xa', queued: '0x0' });
    const inspect = await rpc('txpool_inspect');
    expect(pick(inspect, 'queued')).toEqual({});
    const summaries = Object.values(Object(pick(inspect, 'pending')))[0];
    for (let nonce = 0; nonce < 10; nonce++)
      expect(pick(summaries, String(nonce))).toMatch(
        new RegExp(`^${alice}: 42 wei \\+ 21000 gas . ${GAS_PRICE} wei$`, 'i'),
      );
    const content = Object.values(Object(pick(await rpc('txpool_content'), 'pending')))[0];
    expect(Object.keys(Object(content))).toHaveLength(10);
  });

  ported('txpool::geth_txpool_separates_queued_transactions', 'separate queued transactions', async () => {
    const { automine, send, bob, rpc } = await openNode();
    await automine(false);
    await send({ to: bob, value: '0x2a', gasPrice, nonce: '0x0' });
    await send({ to: bob, value: '0x54', gasPrice, nonce: '0x2' });

    expect(await rpc('txpool_status')).toEqual({ pending: '0x1', queued: '0x1' });
    for (const method of ['txpool_inspect', 'txpool_content']) {
      const pool = await rpc(method);
      const keysOf = (part: string) =>
        Object.values(Object(pick(pool, part))).map((each) => Object.keys(Object(each)));
      expect(keysOf('pending')).toEqual([['0']]);
      expect(keysOf('queued')).toEqual([['2']]);
    }
  });

  ported('txpool::can_debug_clear_txpool', 'see an empty pool after debug_clearTxpool', async () => {
    const { automine, send, bob, rpc } = await openNode();
    await automine(false);
    await send({ to: bob, gasPrice, nonce: '0x0' });
    await send({ to: bob, gasPrice, nonce: '0x2' });

    await rpc('debug_clearTxpool');

    expect(await rpc('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' });
  });

  ported('txpool::geth_txpool_content_from_filters_sender', 'list the transactions of a sender', async () => {
    const { automine, send, alice, bob, accounts, rpc } = await openNode();
    const [, , third, fourth] = accounts;
    await automine(false);
    await send({ to: third, gasPrice, nonce: '0x0' });
    await send({ to: third, gasPrice, nonce: '0x2' });
    await send({ from: bob, to: third, gasPrice, nonce: '0x0' });

    expect(await rpc('txpool_contentFrom', alice)).toMatchObject({
      pending: { 0: { from: alice } },
      queued: { 2: { from: alice } },
    });
    expect(await rpc('txpool_contentFrom', bob)).toMatchObject({ pending: { 0: { from: bob } }, queued: {} });
    expect(await rpc('txpool_contentFrom', fourth)).toEqual({ pending: {}, queued: {} });
  });

  ported(
    'txpool::can_filter_full_pending_transactions',
    'leave filters of hashes and of objects',
    async () => {
      const { automine, send, alice, rpc } = await openNode();
      await automine(false);
      const hashes = await rpc('eth_newPendingTransactionFilter', false);
      const objects = await rpc('eth_newPendingTransactionFilter', true);

      const hash = await send({ to: alice, value: '0x2a' });

      expect(await rpc('eth_getFilterChanges', hashes)).toEqual([hash]);
      expect(list(await rpc('eth_getFilterChanges', objects))).toMatchObject([{ hash, value: '0x2a' }]);
    },
  );
});
