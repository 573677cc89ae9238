import { describe, expect, it, vi } from 'vitest';
import { LogRecord } from '../../../src/storage/log-record.ts';
import { word } from '../../support/words.ts';
import { createRpcHarness, type RpcHarness, testConnection } from '../rpc-harness.ts';
import { type DeployedContract, deploy, SENDER } from './contract.ts';

async function increase(harness: RpcHarness, counter: DeployedContract, step: bigint): Promise<unknown> {
  const data = counter.data('increase', step);
  return harness.call('eth_sendTransaction', [{ from: SENDER, to: counter.address, data }]);
}

interface RemovedLog {
  readonly blockNumber: string;
  readonly removed: boolean;
}

describe('eth_getLogs', () => {
  it('finds logs by range, emitter, topics and block hash', async () => {
    const harness = await createRpcHarness();
    const { call, chain } = harness;
    const counter = await deploy(harness, 'Counter');
    const other = await deploy(harness, 'Counter');
    for (const step of [1n, 2n]) await increase(harness, counter, step);
    const hash = await increase(harness, other, 3n);
    const find = async (filter: object) => {
      const logs = (await call('eth_getLogs', [filter])) as { readonly topics: readonly string[] }[];
      return logs.map(({ topics }) => Number(topics[2]));
    };
    expect(await find({})).toEqual([3]);
    expect(await find({ fromBlock: 'earliest' })).toEqual([1, 2, 3]);
    expect(await find({ fromBlock: '0x3', toBlock: '0x3' })).toEqual([1]);
    expect(await find({ fromBlock: 0, toBlock: '0xffffff', address: counter.address })).toEqual([1, 2]);
    expect(await find({ fromBlock: 'earliest', topics: [null, null, [word(1), word(3)]] })).toEqual([1, 3]);
    // Clients that follow the head request the block after it.
    expect(await find({ fromBlock: '0x99' })).toEqual([]);
    expect(await find({ fromBlock: '0x6', toBlock: 'latest' })).toEqual([]);
    const blockHash = `0x${Buffer.from(chain.head().hash).toString('hex')}`;
    expect(await find({ blockHash })).toEqual([3]);
    expect(await call('eth_getLogs', [{}])).toMatchObject([
      {
        address: other.address,
        blockHash,
        blockNumber: '0x5',
        transactionHash: hash,
        transactionIndex: '0x0',
        logIndex: '0x0',
        removed: false,
        data: word(3),
      },
    ]);
  });

  it('accepts a search within one of the limits and rejects a search beyond both', async () => {
    const logLimits = { blocks: 3, logs: 2 };
    const harness = await createRpcHarness({ logLimits });
    const counter = await deploy(harness, 'Counter');
    for (let step = 1n; step <= 4n; step++) await increase(harness, counter, step);
    const find = (filter: object) => harness.call('eth_getLogs', [filter]);
    await expect(find({ fromBlock: '0x3' })).resolves.toHaveLength(3);
    await expect(find({ fromBlock: '0x0', toBlock: '0x3' })).resolves.toHaveLength(2);
    await expect(find({ fromBlock: '0x0' })).rejects.toMatchObject({
      code: -32012,
      message: expect.stringMatching(
        /the range \(block count: 6\) contains too many logs.*3 blocks or 2 logs/,
      ),
    });
  });

  it.each([
    ['service', -32600, 'not found'],
    ['anvil', -32000, 'unknown block'],
    ['hardhat', -32602, 'blockHash cannot be found'],
  ] as const)(
    'eth_getLogs rejects an unknown block hash in compat mode %s with %i',
    async (compat, code, words) => {
      const { call } = await createRpcHarness({ compat });
      const answer = call('eth_getLogs', [{ blockHash: `0x${'ee'.repeat(32)}` }]);
      await expect(answer).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
    },
  );

  it.each(['service', 'anvil', 'hardhat'] as const)(
    'eth_getLogs and eth_newFilter reject an inverted range in compat mode %s',
    async (compat) => {
      const { call } = await createRpcHarness({ compat });
      for (const method of ['eth_getLogs', 'eth_newFilter']) {
        for (const range of [
          { fromBlock: '0x5', toBlock: '0x3' },
          { fromBlock: '0x1', toBlock: 'earliest' },
        ]) {
          await expect(call(method, [range])).rejects.toMatchObject({
            code: -32602,
            message: expect.stringMatching(/params: filter.toBlock: expected fromBlock or a later block/),
          });
        }
      }
    },
  );

  it('a log limit of 0 disables the limit', async () => {
    const harness = await createRpcHarness({ logLimits: { blocks: 1, logs: 0 } });
    const counter = await deploy(harness, 'Counter');
    for (let step = 1n; step <= 4n; step++) await increase(harness, counter, step);
    await expect(harness.call('eth_getLogs', [{ fromBlock: 'earliest' }])).resolves.toHaveLength(4);
  });
});

