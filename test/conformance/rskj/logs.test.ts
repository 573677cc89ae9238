import { describe, expect, it } from 'vitest';
import { deploy, SENDER } from '../../rpc/methods/contract.ts';
import { createRpcHarness, type RpcHarness } from '../../rpc/rpc-harness.ts';
import { word } from '../../support/words.ts';
import { creationOf, deployed, failureOf, STRANGER, UNKNOWN_HASH } from './scene.ts';

// Web3ImplLogsTest, LogFilterTest and FilterTest.

const [PING, PONG] = [word(0xa1), word(0xa2)];
/**
 * Emits a log with PING, the first word of calldata and the data 0x01 on each call. Its creation emits PONG.
 */
const EMITTER = `0x60a25f5fa1${creationOf('6001600053 5f35 60a1 6001 5f a2 00').slice(2)}`;

interface Log {
  readonly address: string;
  readonly topics: readonly string[];
  readonly blockHash: string;
  readonly transactionHash: string;
  readonly logIndex: string;
  readonly transactionIndex: string;
}

interface Scene extends RpcHarness {
  readonly emitter: string;
  /** Hashes of the creation and of the two calls, in one block each. */
  readonly hashes: readonly string[];
}

/** Block 1: the creation emits PONG. Blocks 2 and 3: PING with the words 1 and 2. */
async function emitterScene(): Promise<Scene> {
  const harness = await createRpcHarness();
  // The log code precedes the copied code, which increases its offset.
  const emitter = await deployed(harness.call, SENDER, EMITTER.replace('600a5f39', '600f5f39'));
  const created = (await harness.call('eth_getBlockByNumber', ['0x1'])) as {
    readonly transactions: string[];
  };
  const hashes = [String(created.transactions[0])];
  for (const step of [1, 2])
    hashes.push(
      String(await harness.call('eth_sendTransaction', [{ from: SENDER, to: emitter, data: word(step) }])),
    );
  return { ...harness, emitter, hashes };
}

async function find(scene: Scene, filter: object): Promise<readonly Log[]> {
  const logs = (await scene.call('eth_getLogs', [filter])) as readonly Log[];
  // A search has no effect on the next one.
  expect(await scene.call('eth_getLogs', [filter])).toEqual(logs);
  return logs;
}

describe('eth_getLogs', () => {
  it('returns no logs for an empty chain, empty blocks, or a creation without events', async () => {
    const harness = await createRpcHarness();
    expect(await harness.call('eth_getLogs', [{ fromBlock: 'earliest' }])).toEqual([]);

    await harness.call('hardhat_mine', ['0x3']);
    await deployed(harness.call, SENDER, creationOf('00'));

    expect(await harness.call('eth_getLogs', [{ fromBlock: 'earliest' }])).toEqual([]);
  });

  it('returns the logs of creations and calls, oldest first', async () => {
    const scene = await emitterScene();

    const logs = await find(scene, { fromBlock: 'earliest' });

    expect(logs.map(({ topics }) => topics)).toEqual([[PONG], [PING, word(1)], [PING, word(2)]]);
    expect(logs.every(({ address }) => address === scene.emitter)).toBe(true);
    expect(logs.map(({ transactionHash }) => transactionHash)).toEqual(scene.hashes);
    for (const { transactionHash, ...log } of logs) {
      const receipt = (await scene.call('eth_getTransactionReceipt', [transactionHash])) as { logs: Log[] };
      expect(receipt.logs).toMatchObject([log]);
    }
  });

  it.each([
    ['the address of the emitter', ({ emitter }: Scene) => ({ address: emitter }), 3],
    ['addresses', ({ emitter }: Scene) => ({ address: [STRANGER, emitter] }), 3],
    ['an address without logs', () => ({ address: STRANGER }), 0],
    ['a topic that no log has', () => ({ topics: [word(0x0102)] }), 0],
    ['a topic', () => ({ topics: [PING] }), 2],
    ['topics in a list', () => ({ topics: [[PING, PONG]] }), 3],
    ['a topic in a list, and null in a list', () => ({ topics: [[PONG], [null]] }), 1],
    ['null in a list', () => ({ topics: [[null]] }), 3],
    ['a topic and null', () => ({ topics: [PONG, null] }), 1],
    ['null beside a topic', () => ({ topics: [[PONG, null]] }), 1],
    ['two topics', () => ({ topics: [PING, word(1)] }), 1],
    ['the second topic', () => ({ topics: [null, word(1)] }), 1],
    ['the second topic after an empty list', () => ({ topics: [[], word(1)] }), 1],
  ])('filters by %s', async (_kind, filterOf, count) => {
    const scene = await emitterScene();

    expect(await find(scene, { fromBlock: 'earliest', ...filterOf(scene) })).toHaveLength(count);
  });

  it('returns the logs of a block by its hash', async () => {
    const scene = await emitterScene();
    const [{ blockHash = '' } = {}] = await find(scene, { fromBlock: '0x2', toBlock: '0x2' });

    expect(await find(scene, { blockHash })).toMatchObject([{ blockHash, topics: [PING, word(1)] }]);
  });

  it('rejects a range that exceeds the log limit and the block limit', async () => {
    const harness = await createRpcHarness({ logLimits: { blocks: 2, logs: 1 } });
    const counter = await deploy(harness, 'Counter');
    for (const step of [1n, 2n, 3n])
      await harness.call('eth_sendTransaction', [
        { from: SENDER, to: counter.address, data: counter.data('increase', step) },
      ]);

    const failure = await failureOf(harness.call('eth_getLogs', [{ fromBlock: 'earliest' }]));

    expect(failure).toMatchObject({ code: -32012 });
    await expect(harness.call('eth_getLogs', [{ blockHash: UNKNOWN_HASH }])).rejects.toMatchObject({
      code: -32600,
    });
  });
});

