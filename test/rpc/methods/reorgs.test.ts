import { describe, expect, it } from 'vitest';
import type { CompatName } from '../../../src/rpc/compat.ts';
import { createRpcHarness, type RpcHarness, testConnection } from '../rpc-harness.ts';
import { deploy, receiptOf, SENDER } from './contract.ts';

const STRANGER = `0x${'5a'.repeat(20)}`;

async function hashes({ call, chain }: RpcHarness): Promise<string[]> {
  const found: string[] = [];
  for (let number = 0; number <= chain.head().header.number; number++) {
    const { hash } = (await call('eth_getBlockByNumber', [number])) as { hash: string };
    found.push(hash);
  }
  return found;
}

describe('anvil_rollback', () => {
  it('anvil_rollback removes one block by default, or N blocks down to the genesis', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    const hash = await call('eth_sendTransaction', [{ from: SENDER, to: STRANGER, value: '0x1' }]);
    await call('evm_mine', [{ blocks: 4 }]);
    await call('anvil_rollback');
    expect(await call('eth_blockNumber')).toBe('0x4');
    await call('anvil_rollback', [4]);
    expect(await call('eth_blockNumber')).toBe('0x0');
    expect(await call('eth_getTransactionByHash', [hash])).toBeNull();
    expect(await call('eth_getBalance', [STRANGER])).toBe('0x0');
    await expect(call('anvil_rollback', [1])).rejects.toMatchObject({ code: -32602 });
    expect(await call('txpool_status')).toEqual({ pending: 0, queued: 0 });
  });

  it('anvil_rollback notifies subscriptions and filters of removed blocks and logs', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    const counter = await deploy(harness, 'Counter');
    const connection = testConnection('websocket');
    await call('eth_subscribe', ['logs'], connection);
    const filter = await call('eth_newFilter', [{}]);
    await call('eth_sendTransaction', [
      { from: SENDER, to: counter.address, data: counter.data('increment') },
    ]);
    await call('eth_getFilterChanges', [filter]);
    await call('anvil_rollback', [1]);
    expect(connection.sent.map(({ params }) => params)).toMatchObject([
      { result: { removed: false } },
      { result: { removed: true } },
    ]);
    expect(await call('eth_getFilterChanges', [filter])).toMatchObject([{ removed: true }]);
  });

  it('anvil_rollback deletes only the snapshots of removed blocks', async () => {
    const { call } = await createRpcHarness();
    await call('evm_mine');
    const low = await call('evm_snapshot');
    await call('evm_mine');
    const high = await call('evm_snapshot');
    await call('evm_snapshot', ['high']);
    await call('anvil_rollback');
    expect(await call('evm_revert', [high])).toBe(false);
    expect(await call('evm_revert', ['high'])).toBe(false);
    await call('anvil_rollback');
    expect(await call('evm_revert', [low])).toBe(false);
  });
});

