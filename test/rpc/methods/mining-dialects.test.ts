import { describe, expect, it } from 'vitest';
import { answerMessage } from '../../../src/server/envelope.ts';
import { createTestChain, TEST_START } from '../../support/test-chain.ts';
import { createRpcHarness, type RpcHarness, testConnection, testService } from '../rpc-harness.ts';
import { deploy, receiptOf, SENDER } from './contract.ts';

const START = TEST_START / 1000;
const STRANGER = `0x${'5a'.repeat(20)}`;

interface BlockFacts {
  readonly number: string;
  readonly timestamp: string;
  readonly miner: string;
  readonly gasLimit: string;
  readonly minimumGasPrice: string;
  readonly extraData: string;
  readonly mixHash: string;
  readonly baseFeePerGas?: string;
  readonly transactions: readonly unknown[];
}

async function latest({ call }: RpcHarness): Promise<BlockFacts> {
  return (await call('eth_getBlockByNumber', ['latest'])) as BlockFacts;
}

/** The timestamps of all blocks except the genesis, in seconds since the start of the chain. */
async function timestamps({ call, chain }: RpcHarness): Promise<number[]> {
  const seconds: number[] = [];
  for (let number = 1; number <= chain.head().header.number; number++) {
    const { timestamp } = (await call('eth_getBlockByNumber', [number])) as BlockFacts;
    seconds.push(Number(timestamp) - START);
  }
  return seconds;
}

describe('hardhat_mine', () => {
  it('hardhat_mine mines one block by default, or N blocks one second apart', async () => {
    const harness = await createRpcHarness();
    await harness.call('hardhat_mine');
    await harness.call('hardhat_mine', ['0x3']);
    expect(await timestamps(harness)).toEqual([1, 2, 3, 4]);
  });

  it('hardhat_mine applies the interval between blocks, but not before the first block', async () => {
    const harness = await createRpcHarness();
    await harness.time.advance(100_000);
    await harness.call('hardhat_mine', ['0x3', '0x3c']);
    expect(await timestamps(harness)).toEqual([100, 160, 220]);
    await harness.time.advance(5_000);
    await harness.call('hardhat_mine');
    expect((await timestamps(harness)).at(-1)).toBe(225);
  });

  it('hardhat_mine gives the first block the timestamp of evm_setNextBlockTimestamp', async () => {
    const harness = await createRpcHarness();
    await harness.call('evm_setNextBlockTimestamp', [START + 1_000]);
    await harness.call('hardhat_mine', ['0x1', '0x1']);
    expect(await timestamps(harness)).toEqual([1_000]);
  });

  it('hardhat_mine uses the interval of anvil_setBlockTimestampInterval', async () => {
    const harness = await createRpcHarness();
    await harness.call('anvil_setBlockTimestampInterval', [12]);
    await harness.call('hardhat_mine', ['0x2']);
    expect(await timestamps(harness)).toEqual([12, 24]);
  });

  it('hardhat_mine and anvil_mine mine no blocks if the count is 0', async () => {
    const harness = await createRpcHarness();
    await harness.call('hardhat_mine', ['0x0', '0x3c']);
    await harness.call('anvil_mine', ['0x0', '0x3c']);
    expect(await timestamps(harness)).toEqual([]);
    expect(await harness.call('anvil_increaseTime', [0])).toBe(0);
  });
});

describe('anvil_mine', () => {
  it('anvil_mine follows the clock without an interval or with interval 0', async () => {
    const harness = await createRpcHarness();
    await harness.time.advance(100_000);
    await harness.call('anvil_mine', ['0x2']);
    await harness.call('anvil_mine', ['0x1', '0x0']);
    expect(await timestamps(harness)).toEqual([100, 101, 102]);
  });

  it('anvil_mine advances the clock permanently by the interval before each block', async () => {
    const harness = await createRpcHarness();
    await harness.call('anvil_mine', ['0x3', '0x3c']);
    expect(await timestamps(harness)).toEqual([60, 120, 180]);
    expect(await harness.call('anvil_increaseTime', [0])).toBe(180);
  });
});

