import { describe, expect, it } from 'vitest';
import { fromHex } from '../../../src/primitives/hex.ts';
import { keccak256 } from '../../../src/primitives/keccak.ts';
import { hexWord } from '../../support/words.ts';
import { createRpcHarness, type RpcHarness, testConnection } from '../rpc-harness.ts';
import { deploy, receiptOf, SENDER } from './contract.ts';

const STRANGER = `0x${'5a'.repeat(20)}`;
const MILLION = '0xf4240';
/** Code that returns the hash of the block with the given number. */
const BLOCKHASH_CODE = '0x6000354060005260206000f3';

interface BlockFacts {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly stateRoot: string;
  readonly totalDifficulty: string;
  readonly transactions: readonly unknown[];
}

async function blockAt({ call }: RpcHarness, number: number | string): Promise<BlockFacts> {
  return (await call('eth_getBlockByNumber', [number])) as BlockFacts;
}

const quantity = (number: number): string => `0x${number.toString(16)}`;

describe.each([
  ['hardhat_mine', [MILLION], 1],
  ['hardhat_mine', [MILLION, '0x3c'], 60],
  ['anvil_mine', [MILLION, '0x3c'], 60],
  ['evm_mine', [{ blocks: 1_000_000 }], 1],
] as const)('bulk mining with %s %j', (method, params, distance) => {
  it('mines a million blocks with consistent numbers, hashes, parents and timestamps', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    await call(method, params);
    expect(await call('eth_blockNumber')).toBe(MILLION);
    for (const number of [2, 3, 500_000, 999_998, 999_999, 1_000_000]) {
      const block = await blockAt(harness, number);
      const parent = await blockAt(harness, number - 1);
      expect(block).toMatchObject({ number: quantity(number), parentHash: parent.hash, transactions: [] });
      expect(Number(block.timestamp) - Number(parent.timestamp)).toBe(distance);
      expect(Number(block.totalDifficulty)).toBe(number + 1);
      expect(await call('eth_getBlockByHash', [block.hash])).toEqual(block);
    }
    expect(await blockAt(harness, 1_000_001)).toBeNull();
  });
});