describe('anvil_reorg', () => {
  it('anvil_reorg replaces blocks by the same number of empty blocks with new hashes', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    await call('evm_mine', [{ blocks: 3 }]);
    const hash = await call('eth_sendTransaction', [{ from: SENDER, to: STRANGER, value: '0x1' }]);
    const before = await hashes(harness);
    expect(await call('anvil_reorg', [2, []])).toBeNull();
    const after = await hashes(harness);
    expect(after.length).toBe(before.length);
    expect(after.slice(0, 3)).toEqual(before.slice(0, 3));
    for (const number of [3, 4]) expect(after[number]).not.toBe(before[number]);
    expect(await call('eth_getTransactionReceipt', [hash])).toBeNull();
    expect(await call('eth_getBalance', [STRANGER])).toBe('0x0');
    expect(await call('eth_getTransactionCount', [SENDER])).toBe('0x0');
  });

  it('anvil_reorg adds transactions to the given blocks with nonces of the new chain', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    await call('eth_sendTransaction', [{ from: SENDER, to: STRANGER, value: '0x1' }]);
    const raw = await call('eth_sendTransaction', [{ from: SENDER, to: STRANGER, value: '0x2' }]);
    await call('evm_mine');
    const transaction = { from: SENDER, to: STRANGER, value: '0x10' };
    const pairs = [
      [transaction, 0],
      [{ ...transaction, value: '0x20' }, '0x1'],
      [{ ...transaction, value: '0x40' }, 1],
    ];
    await call('anvil_reorg', ['0x3', pairs]);
    expect(await call('eth_getBalance', [STRANGER])).toBe('0x70');
    const counts = await Promise.all(
      ['0x1', '0x2', '0x3'].map((number) => call('eth_getBlockTransactionCountByNumber', [number])),
    );
    expect(counts).toEqual(['0x1', '0x2', '0x0']);
    expect(await call('eth_getTransactionReceipt', [raw])).toBeNull();
    expect(await call('eth_getTransactionCount', [SENDER])).toBe('0x3');
  });

  it('anvil_reorg accepts an object and named parameters', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    await call('evm_mine', [{ blocks: 2 }]);
    const transactions = [[{ from: SENDER, to: STRANGER, value: '0x1' }, 0]];
    await call('anvil_reorg', [{ depth: 1, transactions }]);
    expect(await call('eth_getBalance', [STRANGER])).toBe('0x1');
    await call('anvil_reorg', [{ depth: 2, txBlockPairs: transactions }]);
    await call('anvil_reorg', { depth: 1, transactions });
    expect(await call('eth_getBalance', [STRANGER])).toBe('0x2');
  });

  it('anvil_reorg with keepTransactions returns replaced transactions to the pool', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    const first = await call('eth_sendTransaction', [{ from: SENDER, to: STRANGER, value: '0x1' }]);
    const second = await call('eth_sendTransaction', [{ from: SENDER, to: STRANGER, value: '0x2' }]);
    await call('anvil_reorg', [{ depth: 2, keepTransactions: true }]);
    expect(await call('eth_blockNumber')).toBe('0x2');
    expect(await call('eth_getTransactionReceipt', [first])).toBeNull();
    expect(await call('txpool_status')).toEqual({ pending: 2, queued: 0 });
    await call('evm_mine');
    for (const hash of [first, second])
      expect(await receiptOf(harness, hash)).toMatchObject({ blockNumber: '0x3', status: '0x1' });
  });

  it('anvil_reorg drops a kept transaction whose nonce is used by the new chain', async () => {
    const { call } = await createRpcHarness();
    await call('eth_sendTransaction', [{ from: SENDER, to: STRANGER, value: '0x1' }]);
    const pairs = [[{ from: SENDER, to: STRANGER, value: '0x2' }, 0]];
    await call('anvil_reorg', [1, pairs, true]);
    expect(await call('txpool_status')).toEqual({ pending: 0, queued: 0 });
    expect(await call('eth_getBalance', [STRANGER])).toBe('0x2');
  });

  it('anvil_reorg notifies subscriptions of removed logs, then of new heads and logs', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    const counter = await deploy(harness, 'Counter');
    const data = counter.data('increment');
    await call('eth_sendTransaction', [{ from: SENDER, to: counter.address, data }]);
    const connection = testConnection('websocket');
    await call('eth_subscribe', ['logs'], connection);
    await call('eth_subscribe', ['newHeads'], connection);
    await call('anvil_reorg', [1, [[{ from: SENDER, to: counter.address, data }, 0]]]);
    const { hash } = (await call('eth_getBlockByNumber', ['latest'])) as { hash: string };
    const told = connection.sent.map(({ params }) => (params as { result: object }).result);
    expect(told.filter((item) => 'removed' in item)).toMatchObject([
      { removed: true },
      { removed: false, blockHash: hash },
    ]);
    expect(told.filter((item) => 'parentHash' in item)).toMatchObject([{ number: '0x2', hash }]);
  });

  it('BLOCKHASH returns hashes of the new chain after anvil_reorg', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    // Stores the hash of the parent block.
    await call('anvil_setCode', [STRANGER, '0x600143034060005500']);
    await call('evm_mine', [{ blocks: 3 }]);
    await call('anvil_reorg', [2, [[{ from: SENDER, to: STRANGER }, 1]]]);
    const { hash } = (await call('eth_getBlockByNumber', ['0x2'])) as { hash: string };
    expect(await call('eth_getStorageAt', [STRANGER, '0x0', 'latest'])).toBe(hash);
  });

  it('anvil_reorg changes nothing if a transaction or its block index is invalid', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    await call('evm_mine', [{ blocks: 2 }]);
    const before = await hashes(harness);
    const good = { from: SENDER, to: STRANGER };
    const early = { ...good, nonce: '0x7' };
    await expect(
      call('anvil_reorg', [
        2,
        [
          [good, 0],
          [early, 1],
        ],
      ]),
    ).rejects.toMatchObject({
      code: -32000,
      message: expect.stringContaining('nonce too high'),
    });
    await expect(call('anvil_reorg', [2, [[good, 2]]])).rejects.toMatchObject({ code: -32602 });
    await expect(call('anvil_reorg', [3, []])).rejects.toMatchObject({ code: -32602 });
    expect(await hashes(harness)).toEqual(before);
    expect(await call('txpool_status')).toEqual({ pending: 0, queued: 0 });
  });

  describe('blocks replaced by anvil_reorg', () => {
    /** A chain whose block 2, which pays the stranger, is replaced twice. */
    async function replacedTwice(compat: CompatName) {
      const harness = await createRpcHarness({ compat });
      const { call } = harness;
      const counter = await deploy(harness, 'Counter');
      const sent = { from: SENDER, to: counter.address, data: counter.data('increment') };
      const transaction = await call('eth_sendTransaction', [{ ...sent, gas: '0x30d40' }]);
      const [, , first] = await hashes(harness);
      await call('anvil_reorg', [1, [[{ from: SENDER, to: STRANGER, value: '0x1' }, 0]]]);
      const [, , second] = await hashes(harness);
      await call('anvil_reorg', [1]);
      return { call, counter, transaction, first, second };
    }

    it.each(['service', 'hardhat'] as const)(
      'replaced blocks are found by hash in compat mode %s',
      async (compat) => {
        const { call, counter, transaction, first, second } = await replacedTwice(compat);
        expect(await call('eth_getBlockByHash', [first, false])).toMatchObject({
          transactions: [transaction],
        });
        const place = { blockHash: first, transactionHash: transaction };
        expect(await call('eth_getBlockReceipts', [first])).toMatchObject([place]);
        expect(await call('eth_getLogs', [{ blockHash: first }])).toMatchObject([
          { ...place, removed: false },
        ]);
        expect(await call('debug_traceBlockByHash', [first, { tracer: 'callTracer' }])).toMatchObject([
          { txHash: transaction, result: { to: counter.address } },
        ]);
        expect(await call('eth_getTransactionReceipt', [transaction])).toBeNull();
        const balanceAt = (block: unknown) => call('eth_getBalance', [STRANGER, block]);
        expect(await balanceAt({ blockHash: first })).toBe('0x0');
        expect(await balanceAt({ blockHash: second })).toBe('0x1');
        expect(await balanceAt('latest')).toBe('0x0');
        await expect(balanceAt({ blockHash: second, requireCanonical: true })).rejects.toThrow(
          /is not canonical/,
        );
      },
    );

    it('replaced blocks do not become uncles and are found until a revert', async () => {
      const { call, first } = await replacedTwice('service');
      const snapshot = await call('evm_snapshot');
      await call('evm_mine');
      expect(await call('eth_getBlockByNumber', ['latest', false])).toMatchObject({ uncles: [] });
      expect(await call('eth_getBlockByHash', [first, false])).toMatchObject({ hash: first });
      await call('evm_revert', [snapshot]);
      expect(await call('eth_getBlockByHash', [first, false])).toBeNull();
    });

    it('at most 256 replaced blocks are found', async () => {
      const harness = await createRpcHarness();
      const { call } = harness;
      for (let block = 0; block < 260; block++) await call('evm_mine');
      const before = await hashes(harness);
      await call('anvil_reorg', [260]);
      const found = await Promise.all(
        before.slice(1).map((hash) => call('eth_getBlockByHash', [hash, false])),
      );
      expect(found.map((block) => block !== null)).toEqual([
        ...Array(4).fill(false),
        ...Array(256).fill(true),
      ]);
    });

    it('replaced blocks are not found in compat mode anvil', async () => {
      const { call, first, second } = await replacedTwice('anvil');
      expect(await call('eth_getBlockByHash', [first, false])).toBeNull();
      expect(await call('eth_getBlockReceipts', [second])).toBeNull();
      await expect(call('eth_getBalance', [STRANGER, { blockHash: second }])).rejects.toMatchObject({
        code: -32602,
      });
    });
  });

  it('anvil_reorg does not change the clock', async () => {
    const harness = await createRpcHarness();
    const { call, chain } = harness;
    await call('evm_mine', [{ blocks: 2 }]);
    const next = chain.head().header.timestamp + 500;
    await call('evm_setNextBlockTimestamp', [next]);
    await call('anvil_reorg', [2]);
    await call('evm_mine');
    expect(chain.head().header.timestamp).toBe(next);
  });
});