describe('evm_mine_detailed', () => {
  it('evm_mine_detailed returns the output and the revert reason of each transaction', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    const counter = await deploy(harness, 'Counter');
    await call('evm_setAutomine', [false]);
    const gas = '0x30000';
    await call('eth_sendTransaction', [
      { from: SENDER, to: counter.address, gas, data: counter.data('count') },
    ]);
    const huge = counter.data('increase', 2n ** 256n - 1n);
    await call('eth_sendTransaction', [
      { from: SENDER, to: counter.address, gas, data: counter.data('increment') },
    ]);
    await call('eth_sendTransaction', [{ from: SENDER, to: counter.address, gas, data: huge }]);
    const blocks = (await call('evm_mine_detailed', [{ blocks: 2 }])) as BlockFacts[];
    expect(blocks.map(({ number }) => number)).toEqual(['0x2', '0x3']);
    expect(blocks[0]?.transactions).toMatchObject([
      { output: `0x${'0'.repeat(64)}` },
      { output: '0x' },
      { revertReason: 'arithmetic underflow or overflow' },
    ]);
    expect(blocks[0]?.transactions[0]).not.toHaveProperty('revertReason');
    expect(blocks[1]?.transactions).toEqual([]);
  });
});

describe('evm_mine_detailed above the response limit', () => {
  it('evm_mine_detailed returns transaction hashes for blocks above the response limit', async () => {
    const { call } = await createRpcHarness();
    await call('evm_setAutomine', [false]);
    const accounts = (await call('eth_accounts')) as string[];
    const send = (data: string, index: number): Promise<unknown> =>
      call('eth_sendTransaction', [
        { from: accounts[index % accounts.length], to: SENDER, gas: '0x87000', data },
      ]);
    await call('evm_setBlockGasLimit', ['0xba43b7400']);
    const data = `0x${'00'.repeat(130_900)}`;
    for (let index = 0; index < 1_025; index++) await send(data, index);
    const [first, second] = (await call('evm_mine_detailed', [{ blocks: 2 }])) as BlockFacts[];
    expect(first?.transactions).toHaveLength(1_025);
    expect(new Set(first?.transactions.map((transaction) => typeof transaction))).toEqual(
      new Set(['string']),
    );
    expect(second?.number).toBe('0x2');
    for (let index = 0; index < 20; index++) await send(data, index);
    const [third] = (await call('evm_mine_detailed')) as BlockFacts[];
    expect(third?.transactions.map((transaction) => typeof transaction)).toEqual(Array(20).fill('object'));
  });
});

describe('evm_mine_detailed in a batch close to the response limit', () => {
  const mine = (blocks: number) => ({ method: 'evm_mine_detailed', params: [{ blocks }] });

  /**
   * The responses to a batch limited to 200,000 characters. The pool has `waiting` transactions of 10,000
   * characters.
   */
  async function answersTo(calls: readonly { readonly method: string }[], waiting: number) {
    const { chain, time } = await createTestChain({ automine: false });
    const service = testService(chain, time);
    const ask = async (requests: readonly { readonly method: string }[], answerLimit: number) => {
      const text = JSON.stringify(requests.map((request, id) => ({ jsonrpc: '2.0', id, ...request })));
      const hooks = { onInternalError: () => undefined };
      const limits = { batchLimit: 100, answerLimit, hooks };
      const answer = await answerMessage(text, service, testConnection(), limits);
      return JSON.parse(String(answer)) as { result?: BlockFacts[]; error?: object }[];
    };
    const sent = { from: SENDER, to: SENDER, gas: '0x186a0', data: `0x${'00'.repeat(5_000)}` };
    const send = { method: 'eth_sendTransaction', params: [sent] };
    if (waiting > 0) await ask(Array(waiting).fill(send), 2 ** 28);
    return { chain, answers: await ask(calls, 200_000) };
  }

  it('evm_mine_detailed returns hashes if the transactions exceed the remaining size', async () => {
    const { answers } = await answersTo([mine(1), mine(20)], 10);
    expect(answers[0]?.result?.[0]?.transactions.map((each) => typeof each)).toEqual(
      Array(10).fill('object'),
    );
    const later = await answersTo([{ method: 'web3_clientVersion' }, mine(1)], 20);
    expect(later.answers[1]?.result?.[0]?.transactions.map((each) => typeof each)).toEqual(
      Array(20).fill('string'),
    );
  });

  it('evm_mine_detailed mines no block if the blocks may exceed the remaining response size', async () => {
    const { chain, answers } = await answersTo([mine(40), mine(40), mine(1)], 0);
    expect(answers[0]?.result).toHaveLength(40);
    expect(answers[1]?.error).toMatchObject({
      code: -32000,
      message: expect.stringContaining('so the request was not executed'),
    });
    expect(answers[2]?.result).toHaveLength(1);
    expect(chain.head().header.number).toBe(41);
  });
});