describe('block timestamp of logs', () => {
  it.each(['service', 'anvil', 'hardhat'] as const)(
    'logs and mined transactions have a block timestamp in compat mode %s',
    async (compat) => {
      const harness = await createRpcHarness({ compat });
      const { call, chain } = harness;
      const counter = await deploy(harness, 'Counter');
      const connection = testConnection('websocket');
      await call('eth_subscribe', ['logs', {}], connection);
      const filterId = await call('eth_newFilter', [{}]);
      const snapshot = await call('evm_snapshot');
      const hash = await increase(harness, counter, 1n);
      const { number, timestamp } = chain.head().header;
      const stamped = [
        { blockNumber: `0x${number.toString(16)}`, blockTimestamp: `0x${timestamp.toString(16)}` },
      ];
      expect(await call('eth_getLogs', [{}])).toMatchObject(stamped);
      expect(await call('eth_getFilterLogs', [filterId])).toMatchObject(stamped);
      expect(await call('eth_getFilterChanges', [filterId])).toMatchObject(stamped);
      expect(await call('eth_getTransactionReceipt', [hash])).toMatchObject({ logs: stamped });
      expect(await call('eth_getBlockReceipts', ['latest'])).toMatchObject([{ logs: stamped }]);
      expect(await call('eth_getTransactionByHash', [hash])).toMatchObject(stamped[0] ?? {});
      expect(await call('eth_getBlockByNumber', ['latest', true])).toMatchObject({ transactions: stamped });
      await call('evm_revert', [snapshot]);
      expect(await call('eth_getFilterChanges', [filterId])).toMatchObject([
        { ...stamped[0], removed: true },
      ]);
      expect(connection.sent.map(({ params }) => params)).toMatchObject([
        { result: { ...stamped[0], removed: false } },
        { result: { ...stamped[0], removed: true } },
      ]);
    },
  );
});

describe('receipt of a transaction in a full block', () => {
  it('eth_getTransactionReceipt decodes only the logs of its transaction', async () => {
    const harness = await createRpcHarness({}, { automine: false });
    const { call } = harness;
    await call('evm_setAutomine', [true]);
    const counter = await deploy(harness, 'Counter');
    await call('evm_setAutomine', [false]);
    const hashes: unknown[] = [];
    for (let step = 1n; step <= 40n; step++) hashes.push(await increase(harness, counter, step));
    await call('evm_mine');
    const decoded = vi.spyOn(LogRecord.prototype, 'place');
    const looked = vi.spyOn(LogRecord.prototype, 'transactionIndex');
    for (const [index, hash] of hashes.entries()) {
      const position = `0x${index.toString(16)}`;
      expect(await call('eth_getTransactionReceipt', [hash])).toMatchObject({
        logs: [{ logIndex: position, transactionIndex: position, topics: { 2: word(index + 1) } }],
      });
    }
    // A new block has its logs in memory. A binary search finds the first log of a transaction.
    expect(decoded).not.toHaveBeenCalled();
    expect(looked.mock.calls.length).toBeLessThanOrEqual(hashes.length * Math.ceil(Math.log2(41)));
    vi.restoreAllMocks();
  });
});