describe('named snapshots', () => {
  it('evm_revert restores a named snapshot repeatedly', async () => {
    const { call } = await createRpcHarness();
    expect(await call('evm_snapshot', ['deployed'])).toBe('deployed');
    for (let turn = 0; turn < 3; turn++) {
      await call('evm_mine');
      expect(await call('evm_revert', ['deployed'])).toBe(true);
      expect(await call('eth_blockNumber')).toBe('0x0');
    }
  });

  it('evm_revert to a named snapshot deletes later snapshots but not earlier ones', async () => {
    const { call } = await createRpcHarness();
    const early = await call('evm_snapshot');
    await call('evm_snapshot', ['middle']);
    const late = await call('evm_snapshot');
    await call('evm_revert', ['middle']);
    expect(await call('evm_revert', [late])).toBe(false);
    expect(await call('evm_revert', [early])).toBe(true);
    expect(await call('evm_revert', ['middle'])).toBe(false);
  });

  it('a named snapshot can be replaced, listed and deleted', async () => {
    const { call } = await createRpcHarness();
    await call('evm_snapshot', ['here']);
    await call('evm_mine');
    await call('evm_snapshot');
    await call('evm_snapshot', ['here']);
    expect(await call('evm_listSnapshots')).toEqual([
      { id: '0x1', blockNumber: '0x1' },
      { id: 'here', blockNumber: '0x1' },
    ]);
    expect(await call('evm_deleteSnapshot', ['here'])).toBe(true);
    expect(await call('evm_deleteSnapshot', ['here'])).toBe(false);
    expect(await call('evm_deleteSnapshot', ['0x1'])).toBe(true);
    expect(await call('evm_listSnapshots')).toEqual([]);
  });

  it.each(['1', '0x1', '', '!', 'ä', 'x'.repeat(101)])('evm_snapshot rejects the name %j', async (name) => {
    const { call } = await createRpcHarness();
    await expect(call('evm_snapshot', [name])).rejects.toMatchObject({ code: -32602 });
  });
});

