import { describe, expect } from 'vitest';
import { ported } from './ported.ts';
import {
  addressWord,
  big,
  list,
  openNode,
  pick,
  quantity,
  randomAddress,
  STORE,
  storeCreation,
  subscribe,
  text,
} from './scene.ts';

const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`;
const ONE_LOG = '0x60006000a000';
const TWO_LOGS = '0x60006000a060006000a000';

describe('logs', () => {
  ported('logs::get_past_events', 'are found by topic, and by block hash', async () => {
    const { mined, rpc, alice, block } = await openNode();
    const address = text(await mined({ data: storeCreation(7) }), 'contractAddress');
    await mined({ to: address, data: word(8) });
    const topics = [addressWord(alice)];

    const logs = list(await rpc('eth_getLogs', { address, topics, fromBlock: '0x0' }));
    expect(logs.map((log) => big(log, 'data'))).toEqual([7n, 8n]);

    const blockHash = text(await block(1), 'hash');
    expect(list(await rpc('eth_getLogs', { address, topics, blockHash }))).toMatchObject([{ data: word(7) }]);
  });

  ported('logs::get_all_events', 'equal the logs of the receipts', async () => {
    const { mined, rpc, send, mine, automine } = await openNode();
    const to = text(await mined({ data: storeCreation(7) }), 'contractAddress');
    await automine(false);
    for (const fromBlock of ['earliest', '0x0'])
      expect(list(await rpc('eth_getLogs', { fromBlock }))).toHaveLength(1);
    for (let index = 0; index < 10; index++) {
      await send({ to, data: word(index) });
      await mine();
    }

    const logs = list(await rpc('eth_getLogs', { fromBlock: 'earliest' }));

    expect(logs).toHaveLength(11);
    for (const log of logs) {
      const receipt = await rpc('eth_getTransactionReceipt', text(log, 'transactionHash'));
      expect(pick(receipt, 'logs')).toEqual([log]);
    }
  });

  ported(
    'logs::get_block_receipts_assigns_log_indices',
    'have indexes that count through a block',
    async () => {
      const { rpc, send, mine, automine } = await openNode();
      const [one, two] = [randomAddress(), randomAddress()];
      await rpc('anvil_setCode', one, ONE_LOG);
      await rpc('anvil_setCode', two, TWO_LOGS);
      await automine(false);
      for (const to of [one, randomAddress(), two]) await send({ to, gas: quantity(30_000) });
      await mine();

      const receipts = list(await rpc('eth_getBlockReceipts', 'latest'));

      expect(receipts.map((receipt) => list(receipt, 'logs').map((log) => pick(log, 'logIndex')))).toEqual([
        ['0x0'],
        [],
        ['0x1', '0x2'],
      ]);
      for (const receipt of receipts)
        expect(await rpc('eth_getTransactionReceipt', text(receipt, 'transactionHash'))).toEqual(receipt);
    },
  );

  ported('logs::watch_events', 'reach filters and subscriptions', async () => {
    const node = await openNode();
    const address = text(await node.mined({ data: storeCreation(7) }), 'contractAddress');
    const filter = await node.rpc('eth_newFilter', { address });
    const subscription = await subscribe(node, 'logs', { address });

    for (let index = 0; index < 3; index++) {
      await node.mined({ to: address, data: word(index) });
      const [log] = list(await node.rpc('eth_getFilterChanges', filter));
      expect(log).toMatchObject({ data: word(index), blockNumber: quantity(index + 2) });
      expect(await subscription.next()).toEqual(log);
      expect(pick(log, 'blockHash')).toBe(pick(await node.block(), 'hash'));
    }
  });

  ported(
    'logs::get_filter_changes_reorg_removed',
    'are returned again as removed after a reorg',
    async () => {
      const { mined, rpc } = await openNode();
      const address = text(await mined({ data: storeCreation(7) }), 'contractAddress');
      const filter = await rpc('eth_newFilter', { address });
      await mined({ to: address, data: word(8) });
      const [log] = list(await rpc('eth_getFilterChanges', filter));
      expect(log).toMatchObject({ removed: false });

      await rpc('anvil_reorg', 1, []);

      expect(await rpc('eth_getFilterChanges', filter)).toEqual([{ ...Object(log), removed: true }]);
      const logs = list(await rpc('eth_getLogs', { address, fromBlock: 'earliest' }));
      expect(logs).toMatchObject([{ removed: false, data: word(7) }]);
    },
  );

  ported(
    'logs::get_logs_unknown_block_hash_returns_error',
    'of an unknown block hash are an error',
    async () => {
      const { failure } = await openNode();

      expect((await failure('eth_getLogs', { blockHash: word(1) })).message).toContain('unknown block');
    },
  );
});

describe('subscriptions', () => {
  ported('pubsub::test_sub_new_heads', 'send new heads', async () => {
    const node = await openNode();
    const heads = await subscribe(node, 'newHeads');

    await node.rpc('anvil_mine', 3);

    for (const number of [1, 2, 3]) expect(await heads.next()).toMatchObject({ number: quantity(number) });
  });

  for (const [name, fields] of [
    ['test_sub_logs', {}],
    ['test_sub_logs_legacy', { gasPrice: quantity(2n * 10n ** 9n) }],
  ] as const)
    ported(`pubsub::${name}`, `send the logs of the receipt: ${name}`, async () => {
      const node = await openNode();
      const address = await node.deploy(STORE);
      const logs = await subscribe(node, 'logs', { address });

      const receipt = await node.mined({ to: address, data: word(5), ...fields });

      expect(await logs.next()).toEqual(pick(receipt, 'logs.0'));
    });

  ported('pubsub::test_sub_logs_impersonated', 'send the logs of an impersonated sender', async () => {
    const node = await openNode();
    const from = randomAddress();
    await node.rpc('anvil_setBalance', from, quantity(10n ** 18n));
    await node.rpc('anvil_impersonateAccount', from);
    const address = await node.deploy(STORE);
    const logs = await subscribe(node, 'logs', { address });

    const receipt = await node.mined({ from, to: address, data: word(5) });

    expect(await logs.next()).toEqual(pick(receipt, 'logs.0'));
  });

  ported('pubsub::test_sub_logs_reorg_removed', 'send removed logs from the oldest block on', async () => {
    const node = await openNode();
    const address = await node.deploy(STORE);
    const logs = await subscribe(node, 'logs', { address });
    await node.mined({ to: address, data: word(1) });
    await node.mined({ to: address, data: word(2) });
    const [first, second] = [await logs.next(), await logs.next()];

    await node.rpc('anvil_reorg', 2, [[{ from: node.alice, to: address, data: word(3) }, 0]]);

    expect(await logs.next()).toEqual({ ...Object(first), removed: true });
    expect(await logs.next()).toEqual({ ...Object(second), removed: true });
    const added = await logs.next();
    expect(added).toMatchObject({ removed: false, data: word(3), blockNumber: pick(first, 'blockNumber') });
    expect(pick(added, 'blockHash')).not.toBe(pick(first, 'blockHash'));
    const canonical = list(await node.rpc('eth_getLogs', { address, fromBlock: '0x0' }));
    expect(canonical).toEqual([added]);
  });

  for (const [name, fields] of [
    ['test_filters', {}],
    ['test_filters_legacy', { gasPrice: quantity(2n * 10n ** 9n) }],
  ] as const)
    ported(`pubsub::${name}`, `filter by topic: ${name}`, async () => {
      const node = await openNode();
      const address = await node.deploy(STORE);
      const logs = await subscribe(node, 'logs', { address, topics: [addressWord(node.alice)] });

      await node.mined({ from: node.bob, to: address, data: word(4), ...fields });
      await node.mined({ to: address, data: word(5), ...fields });

      expect(await logs.next()).toMatchObject({ data: word(5) });
    });

  ported('pubsub::test_subscriptions', 'send blocks of interval mining', async () => {
    const node = await openNode({ blockTime: 1 });
    const heads = await subscribe(node, 'newHeads');

    const first = Number(pick(await heads.next(), 'number'));

    expect(await heads.next()).toMatchObject({ number: quantity(first + 1) });
  });

  ported('pubsub::test_sub_syncing_delivers_initial_status', 'send the sync status first', async () => {
    const syncing = await subscribe(await openNode(), 'syncing');

    expect(await syncing.next()).toBe(false);
  });

  ported('pubsub::test_sub_transaction_receipts', 'send receipts, all or of some transactions', async () => {
    const node = await openNode();
    await node.automine(false);
    const first = await node.send({ to: node.bob, value: '0x1' });
    const second = await node.send({ to: node.bob, value: '0x2' });
    const all = await subscribe(node, 'transactionReceipts');
    const some = await subscribe(node, 'transactionReceipts', { transactionHashes: [second] });

    await node.mine();

    expect(await all.next()).toMatchObject([{ transactionHash: first }, { transactionHash: second }]);
    expect(await some.next()).toMatchObject([{ transactionHash: second }]);
  });

  ported('pubsub::test_sub_new_heads_fast', 'send a thousand heads in order', async () => {
    const node = await openNode();
    const heads = await subscribe(node, 'newHeads');

    for (let number = 1; number <= 1_000; number += 100) await node.rpc('anvil_mine', 100);

    for (let number = 1; number <= 1_000; number++)
      expect(await heads.next()).toMatchObject({ number: quantity(number) });
  });
});