describe('the index of a log', () => {
  it('counts logs per block, not per transaction', async () => {
    const scene = await emitterScene();
    const { call, emitter } = scene;
    await call('evm_setAutomine', [false]);
    const hashes = [];
    for (const step of [3, 4, 5])
      hashes.push(
        await call('eth_sendTransaction', [{ from: SENDER, to: emitter, data: word(step), gas: '0x186a0' }]),
      );
    await call('evm_mine');

    const receipts = await Promise.all(hashes.map((hash) => call('eth_getTransactionReceipt', [hash])));

    expect(receipts).toMatchObject([
      { logs: [{ logIndex: '0x0', transactionIndex: '0x0' }] },
      { logs: [{ logIndex: '0x1', transactionIndex: '0x1' }] },
      { logs: [{ logIndex: '0x2', transactionIndex: '0x2' }] },
    ]);
  });
});

describe('a log filter', () => {
  it('has an id, and returns no logs on an empty chain', async () => {
    const { call } = await createRpcHarness();
    const id = await call('eth_newFilter', [{}]);

    expect(id).toMatch(/^0x[0-9a-f]+$/);
    expect(await call('eth_getFilterLogs', [id])).toEqual([]);
    expect(await call('eth_getFilterChanges', [id])).toEqual([]);
  });

  it('returns logs of new blocks once as changes, and each time as logs', async () => {
    const scene = await emitterScene();
    const { call, emitter } = scene;
    const id = await call('eth_newFilter', [{ address: emitter, topics: [PING] }]);

    await call('eth_sendTransaction', [{ from: SENDER, to: emitter, data: word(7) }]);

    const found = [{ address: emitter, topics: [PING, word(7)] }];
    expect(await call('eth_getFilterLogs', [id])).toMatchObject(found);
    expect(await call('eth_getFilterLogs', [id])).toMatchObject(found);
    expect(await call('eth_getFilterChanges', [id])).toMatchObject(found);
    expect(await call('eth_getFilterChanges', [id])).toEqual([]);
  });

  it.each(['eth_getFilterChanges', 'eth_getFilterLogs'])(
    'returns an error for an unknown id in %s',
    async (method) => {
      const { call } = await createRpcHarness();

      expect(await failureOf(call(method, ['0x5']))).toMatchObject({
        code: -32000,
        message: 'filter not found',
      });
    },
  );
});
