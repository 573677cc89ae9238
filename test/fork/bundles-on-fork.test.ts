import { describe, expect, it } from 'vitest';
import { createRpcHarness, type RpcHarness } from '../rpc/rpc-harness.ts';
import { settleMicrotasks } from '../support/fake-time.ts';
import { ALICE, BOB, CAROL } from '../support/test-chain.ts';
import { createForkScene, type ForkScene } from './fork-scene.ts';
import { ScriptedUpstream } from './scripted-upstream.ts';

const COUNTER = `0x${'c0'.repeat(20)}`;
/** SSTORE(0, SLOAD(0) + 1) */
const COUNT = '0x5f546001015f5500';
const SLOT = `0x${'0'.repeat(64)}`;

/** Forks a node with two blocks, a counter and a pool. The fork mines a block each second. */
async function scene(): Promise<ForkScene> {
  const node = await createRpcHarness({ compat: 'anvil' }, { ruleSet: 'prague' });
  await node.call('anvil_setCode', [COUNTER, COUNT]);
  await node.call('eth_sendTransaction', [{ from: ALICE, to: COUNTER }]);
  await node.call('evm_mine');
  const upstream = new ScriptedUpstream((method, params) => node.call(method, params));
  const chain = { automine: false, blockTime: 1, ruleSet: 'prague' } as const;
  return createForkScene(upstream, { chain, rpc: { compat: 'anvil' } });
}

function sign({ call }: RpcHarness, fields: object): Promise<unknown> {
  return call('eth_signTransaction', [{ to: COUNTER, gas: '0x186a0', gasPrice: '0x77359400', ...fields }]);
}

/** Advances the clock by one interval for each block up to this number. */
async function untilBlock({ chain, time }: RpcHarness, number: number): Promise<void> {
  for (let next = chain.head().header.number + 1; next <= number; next++) {
    await time.advance(1_000);
    while (chain.head().header.number < next) await settleMicrotasks();
    await settleMicrotasks();
  }
}

async function hashesOf({ call }: RpcHarness, block: string): Promise<unknown> {
  return ((await call('eth_getBlockByNumber', [block, false])) as { transactions: unknown }).transactions;
}

describe('bundles on a fork with interval mining', () => {
  it('are mined in their block, on state of the forked chain', async () => {
    const fork = await scene();
    const { call, chain } = fork;
    const txs = [await sign(fork, { from: ALICE, nonce: 1 }), await sign(fork, { from: BOB, nonce: 0 })];
    const pooled = await call('eth_sendTransaction', [
      { from: CAROL, to: COUNTER, gas: '0x186a0', gasPrice: '0x174876e800', nonce: 0 },
    ]);
    await call('eth_sendBundle', [{ txs, blockNumber: 4 }]);

    await untilBlock(fork, 3);
    expect(await hashesOf(fork, '0x3')).toEqual([pooled]);
    expect(chain.pool.bundles.size).toBe(1);

    await untilBlock(fork, 4);
    expect(await hashesOf(fork, '0x4')).toHaveLength(2);
    expect(BigInt((await call('eth_getStorageAt', [COUNTER, SLOT])) as string)).toBe(4n);
    expect(chain.pool.bundles.size).toBe(0);
  });

  it('are simulated on the forked block and on a local one', async () => {
    const fork = await scene();
    const txs = [await sign(fork, { from: ALICE, nonce: 1 })];
    await untilBlock(fork, 3);

    for (const stateBlockNumber of ['0x2', 'latest'])
      expect(await fork.call('eth_callBundle', [{ txs, blockNumber: 4, stateBlockNumber }])).toMatchObject({
        stateBlockNumber: stateBlockNumber === 'latest' ? 3 : 2,
        results: [{ fromAddress: ALICE, value: '0x' }],
      });
  });

  it('leave no trace if a transaction fails', async () => {
    const fork = await scene();
    const { call, chain } = fork;
    const txs = [await sign(fork, { from: ALICE, nonce: 1 }), await sign(fork, { from: BOB, nonce: 7 })];
    await call('eth_sendBundle', [{ txs, blockNumber: 4 }]);

    await untilBlock(fork, 4);

    expect(await hashesOf(fork, '0x4')).toEqual([]);
    expect(await call('eth_getTransactionCount', [ALICE, 'pending'])).toBe('0x1');
    expect(chain.pool.bundles.size).toBe(0);
  });
});
