import { describe, expect, it } from 'vitest';
import { createRpcHarness, type RpcHarness } from '../rpc-harness.ts';
import { SENDER } from './contract.ts';

const OTHER = `0x${'22'.repeat(20)}`;

type Compat = 'service' | 'anvil' | 'hardhat';

/** A chain whose blocks hold two transfers, with five transfers in the pool and automine off. */
async function fullPool(compat: Compat): Promise<RpcHarness> {
  const harness = await createRpcHarness({ compat }, { gasLimit: 50_000n });
  await harness.call('evm_setAutomine', [false]);
  for (let count = 0; count < 5; count++)
    await harness.call('eth_sendTransaction', [{ from: SENDER, to: OTHER, value: '0x1', gas: '0x5208' }]);
  return harness;
}

async function transactionCounts({ call }: RpcHarness): Promise<number[]> {
  const head = Number(await call('eth_blockNumber'));
  const counts: number[] = [];
  for (let number = 1; number <= head; number++)
    counts.push(Number(await call('eth_getBlockTransactionCountByNumber', [`0x${number.toString(16)}`])));
  return counts;
}

describe('evm_mine with a full block', () => {
  it.each([
    [[], [2, 2, 1]],
    [[{ blocks: 2 }], [2, 2, 1]],
    [[{ blocks: 4 }], [2, 2, 1, 0]],
    [[{ timestamp: 4_000_000_000 }], [2, 2, 1]],
  ])('evm_mine mines the rest of the pool in compat mode anvil, for %j', async (params, counts) => {
    const harness = await fullPool('anvil');

    expect(await harness.call('evm_mine', params)).toBe('0x0');

    expect(await transactionCounts(harness)).toEqual(counts);
  });

  it('evm_mine_detailed lists the additional blocks in compat mode anvil', async () => {
    const harness = await fullPool('anvil');

    const blocks = (await harness.call('evm_mine_detailed')) as { readonly transactions: unknown[] }[];

    expect(blocks.map(({ transactions }) => transactions.length)).toEqual([2, 2, 1]);
  });

  it.each(['service', 'hardhat'] as const)('evm_mine mines one block in compat mode %s', async (compat) => {
    const harness = await fullPool(compat);

    await harness.call('evm_mine');

    expect(await transactionCounts(harness)).toEqual([2]);
  });

  it('evm_mine mines one block in compat mode anvil without executable transactions', async () => {
    const harness = await createRpcHarness({ compat: 'anvil' });
    await harness.call('eth_sendTransaction', [{ from: SENDER, to: OTHER, nonce: '0x5' }]);

    await harness.call('evm_mine');

    expect(await transactionCounts(harness)).toEqual([0]);
  });

  it('evm_mine mines no block for a count of 0 in compat mode anvil', async () => {
    const harness = await fullPool('anvil');

    await harness.call('evm_mine', [{ blocks: 0 }]);

    expect(await transactionCounts(harness)).toEqual([]);
  });

  it('anvil_mine mines the requested number of blocks', async () => {
    const harness = await fullPool('anvil');

    await harness.call('anvil_mine', ['0x1']);

    expect(await transactionCounts(harness)).toEqual([2]);
  });
});