describe('anvil_reset', () => {
  it.each([
    [],
    [null],
    [{}],
    [{ forking: null }],
    [{ forking: {} }],
    [{ forking: { blockNumber: null } }],
    [{ forking: { jsonRpcUrl: null, blockNumber: null } }],
  ])('anvil_reset accepts %j as a plain reset', async (...params) => {
    for (const method of ['anvil_reset', 'hardhat_reset', 'evm_reset']) {
      const { call } = await createRpcHarness();
      await call('evm_mine');
      await call(method, params);
      expect(await call('eth_blockNumber')).toBe('0x0');
    }
  });

  it('anvil_reset rejects a fork block without a fork and an invalid URL, and hides the URL', async () => {
    const { call } = await createRpcHarness();
    await call('evm_mine');
    await expect(call('anvil_reset', [{ forking: { blockNumber: '0x1' } }])).rejects.toMatchObject({
      code: -32602,
      message:
        'the chain is not a fork; start the node with --fork-url, or call evm_reset with forking.jsonRpcUrl',
    });
    const jsonRpcUrl = 'ftp://user:secret@host';
    const refused = call('anvil_reset', [{ forking: { jsonRpcUrl } }]);
    await expect(refused).rejects.toMatchObject({ code: -32602 });
    await expect(refused).rejects.not.toThrow('secret');
    expect(await call('eth_blockNumber')).toBe('0x1');
  });

  it('anvil_reset reads jsonRpcUrl and blockNumber outside forking', async () => {
    const { call } = await createRpcHarness();
    await call('evm_mine');
    await expect(call('anvil_reset', [{ blockNumber: '0x1' }])).rejects.toMatchObject({
      message:
        'the chain is not a fork; start the node with --fork-url, or call evm_reset with forking.jsonRpcUrl',
    });
    await expect(call('anvil_reset', [{ jsonRpcUrl: 'ftp://host' }])).rejects.toMatchObject({ code: -32602 });
    expect(await call('eth_blockNumber')).toBe('0x1');
  });

  it('anvil_reset rejects an object with only unknown members and changes nothing', async () => {
    const { call } = await createRpcHarness();
    await call('evm_mine');
    await expect(call('anvil_reset', [{ frking: { blockNumber: 1 } }])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(
        'options: expected an object with forking, or with jsonRpcUrl and blockNumber, or no parameter',
      ),
    });
    await expect(
      call('anvil_reset', [{ forking: { jsonRpcURL: 'http://127.0.0.1:1' } }]),
    ).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('options.forking: expected an object with jsonRpcUrl and blockNumber'),
    });
    expect(await call('eth_blockNumber')).toBe('0x1');
  });

  it('anvil_reset changes the instance id, but evm_revert does not', async () => {
    const { call } = await createRpcHarness();
    const instance = async () => ((await call('anvil_metadata')) as { instanceId: string }).instanceId;
    const first = await instance();
    const snapshot = await call('evm_snapshot');
    await call('evm_revert', [snapshot]);
    expect(await instance()).toBe(first);
    expect(await call('hardhat_metadata')).toMatchObject({ instanceId: first });
    await call('anvil_reset');
    expect(await instance()).not.toBe(first);
  });
});

