import { describe, expect, it } from 'vitest';
import { SENDER } from './methods/contract.ts';
import { createRpcHarness } from './rpc-harness.ts';

describe('a transaction that the pool refuses', () => {
  const unaffordable = { from: SENDER, to: SENDER, value: '0xffffffffffffffffffffffffffffffff' };

  it.each([
    ['service', -32010],
    ['anvil', -32003],
    ['hardhat', -32000],
  ] as const)('has the code that clients of the dialect %s look for', async (compat, code) => {
    const { call, chain } = await createRpcHarness({ compat });
    await expect(call('eth_sendTransaction', [unaffordable])).rejects.toMatchObject({
      code,
      message: expect.stringContaining('insufficient funds for gas * price + value'),
    });
    expect(chain.pool.size).toBe(0);
  });
});
