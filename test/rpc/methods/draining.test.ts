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

describe('evm_mine, if a block is full', () => {
  it.each([
    [[], [2, 2, 1]],
    [[{ blocks: 2 }], [2, 2, 1]],
    [[{ blocks: 4 }], [2, 2, 1, 0]],
    [[{ timestamp: 4_000_000_000 }], [2, 2, 1]],
  ])('mines the rest of the pool with compat anvil, for %j', async (params, counts) => {
    const harness = await fullPool('anvil');

    expect(await harness.call('evm_mine', params)).toBe('0x0');

    expect(await transactionCounts(harness)).toEqual(counts);
  });

  it('lists the further blocks in evm_mine_detailed with compat anvil', async () => {
    const harness = await fullPool('anvil');

    const blocks = (await harness.call('evm_mine_detailed')) as { readonly transactions: unknown[] }[];

    expect(blocks.map(({ transactions }) => transactions.length)).toEqual([2, 2, 1]);
  });

  it.each(['service', 'hardhat'] as const)('mines one block with compat %s', async (compat) => {
    const harness = await fullPool(compat);

    await harness.call('evm_mine');

    expect(await transactionCounts(harness)).toEqual([2]);
  });

  it('mines one block with compat anvil if the pool is empty or its transactions must wait', async () => {
    const harness = await createRpcHarness({ compat: 'anvil' });
    await harness.call('eth_sendTransaction', [{ from: SENDER, to: OTHER, nonce: '0x5' }]);

    await harness.call('evm_mine');

    expect(await transactionCounts(harness)).toEqual([0]);
  });

  it('mines no block for a count of 0 with compat anvil', async () => {
    const harness = await fullPool('anvil');

    await harness.call('evm_mine', [{ blocks: 0 }]);

    expect(await transactionCounts(harness)).toEqual([]);
  });

  it('leaves anvil_mine with the number of blocks that it got', async () => {
    const harness = await fullPool('anvil');

    await harness.call('anvil_mine', ['0x1']);

    expect(await transactionCounts(harness)).toEqual([2]);
  });
});
