import { describe, expect, it } from 'vitest';
import { createRpcHarness, type RpcHarness, testConnection } from '../rpc-harness.ts';
import { type DeployedContract, deploy, SENDER } from './contract.ts';

async function increase(harness: RpcHarness, counter: DeployedContract, step: bigint): Promise<unknown> {
  const data = counter.data('increase', step);
  return harness.call('eth_sendTransaction', [{ from: SENDER, to: counter.address, data }]);
}

function word(value: number): string {
  return `0x${value.toString(16).padStart(64, '0')}`;
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
    expect(await find({ fromBlock: '0x5', toBlock: '0x3' })).toEqual([]);
    expect(await find({ fromBlock: '0x99' })).toEqual([]);
    expect(await find({ blockHash: `0x${'ee'.repeat(32)}` })).toEqual([]);
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

  it('serves a search that keeps to one of the limits, and refuses one that keeps to neither', async () => {
    const logLimits = { blocks: 3, logs: 2 };
    const harness = await createRpcHarness({ logLimits });
    const counter = await deploy(harness, 'Counter');
    for (let step = 1n; step <= 4n; step++) await increase(harness, counter, step);
    const find = (filter: object) => harness.call('eth_getLogs', [filter]);
    await expect(find({ fromBlock: '0x3' })).resolves.toHaveLength(3);
    await expect(find({ fromBlock: '0x0', toBlock: '0x3' })).resolves.toHaveLength(2);
    await expect(find({ fromBlock: '0x0' })).rejects.toMatchObject({
      code: -32012,
      message: expect.stringMatching(/6 blocks and finds too many logs.*3 blocks or 2 logs/),
    });
  });

  it('has no limit where it is switched off', async () => {
    const harness = await createRpcHarness({ logLimits: { blocks: 1, logs: 0 } });
    const counter = await deploy(harness, 'Counter');
    for (let step = 1n; step <= 4n; step++) await increase(harness, counter, step);
    await expect(harness.call('eth_getLogs', [{ fromBlock: 'earliest' }])).resolves.toHaveLength(4);
  });
});

describe('eth_subscribe', () => {
  it('is refused over HTTP with the way out', async () => {
    const { call } = await createRpcHarness();
    for (const method of ['eth_subscribe', 'eth_unsubscribe']) {
      await expect(call(method, ['newHeads'])).rejects.toMatchObject({
        code: -32601,
        message: expect.stringContaining('WebSocket'),
      });
    }
  });

  it('tells new heads as headers, pending transactions and nothing of syncing', async () => {
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

  it('tells the logs that match, and again as removed when their block leaves the chain', async () => {
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

  it('ends with eth_unsubscribe of its own connection, or with the connection', async () => {
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

  it('refuses what cannot be subscribed to', async () => {
    const { call } = await createRpcHarness();
    await expect(call('eth_subscribe', ['everything'], testConnection('websocket'))).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(
        "'kind': expected newHeads, logs, newPendingTransactions, transactionReceipts, syncing",
      ),
    });
  });
});