describe('blocks of a bulk range', () => {
  it('every method finds the blocks by number and by hash', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    await call('hardhat_mine', [MILLION]);
    const number = quantity(654_321);
    const { hash, stateRoot } = await blockAt(harness, number);
    expect(await call('eth_getUncleCountByBlockNumber', [number])).toBe('0x0');
    expect(await call('eth_getUncleCountByBlockHash', [hash])).toBe('0x0');
    expect(await call('eth_getBlockTransactionCountByHash', [hash])).toBe('0x0');
    expect(await call('eth_getBlockReceipts', [hash])).toEqual([]);
    expect(await call('eth_getTransactionByBlockHashAndIndex', [hash, '0x0'])).toBeNull();
    expect(await call('eth_getBalance', [SENDER, { blockHash: hash }])).toBe(
      await call('eth_getBalance', [SENDER, 'earliest']),
    );
    const { accountProof } = (await call('eth_getProof', [SENDER, [], number])) as { accountProof: string[] };
    const [root] = accountProof.map((node) => keccak256(fromHex(node)));
    expect(root).toEqual(fromHex(stateRoot));
    const fees = await call('eth_feeHistory', ['0x400', number, [50]]);
    expect(fees).toMatchObject({ oldestBlock: quantity(654_321 - 1_023) });
    expect(await call('debug_traceBlockByNumber', [number])).toEqual([]);
    expect(await call('trace_block', [number])).toEqual([]);
  });

  it('a raw header has the parent hash, and its Keccak hash differs from the block hash', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    await call('hardhat_mine', [MILLION]);
    const rawHash = async (number: number) => {
      const raw = (await call('chain_getRawBlockHeaderByNumber', [quantity(number)])) as string;
      return Buffer.from(keccak256(fromHex(raw))).toString('hex');
    };
    const inner = await blockAt(harness, 777_777);
    expect(inner.hash).not.toBe(`0x${await rawHash(777_777)}`);
    const last = await blockAt(harness, 1_000_000);
    expect(last.hash).toBe(`0x${await rawHash(1_000_000)}`);
    expect(await call('chain_getRawBlockHeaderByHash', [inner.hash])).toContain(inner.parentHash.slice(2));
  });

  it('BLOCKHASH returns 255 hashes within a bulk range', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    await call('anvil_setCode', [STRANGER, BLOCKHASH_CODE]);
    await call('hardhat_mine', [MILLION]);
    const asked = async (number: number, at: string) =>
      call('eth_call', [{ to: STRANGER, data: `0x${hexWord(number)}` }, at]);
    const at = 700_000;
    for (const number of [at - 1, at - 255]) {
      expect(await asked(number, quantity(at))).toBe((await blockAt(harness, number)).hash);
    }
    for (const number of [at, at - 257]) expect(await asked(number, quantity(at))).toBe(`0x${hexWord(0)}`);
    expect(await asked(999_900, 'pending')).toBe((await blockAt(harness, 999_900)).hash);
  });

  it('the blocks contain no logs and do not affect log filters', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    const counter = await deploy(harness, 'Counter');
    const increment = () =>
      call('eth_sendTransaction', [{ from: SENDER, to: counter.address, data: counter.data('increment') }]);
    const filter = await call('eth_newFilter', [{ address: counter.address }]);
    await increment();
    await call('hardhat_mine', [MILLION]);
    await increment();
    await call('hardhat_mine', [MILLION]);
    const logs = await call('eth_getLogs', [{ fromBlock: '0x0', address: counter.address }]);
    expect(logs).toMatchObject([{ blockNumber: '0x2' }, { blockNumber: quantity(1_000_003) }]);
    expect(await call('eth_getFilterChanges', [filter])).toEqual(logs);
    const within = { fromBlock: '0x100', toBlock: '0x200' };
    expect(await call('eth_getLogs', [within])).toEqual([]);
    await call('anvil_rollback', [500_000]);
    expect(await call('eth_getFilterChanges', [filter])).toEqual([]);
    await call('anvil_rollback', [1_000_000]);
    expect(await call('eth_getFilterChanges', [filter])).toMatchObject([
      { blockNumber: quantity(1_000_003), removed: true },
    ]);
  });

  it('subscriptions skip the blocks except for the first and the last', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    const connection = testConnection('websocket');
    await call('eth_subscribe', ['newHeads'], connection);
    const filter = await call('eth_newBlockFilter');
    await call('hardhat_mine', [MILLION]);
    const heads = connection.sent.map(({ params }) => (params as { result: BlockFacts }).result);
    expect(heads).toMatchObject([{ number: '0x1' }, { number: MILLION }]);
    expect(await call('eth_getFilterChanges', [filter])).toEqual(heads.map(({ hash }) => hash));
  });

  it('the blocks follow the pending transactions', async () => {
    const harness = await createRpcHarness({}, { automine: false });
    const { call } = harness;
    const hash = await call('eth_sendTransaction', [{ from: SENDER, to: STRANGER, value: '0x1' }]);
    await call('hardhat_mine', [MILLION]);
    expect(await receiptOf(harness, hash)).toMatchObject({ blockNumber: '0x1', status: '0x1' });
    expect(await call('eth_getBalance', [STRANGER, quantity(400_000)])).toBe('0x1');
    expect(await call('eth_blockNumber')).toBe(MILLION);
  });

  it('evm_revert, anvil_rollback and hardhat_reset remove the blocks, then mining continues', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    const snapshot = await call('evm_snapshot');
    await call('hardhat_mine', [MILLION, '0x3c']);
    const kept = await blockAt(harness, 300_000);
    const gone = await blockAt(harness, 300_001);
    await call('anvil_rollback', [700_000]);
    expect(await blockAt(harness, 'latest')).toEqual(kept);
    expect(await call('eth_getBlockByHash', [kept.hash])).toEqual(kept);
    expect(await call('eth_getBlockByHash', [gone.hash])).toBeNull();
    await call('hardhat_setBalance', [STRANGER, '0x7']);
    expect(await call('eth_getBalance', [STRANGER, '0x10'])).toBe('0x0');
    await call('eth_sendTransaction', [{ from: SENDER, to: STRANGER, value: '0x1' }]);
    expect((await blockAt(harness, 'latest')).parentHash).toBe(kept.hash);
    expect(await call('eth_getBalance', [STRANGER])).toBe('0x8');
    await call('evm_revert', [snapshot]);
    expect(await call('eth_blockNumber')).toBe('0x0');
    await call('hardhat_mine', [MILLION]);
    await call('hardhat_reset');
    expect(await call('eth_blockNumber')).toBe('0x0');
    expect(await call('eth_getBlockByHash', [kept.hash])).toBeNull();
  });

  it('anvil_reorg replaces the blocks, with later timestamps and transactions between them', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    await call('anvil_setCode', [STRANGER, BLOCKHASH_CODE]);
    await call('hardhat_mine', [MILLION, '0x3c']);
    const before = await Promise.all([400_000, 400_001, 700_000].map((number) => blockAt(harness, number)));
    const transaction = [{ from: SENDER, to: `0x${'77'.repeat(20)}`, value: '0x1', gas: '0x5208' }, 250_000];
    await call('anvil_reorg', [600_000, [transaction]]);
    const after = await Promise.all([400_000, 400_001, 700_000].map((number) => blockAt(harness, number)));
    expect(after[0]).toEqual(before[0]);
    for (const index of [1, 2]) {
      expect(after[index]?.hash).not.toBe(before[index]?.hash);
      expect(Number(after[index]?.timestamp)).toBe(Number(before[index]?.timestamp) + 1);
    }
    const filled = await blockAt(harness, 650_001);
    expect(filled.transactions).toHaveLength(1);
    for (const number of [400_001, 400_002, 400_003, 650_001, 650_002, 1_000_000]) {
      const [block, parent] = [await blockAt(harness, number), await blockAt(harness, number - 1)];
      expect(block.parentHash).toBe(parent.hash);
      expect(await call('eth_getBlockByHash', [block.hash])).toEqual(block);
    }
    expect(await call('eth_blockNumber')).toBe(MILLION);
  });

  it('the number of blocks is limited so that numbers and timestamps stay exact', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    for (const [method, params] of [
      ['hardhat_mine', ['0xe8d4a51001']],
      ['anvil_mine', ['0xe8d4a51000', '0xffffffffffff']],
      ['evm_mine', [{ blocks: 1e15 }]],
      ['evm_mine_detailed', [{ blocks: 100_001 }]],
    ] as const) {
      await expect(call(method, params)).rejects.toMatchObject({ code: -32602, message: /blocks/ });
    }
    for (let count = 0; count < 3; count++) await call('hardhat_mine', ['0xe8d4a51000']);
    expect(await call('eth_blockNumber')).toBe(quantity(3e12));
  });
});