describe('automine and interval mining', () => {
  it('evm_setIntervalMining and evm_setAutomine do not affect each other', async () => {
    const { call, chain } = await createRpcHarness();
    await call('evm_setIntervalMining', [5]);
    expect(await call('anvil_getAutomine')).toBe(true);
    expect(await call('anvil_getIntervalMining')).toBe(5);
    expect(await call('hardhat_getIntervalMining')).toBe(5_000);
    await call('evm_setAutomine', [false]);
    expect(await call('hardhat_getAutomine')).toBe(false);
    expect(await call('anvil_getIntervalMining')).toBe(5);
    await call('hardhat_setIntervalMining', [[1_500, 3_000]]);
    expect(await call('anvil_getIntervalMining')).toEqual([1_500, 3_000]);
    await call('anvil_setAutomine', [true]);
    await call('anvil_setIntervalMining', [0]);
    expect(chain.miner.mode).toEqual({ automine: true, blockTime: null });
  });

  it('evm_setAutomine in compat mode hardhat leaves pending transactions to the next send', async () => {
    const harness = await createRpcHarness({ compat: 'hardhat' });
    const { call } = harness;
    await call('evm_setAutomine', [false]);
    const first = await call('eth_sendTransaction', [{ from: SENDER, to: STRANGER }]);
    await call('evm_setAutomine', [true]);
    expect(await call('eth_getTransactionReceipt', [first])).toBeNull();
    const second = await call('eth_sendTransaction', [{ from: SENDER, to: STRANGER }]);
    for (const hash of [first, second])
      expect(await receiptOf(harness, hash)).toMatchObject({ status: '0x1', blockNumber: '0x1' });
  });

  it('evm_setAutomine in compat mode service mines pending transactions in one block', async () => {
    const harness = await createRpcHarness();
    const { call, chain } = harness;
    await call('evm_setIntervalMining', [5]);
    await call('evm_setAutomine', [false]);
    const waiting: unknown[] = [];
    for (let count = 0; count < 3; count++) {
      waiting.push(await call('eth_sendTransaction', [{ from: SENDER, to: STRANGER }]));
    }
    expect(await call('evm_setAutomine', [true])).toBeNull();
    expect(chain.miner.mode).toEqual({ automine: true, blockTime: 5 });
    expect(await latest(harness)).toMatchObject({ number: '0x1', transactions: waiting });
    await call('evm_setAutomine', [true]);
    expect(chain.head().header.number).toBe(1);
  });

  it('automine and interval mining disable each other in compat mode anvil', async () => {
    const harness = await createRpcHarness({ compat: 'anvil' });
    const { call, chain } = harness;
    for (const method of ['anvil_setIntervalMining', 'evm_setIntervalMining']) {
      await call(method, [5]);
      expect(chain.miner.mode).toEqual({ automine: false, blockTime: 5 });
      const waiting: unknown[] = [];
      for (let count = 0; count < 3; count++) {
        waiting.push(await call('eth_sendTransaction', [{ from: SENDER, to: STRANGER }]));
      }
      const { number } = chain.head().header;
      expect(await call('evm_setAutomine', [true])).toBeNull();
      expect(chain.miner.mode).toEqual({ automine: true, blockTime: null });
      expect(await latest(harness)).toMatchObject({
        number: `0x${(number + 1).toString(16)}`,
        transactions: waiting,
      });
      await call('evm_setAutomine', [true]);
      expect(chain.head().header.number).toBe(number + 1);
    }
    await call('anvil_setIntervalMining', [0]);
    expect(chain.miner.mode).toEqual({ automine: false, blockTime: null });
    await call('evm_setAutomine', [true]);
    await call('evm_setAutomine', [false]);
    expect(chain.miner.mode).toEqual({ automine: false, blockTime: null });
  });

  it.each([
    ['miner_start', []],
    ['evm_startMining', []],
  ])('%s mines pending transactions in one block', async (method, params) => {
    const harness = await createRpcHarness();
    const { call } = harness;
    await call('miner_stop');
    const waiting: unknown[] = [];
    for (let count = 0; count < 3; count++) {
      waiting.push(await call('eth_sendTransaction', [{ from: SENDER, to: STRANGER }]));
    }
    await call(method, params);
    expect(await latest(harness)).toMatchObject({ number: '0x1', transactions: waiting });
  });

  it('hardhat_setIntervalMining mines blocks at random intervals within the range', async () => {
    const harness = await createRpcHarness();
    await harness.call('hardhat_setIntervalMining', [['0x2710', '0x4e20']]);
    const settle = () => harness.chain.mine({ count: 0 });
    await harness.time.advance(100_000, settle);
    const seconds = await timestamps(harness);
    expect(seconds.length).toBeGreaterThanOrEqual(5);
    for (const [position, second] of seconds.entries()) {
      const distance = second - (seconds[position - 1] ?? 0);
      expect(distance).toBeGreaterThanOrEqual(9);
      expect(distance).toBeLessThanOrEqual(20);
    }
  });

  it.each([[[1]], [[2, 1]], [[0, 0]], [[1, 2, 3]], [-1], [1.5], ['soon'], [null]])(
    'rejects the interval %j',
    async (interval) => {
      const { call, chain } = await createRpcHarness();
      await expect(call('evm_setIntervalMining', [interval])).rejects.toMatchObject({ code: -32602 });
      expect(chain.miner.blockTime).toBeNull();
    },
  );

  it('eth_mining follows miner_stop and miner_start, also on a node without automine', async () => {
    const { call } = await createRpcHarness({}, { automine: false });
    expect(await call('eth_mining')).toBe(false);
    await call('miner_start');
    expect(await call('eth_mining')).toBe(true);
    await call('miner_stop');
    expect(await call('eth_mining')).toBe(false);
  });
});

