// Long changes of the chain whose client disconnects in between.

import { describe, expect, it } from 'vitest';
import type { Chain } from '../../src/chain/chain.ts';
import { createRpcHarness, type RpcHarness, testConnection } from './rpc-harness.ts';

const DEAD = '0x000000000000000000000000000000000000dead';

/** Calls a method and closes the connection at the third block from then on. */
async function callAndLeave(
  harness: RpcHarness,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  const connection = testConnection();
  let blocks = 0;
  const stop = harness.chain.events.on('block', () => {
    blocks++;
    if (blocks === 3) connection.close();
  });
  try {
    return await harness.call(method, params, connection);
  } catch (error) {
    return error;
  } finally {
    stop();
  }
}

function height(chain: Chain): number {
  return chain.head().header.number;
}

describe('disconnecting clients', () => {
  it.each(['evm_mine_detailed', 'anvil_mine_detailed'])(
    'a disconnect ends %s after the current block',
    async (method) => {
      const harness = await createRpcHarness();

      const answer = await callAndLeave(harness, method, [{ blocks: 1_000 }]);

      expect(answer).toMatchObject({
        code: -32000,
        message: expect.stringContaining('closed the connection'),
      });
      expect(height(harness.chain)).toBe(3);
    },
  );

  it.each<[string, readonly unknown[]]>([
    ['evm_mine', [{ blocks: 50 }]],
    ['anvil_mine', ['0x32']],
    ['hardhat_mine', ['0x32']],
  ])('a disconnect ends a drain of the pool by %s after the current block', async (method, params) => {
    const harness = await createRpcHarness({}, { automine: false, gasLimit: 100_000n });
    const [from] = (await harness.call('eth_accounts')) as string[];
    for (let sent = 0; sent < 20; sent++)
      await harness.call('eth_sendTransaction', [{ from, to: DEAD, gas: '0x186a0' }]);

    await callAndLeave(harness, method, params);

    expect(height(harness.chain)).toBe(3);
  });

  it('a disconnect does not prevent evm_mine_detailed of one block', async () => {
    const harness = await createRpcHarness();
    const connection = testConnection();
    connection.close();

    await harness.call('evm_mine_detailed', [], connection).catch(() => undefined);

    expect(height(harness.chain)).toBe(1);
  });

  it('a disconnect during a reorganization changes nothing', async () => {
    const harness = await createRpcHarness();
    await harness.call('evm_mine_detailed', [{ blocks: 20 }]);
    const { hash } = harness.chain.head();
    const connection = testConnection();
    connection.close();

    await expect(harness.call('anvil_reorg', ['0x5', []], connection)).rejects.toThrow(
      'closed the connection',
    );

    expect(harness.chain.head().hash).toEqual(hash);
  });

  it('a disconnect ends dumps and loads, and changes nothing', async () => {
    const harness = await createRpcHarness();
    await harness.call('evm_mine_detailed', [{ blocks: 5 }]);
    const dump = await harness.call('anvil_dumpState', []);
    await harness.call('evm_mine_detailed', [{ blocks: 5 }]);
    const connection = testConnection();
    connection.close();

    for (const [method, params] of [
      ['anvil_loadState', [dump]],
      ['anvil_dumpState', []],
    ] as const)
      await expect(harness.call(method, params, connection)).rejects.toThrow('closed the connection');

    expect(height(harness.chain)).toBe(10);
  });
});