describe('eth_subscribe', () => {
  it('eth_subscribe is rejected over HTTP with the remedy', async () => {
    const { call } = await createRpcHarness();
    for (const method of ['eth_subscribe', 'eth_unsubscribe']) {
      await expect(call(method, ['newHeads'])).rejects.toMatchObject({
        code: -32601,
        message: expect.stringContaining('WebSocket'),
      });
    }
  });

  it('eth_subscribe sends new heads, pending transactions, and no sync status', async () => {
    const { call } = await createRpcHarness();
    const connection = testConnection('websocket');
    expect(await call('eth_subscribe', ['newHeads'], connection)).toBe(`0x${'01'.repeat(16)}`);
    expect(await call('eth_subscribe', ['newPendingTransactions'], connection)).toBe(`0x${'02'.repeat(16)}`);
    expect(await call('eth_subscribe', ['syncing'], connection)).toBe(`0x${'03'.repeat(16)}`);
    const hash = await call('eth_sendTransaction', [{ from: SENDER, to: SENDER }]);
    expect(connection.sent).toMatchObject([
      { method: 'eth_subscription', params: { subscription: `0x${'02'.repeat(16)}`, result: hash } },
      {
        method: 'eth_subscription',
        params: { subscription: `0x${'01'.repeat(16)}`, result: { number: '0x1' } },
      },
    ]);
    expect(connection.sent[1]).not.toHaveProperty('params.result.transactions');
  });

  it('removed logs are sent oldest block first, in subscriptions and filters', async () => {
    const harness = await createRpcHarness();
    const counter = await deploy(harness, 'Counter');
    const connection = testConnection('websocket');
    const filter = { address: counter.address };
    await harness.call('eth_subscribe', ['logs', filter], connection);
    const id = await harness.call('eth_newFilter', [filter]);
    const snapshot = await harness.call('evm_snapshot');
    for (const step of [1n, 2n, 3n]) await increase(harness, counter, step);
    await harness.call('eth_getFilterChanges', [id]);

    await harness.call('evm_revert', [snapshot]);

    const removed = connection.sent.map(({ params }) => (params as { result: RemovedLog }).result).slice(3);
    const changes = (await harness.call('eth_getFilterChanges', [id])) as RemovedLog[];
    for (const logs of [removed, changes]) {
      expect(logs.map(({ blockNumber }) => blockNumber)).toEqual(['0x2', '0x3', '0x4']);
      expect(logs.every((log) => log.removed)).toBe(true);
    }
  });

  it.each(['anvil', 'service', 'hardhat'] as const)(
    'eth_subscribe syncing sends the status immediately in compat mode %s only if it is anvil',
    async (compat) => {
      const { call } = await createRpcHarness({ compat });
      const connection = testConnection('websocket');
      const subscription = await call('eth_subscribe', ['syncing'], connection);
      await new Promise((resolve) => setImmediate(resolve));
      const status = { method: 'eth_subscription', params: { subscription, result: false } };
      expect(connection.sent).toEqual(compat === 'anvil' ? [status] : []);
    },
  );

  it('eth_subscribe logs sends matching logs, and sends them again as removed after a revert', async () => {
    const harness = await createRpcHarness();
    const counter = await deploy(harness, 'Counter');
    const connection = testConnection('websocket');
    const filter = { address: counter.address, topics: [null, null, word(2)] };
    await harness.call('eth_subscribe', ['logs', filter], connection);
    const snapshot = await harness.call('evm_snapshot');
    for (const step of [1n, 2n]) await increase(harness, counter, step);
    await harness.call('evm_revert', [snapshot]);
    expect(connection.sent.map(({ params }) => params)).toMatchObject([
      { result: { removed: false, topics: { 2: word(2) } } },
      { result: { removed: true, topics: { 2: word(2) } } },
    ]);
  });

  it('a subscription ends with eth_unsubscribe of its connection, or with the connection', async () => {
    const { call } = await createRpcHarness();
    const connection = testConnection('websocket');
    const first = await call('eth_subscribe', ['newHeads'], connection);
    await call('eth_subscribe', ['newHeads'], connection);
    expect(await call('eth_unsubscribe', [first], testConnection('websocket'))).toBe(false);
    expect(await call('eth_unsubscribe', [first], connection)).toBe(true);
    expect(await call('eth_unsubscribe', [first], connection)).toBe(false);
    await call('evm_mine');
    expect(connection.sent).toHaveLength(1);
    connection.close();
    await call('evm_mine');
    expect(connection.sent).toHaveLength(1);
  });

  it('eth_subscribe rejects an unknown kind', async () => {
    const { call } = await createRpcHarness();
    await expect(call('eth_subscribe', ['everything'], testConnection('websocket'))).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(
        'params: kind: expected newHeads, logs, newPendingTransactions, transactionReceipts, syncing',
      ),
    });
  });
});