describe('settings of the next blocks', () => {
  it('settings apply from the next block', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    await call('anvil_setCoinbase', [STRANGER]);
    await call('evm_setBlockGasLimit', ['0x7a1200']);
    await call('hardhat_setMinGasPrice', ['0x9']);
    await call('miner_setExtra', ['0xabcd']);
    await call('evm_mine');
    expect(await latest(harness)).toMatchObject({
      miner: STRANGER,
      gasLimit: '0x7a1200',
      minimumGasPrice: '0x9',
      extraData: '0xabcd',
    });
    expect(await call('eth_coinbase')).toBe(STRANGER);
    expect(await call('eth_gasPrice')).toBe('0x9');
    expect(await call('eth_getBlockByNumber', ['0x0'])).toMatchObject({ gasLimit: '0x1c9c380' });
  });

  it('evm_revert and hardhat_reset restore the settings of the snapshot and of the start', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    await call('anvil_setCoinbase', [STRANGER]);
    const snapshot = await call('evm_snapshot');
    await call('evm_setBlockGasLimit', ['0x1']);
    await call('anvil_setChainId', ['0x7a69']);
    await call('miner_setEtherbase', [SENDER]);
    await call('evm_revert', [snapshot]);
    await call('evm_mine');
    expect(await latest(harness)).toMatchObject({ miner: STRANGER, gasLimit: '0x1c9c380' });
    expect(await call('eth_chainId')).toBe('0x21');
    await call('hardhat_reset');
    expect(await call('eth_coinbase')).toBe(`0x${'cc'.repeat(20)}`);
  });

  it('evm_setBlockGasLimit rejects 0 and drops transactions above the new limit', async () => {
    const { call } = await createRpcHarness({ compat: 'anvil' });
    await expect(call('evm_setBlockGasLimit', ['0x0'])).rejects.toMatchObject({ code: -32602 });
    await call('evm_setAutomine', [false]);
    await call('eth_sendTransaction', [{ from: SENDER, to: STRANGER, gas: '0x5208' }]);
    await call('eth_sendTransaction', [{ from: SENDER, to: STRANGER, gas: '0x30000' }]);
    await call('evm_setBlockGasLimit', ['0x10000']);
    expect(await call('txpool_status')).toEqual({ pending: '0x1', queued: '0x0' });
    await expect(
      call('eth_sendTransaction', [{ from: SENDER, to: STRANGER, gas: '0x10001' }]),
    ).rejects.toMatchObject({ message: expect.stringContaining('CallerGasLimitMoreThanBlock') });
  });

  it('miner_setGasPrice rejects transactions below the gas price', async () => {
    const { call } = await createRpcHarness();
    await call('miner_setGasPrice', ['0x5']);
    await expect(
      call('eth_sendTransaction', [{ from: SENDER, to: STRANGER, gasPrice: '0x4' }]),
    ).rejects.toMatchObject({ message: expect.stringContaining('underpriced') });
    const hash = await call('eth_sendTransaction', [{ from: SENDER, to: STRANGER }]);
    expect(await call('eth_getTransactionByHash', [hash])).toMatchObject({ gasPrice: '0x5' });
  });

  it('anvil_setChainId changes the chain id of signatures and of the CHAINID opcode', async () => {
    const harness = await createRpcHarness();
    const { call } = harness;
    await call('anvil_setCode', [STRANGER, '0x4660005260206000f3']);
    const seen = () => call('eth_call', [{ to: STRANGER }, 'latest']);
    expect(await seen()).toBe(`0x${'21'.padStart(64, '0')}`);
    await call('anvil_setChainId', [31_337]);
    expect(await call('eth_chainId')).toBe('0x7a69');
    expect(await seen()).toBe(`0x${'7a69'.padStart(64, '0')}`);
    const hash = await call('eth_sendTransaction', [{ from: SENDER, to: STRANGER }]);
    const { v } = (await call('eth_getTransactionByHash', [hash])) as { v: string };
    expect([62_709, 62_710]).toContain(Number(v));
    await expect(
      call('eth_sendTransaction', [{ from: SENDER, to: STRANGER, chainId: '0x21' }]),
    ).rejects.toMatchObject({ code: -32602 });
  });
});

