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
  it('takes one block away, or as many as it is told, to the first', async () => {
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

  it('tells subscribers and filters which blocks and logs are gone', async () => {
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

  it('uses up the snapshots of blocks that are gone, and no others', async () => {
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
  it('replaces blocks by as many empty ones, with other hashes and the same height', async () => {
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

  it('puts transactions into the blocks they are for, with nonces of the new chain', async () => {
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

  it('takes everything in one object, and by name', async () => {
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

  it('puts the transactions of replaced blocks back into the pool when they are to be kept', async () => {
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

  it('loses a kept transaction whose nonce the new chain has used', async () => {
    const { call } = await createRpcHarness();
    await call('eth_sendTransaction', [{ from: SENDER, to: STRANGER, value: '0x1' }]);
    const pairs = [[{ from: SENDER, to: STRANGER, value: '0x2' }, 0]];
    await call('anvil_reorg', [1, pairs, true]);
    expect(await call('txpool_status')).toEqual({ pending: 0, queued: 0 });
    expect(await call('eth_getBalance', [STRANGER])).toBe('0x2');
  });

  it('tells subscribers the logs that are gone, then the new heads and logs', async () => {
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

  it('lets BLOCKHASH see the new chain', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    // Stores the hash of the block before.
    await call('anvil_setCode', [STRANGER, '0x600143034060005500']);
    await call('evm_mine', [{ blocks: 3 }]);
    await call('anvil_reorg', [2, [[{ from: SENDER, to: STRANGER }, 1]]]);
    const { hash } = (await call('eth_getBlockByNumber', ['0x2'])) as { hash: string };
    expect(await call('eth_getStorageAt', [STRANGER, '0x0', 'latest'])).toBe(hash);
  });

  it('changes nothing when a transaction cannot be executed, or is for a block that is not replaced', async () => {
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

  describe('by other blocks leaves those that it replaces', () => {
    /** A chain whose block 2 paid the stranger, and was replaced, then the block in its place too. */
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

    it.each(['service', 'hardhat'] as const)('to be found by their hashes (%s)', async (compat) => {
      const { call, counter, transaction, first, second } = await replacedTwice(compat);
      expect(await call('eth_getBlockByHash', [first, false])).toMatchObject({ transactions: [transaction] });
      const place = { blockHash: first, transactionHash: transaction };
      expect(await call('eth_getBlockReceipts', [first])).toMatchObject([place]);
      expect(await call('eth_getLogs', [{ blockHash: first }])).toMatchObject([{ ...place, removed: false }]);
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
    });

    it('without making them uncles, and until the chain goes back', async () => {
      const { call, first } = await replacedTwice('service');
      const snapshot = await call('evm_snapshot');
      await call('evm_mine');
      expect(await call('eth_getBlockByNumber', ['latest', false])).toMatchObject({ uncles: [] });
      expect(await call('eth_getBlockByHash', [first, false])).toMatchObject({ hash: first });
      await call('evm_revert', [snapshot]);
      expect(await call('eth_getBlockByHash', [first, false])).toBeNull();
    });

    it('at most 256 of them', async () => {
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

    it('to be forgotten as by Anvil (anvil)', async () => {
      const { call, first, second } = await replacedTwice('anvil');
      expect(await call('eth_getBlockByHash', [first, false])).toBeNull();
      expect(await call('eth_getBlockReceipts', [second])).toBeNull();
      await expect(call('eth_getBalance', [STRANGER, { blockHash: second }])).rejects.toMatchObject({
        code: -32602,
      });
    });
  });

  it('leaves the clock as it was', async () => {
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

describe('named checkpoints', () => {
  it('can be gone back to many times', async () => {
    const { call } = await createRpcHarness();
    expect(await call('evm_snapshot', ['deployed'])).toBe('deployed');
    for (let turn = 0; turn < 3; turn++) {
      await call('evm_mine');
      expect(await call('evm_revert', ['deployed'])).toBe(true);
      expect(await call('eth_blockNumber')).toBe('0x0');
    }
  });

  it('use up what came later, and are used up by what came before', async () => {
    const { call } = await createRpcHarness();
    const early = await call('evm_snapshot');
    await call('evm_snapshot', ['middle']);
    const late = await call('evm_snapshot');
    await call('evm_revert', ['middle']);
    expect(await call('evm_revert', [late])).toBe(false);
    expect(await call('evm_revert', [early])).toBe(true);
    expect(await call('evm_revert', ['middle'])).toBe(false);
  });

  it('are replaced by another of the same name, listed and deleted', async () => {
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

  it.each(['1', '0x1', '', '!', 'ä', 'x'.repeat(101)])('cannot be called %j', async (name) => {
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
  ])('takes %j for a plain reset', async (...params) => {
    for (const method of ['anvil_reset', 'hardhat_reset', 'evm_reset']) {
      const { call } = await createRpcHarness();
      await call('evm_mine');
      await call(method, params);
      expect(await call('eth_blockNumber')).toBe('0x0');
    }
  });

  it('refuses another block of a chain that it does not fork, and what is no URL, without telling it', async () => {
    const { call } = await createRpcHarness();
    await call('evm_mine');
    await expect(call('anvil_reset', [{ forking: { blockNumber: '0x1' } }])).rejects.toMatchObject({
      code: -32602,
      message: 'the node is not a fork; start it with --fork-url',
    });
    const jsonRpcUrl = 'ftp://user:secret@host';
    const refused = call('anvil_reset', [{ forking: { jsonRpcUrl } }]);
    await expect(refused).rejects.toMatchObject({ code: -32602 });
    await expect(refused).rejects.not.toThrow('secret');
    expect(await call('eth_blockNumber')).toBe('0x1');
  });

  it('reads jsonRpcUrl and blockNumber outside forking too', async () => {
    const { call } = await createRpcHarness();
    await call('evm_mine');
    await expect(call('anvil_reset', [{ blockNumber: '0x1' }])).rejects.toMatchObject({
      message: 'the node is not a fork; start it with --fork-url',
    });
    await expect(call('anvil_reset', [{ jsonRpcUrl: 'ftp://host' }])).rejects.toMatchObject({ code: -32602 });
    expect(await call('eth_blockNumber')).toBe('0x1');
  });

  it('rejects an object that has only unknown members, and changes nothing', async () => {
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

  it('begins another instance; a revert does not', async () => {
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
  /** Code that keeps the hash of the block with the number that it is given. */
  const KEEPER_CODE = '0x6000354060005500';

  it('knows the 256 blocks before, those that came with it too, and no others', async () => {
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
    // The first transaction ends the empty blocks, so that others begin above it.
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
  it('tells of no fork in the way by which clients know the dialect', async () => {
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