describe('BLOCKHASH in a long reorganization', () => {
  /** Code that stores the hash of the block with the given number. */
  const KEEPER_CODE = '0x6000354060005500';

  it('BLOCKHASH returns the last 256 hashes in a long reorganization, and 0 for older blocks', async () => {
    const { call } = await createRpcHarness();
    await call('anvil_setCode', [STRANGER, KEEPER_CODE]);
    await call('evm_mine', [{ blocks: 100 }]);
    await call('evm_mine', [{ blocks: 400 }]);
    const ask = (number: number) => ({
      from: SENDER,
      to: STRANGER,
      gas: '0x30000',
      data: `0x${number.toString(16).padStart(64, '0')}`,
    });
    const kept = () => call('eth_getStorageAt', [STRANGER, '0x0', 'latest']);
    const before = (await call('eth_getBlockByNumber', [300])) as { hash: string };
    await call('anvil_reorg', [300, [[ask(300), 299]]]);
    const { hash } = (await call('eth_getBlockByNumber', [300])) as { hash: string };
    expect(await kept()).toBe(hash);
    expect(hash).not.toBe(before.hash);
    await call('anvil_reorg', [300, [[ask(244), 299]]]);
    expect(await kept()).toBe(((await call('eth_getBlockByNumber', [244])) as { hash: string }).hash);
    await call('anvil_reorg', [300, [[ask(243), 299]]]);
    expect(await kept()).toBe(`0x${'0'.repeat(64)}`);
    const replaced = (await call('eth_getBlockByNumber', [300])) as { hash: string };
    // The first transaction ends the run of empty blocks, so that new blocks follow it.
    await call('anvil_reorg', [
      300,
      [
        [ask(200), 150],
        [ask(300), 299],
      ],
    ]);
    const newest = (await call('eth_getBlockByNumber', [300])) as { hash: string };
    expect(newest.hash).not.toBe(replaced.hash);
    expect(await kept()).toBe(newest.hash);
  });
});

describe('hardhat_metadata', () => {
  it('hardhat_metadata includes forkedNetwork except in compat mode hardhat', async () => {
    for (const [compat, tells] of [
      ['service', true],
      ['anvil', true],
      ['hardhat', false],
    ] as const) {
      const { call } = await createRpcHarness({ compat });
      expect(Object.keys((await call('hardhat_metadata')) as object).includes('forkedNetwork')).toBe(tells);
    }
  });
});