describe('the base fee and PREVRANDAO of the next block', () => {
  it('hardhat_setNextBlockBaseFeePerGas and hardhat_setPrevRandao apply to one block', async () => {
    const harness = await createRpcHarness({}, { ruleSet: 'shanghai' });
    const { call } = harness;
    await call('hardhat_setNextBlockBaseFeePerGas', ['0x64']);
    await call('hardhat_setPrevRandao', [`0x${'ab'.repeat(32)}`]);
    // The base fee of the head plus 1 gwei of priority fee.
    expect(await call('eth_gasPrice')).toBe('0x3b9aca64');
    await call('evm_mine');
    expect(await latest(harness)).toMatchObject({ baseFeePerGas: '0x64', mixHash: `0x${'ab'.repeat(32)}` });
    await call('evm_mine');
    const { baseFeePerGas, mixHash } = await latest(harness);
    expect(baseFeePerGas).toBe('0x58');
    expect(mixHash).not.toBe(`0x${'ab'.repeat(32)}`);
  });

  it('anvil_setNextBlockBaseFeePerGas accepts 0', async () => {
    const harness = await createRpcHarness({}, { ruleSet: 'london' });
    await harness.call('anvil_setNextBlockBaseFeePerGas', ['0x0']);
    await harness.call('evm_mine');
    expect(await latest(harness)).toMatchObject({ baseFeePerGas: '0x0' });
  });

  it('evm_revert resets the next base fee', async () => {
    const harness = await createRpcHarness({}, { ruleSet: 'shanghai' });
    const snapshot = await harness.call('evm_snapshot');
    await harness.call('anvil_setNextBlockBaseFeePerGas', ['0x64']);
    await harness.call('evm_revert', [snapshot]);
    await harness.call('evm_mine');
    expect((await latest(harness)).baseFeePerGas).not.toBe('0x64');
  });

  it('setting PREVRANDAO is rejected under Rootstock rules', async () => {
    const { call } = await createRpcHarness();
    for (const method of ['anvil_setNextBlockPrevRandao', 'hardhat_setPrevRandao']) {
      await expect(call(method, [`0x${'ab'.repeat(32)}`])).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('rootstock'),
      });
    }
  });
});
