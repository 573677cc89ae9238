import { describe, expect, it } from 'vitest';
import { BOB } from '../../support/test-chain.ts';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

const GWEI = 10n ** 9n;

interface History {
  readonly oldestBlock: string;
  readonly baseFeePerGas: readonly string[];
  readonly gasUsedRatio: readonly number[];
  readonly reward?: readonly (readonly string[])[];
}

async function history({ call }: RpcHarness, ...params: unknown[]): Promise<History> {
  return (await call('eth_feeHistory', params)) as History;
}

/** A block of transfers of 21000 gas with these priority fees (wei). */
async function mineTransfers({ call, chain }: RpcHarness, tips: readonly bigint[]): Promise<void> {
  chain.miner.setMode({ automine: false, blockTime: null });
  for (const tip of tips) {
    const fees = {
      maxFeePerGas: `0x${(10n * GWEI).toString(16)}`,
      maxPriorityFeePerGas: `0x${tip.toString(16)}`,
    };
    await call('eth_sendTransaction', [{ from: SENDER, to: BOB, gas: '0x5208', ...fees }]);
  }
  await call('evm_mine');
}

describe('eth_feeHistory', () => {
  it('returns the base fees of the blocks and of the next block', async () => {
    const harness = await createRpcHarness({}, { ruleSet: 'cancun' });
    await harness.chain.mine({ count: 3 });
    const fees: unknown[] = [];
    for (const number of ['0x1', '0x2', '0x3']) {
      const block = (await harness.call('eth_getBlockByNumber', [number])) as { baseFeePerGas: string };
      fees.push(block.baseFeePerGas);
    }
    const next = toHexQuantity(harness.chain.fees.nextBaseFee());
    expect(await history(harness, '0x3', 'latest')).toEqual({
      oldestBlock: '0x1',
      baseFeePerGas: [...fees, next],
      gasUsedRatio: [0, 0, 0],
      baseFeePerBlobGas: ['0x1', '0x1', '0x1', '0x1'],
      blobGasUsedRatio: [0, 0, 0],
    });
    expect((await history(harness, 1, '0x2')).baseFeePerGas).toEqual([fees[1], fees[2]]);
  });

  it('returns the priority fees at percentiles weighted by gas', async () => {
    const harness = await createRpcHarness({}, { ruleSet: 'london' });
    await mineTransfers(
      harness,
      [4n, 3n, 2n, 1n].map((tip) => tip * GWEI),
    );
    const { reward, gasUsedRatio } = await history(harness, 1, 'latest', [0, 25, 26, 50, 75, 100]);
    expect(reward).toEqual([[1n, 1n, 2n, 2n, 3n, 4n].map((tip) => `0x${(tip * GWEI).toString(16)}`)]);
    expect(gasUsedRatio).toEqual([84_000 / 30_000_000]);
    expect((await history(harness, 2, 'latest', [50])).reward?.[0]).toEqual(['0x0']);
    expect(await history(harness, 1, 'latest')).not.toHaveProperty('reward');
    expect(await history(harness, 1, 'latest', [])).not.toHaveProperty('reward');
  });

  it('returns base fees of 0 under Rootstock rules, so that clients read the block', async () => {
    const harness = await createRpcHarness();
    await harness.call('eth_sendTransaction', [{ from: SENDER, to: BOB, gasPrice: '0x7', gas: '0x5208' }]);
    expect(await history(harness, 2, 'latest', [50])).toEqual({
      oldestBlock: '0x0',
      baseFeePerGas: ['0x0', '0x0', '0x0'],
      gasUsedRatio: [0, 21_000 / 30_000_000],
      reward: [['0x0'], ['0x7']],
    });
  });

  it('returns at most 1024 blocks, and no blocks for a count of 0', async () => {
    const harness = await createRpcHarness();
    await harness.chain.mine({ count: 1_030 });
    expect((await history(harness, '0x5000', 'latest')).gasUsedRatio).toHaveLength(1_024);
    expect((await history(harness, 10, '0x2')).gasUsedRatio).toHaveLength(3);
    expect(await history(harness, 0, 'latest')).toEqual({
      oldestBlock: '0x0',
      baseFeePerGas: [],
      gasUsedRatio: [],
    });
  });

  it.each([
    [[101], /rewardPercentiles\[0\]/],
    [[-1], /rewardPercentiles\[0\]/],
    [['50'], /rewardPercentiles\[0\]/],
    [[50, 20], /rewardPercentiles: expected percentages in ascending order/],
    [Array(101).fill(1), /rewardPercentiles: .*at most 100/],
  ])('rejects the percentiles %j', async (percentiles, message) => {
    const harness = await createRpcHarness();
    await expect(history(harness, 1, 'latest', percentiles)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(message),
    });
  });
});

describe('eth_blobBaseFee', () => {
  it('eth_blobBaseFee returns the minimum fee under cancun, and 0 without blobs', async () => {
    for (const [ruleSet, fee] of [
      ['cancun', '0x1'],
      ['shanghai', '0x0'],
      ['rootstock', '0x0'],
    ] as const) {
      const { call } = await createRpcHarness({}, { ruleSet });
      expect(await call('eth_blobBaseFee'), ruleSet).toBe(fee);
    }
  });
});

describe('eth_maxPriorityFeePerGas', () => {
  it('eth_maxPriorityFeePerGas returns 1 gwei, or the gas price without a base fee', async () => {
    const market = await createRpcHarness({}, { ruleSet: 'london' });
    expect(await market.call('eth_maxPriorityFeePerGas')).toBe('0x3b9aca00');
    const legacy = await createRpcHarness({}, { minimumGasPrice: 7n });
    expect(await legacy.call('eth_maxPriorityFeePerGas')).toBe('0x7');
    expect(await legacy.call('eth_gasPrice')).toBe('0x7');
  });
});

function toHexQuantity(value: bigint | null): string {
  return `0x${(value ?? 0n).toString(16)}`;
}

describe('eth_baseFee', () => {
  it('eth_baseFee returns the base fee of the next block', async () => {
    const { call } = await createRpcHarness({}, { ruleSet: 'prague' });
    const next = await call('eth_baseFee');
    await call('evm_mine');
    const { baseFeePerGas } = (await call('eth_getBlockByNumber', ['latest'])) as { baseFeePerGas: string };
    expect(next).toBe(baseFeePerGas);
    await call('anvil_setNextBlockBaseFeePerGas', ['0x7']);
    expect(await call('eth_baseFee')).toBe('0x7');
  });

  it('eth_baseFee returns null under Rootstock rules', async () => {
    const { call } = await createRpcHarness();
    expect(await call('eth_baseFee')).toBeNull();
  });
});
