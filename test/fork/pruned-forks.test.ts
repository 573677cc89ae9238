import { expect, it } from 'vitest';
import { createExampleChain, EXAMPLE } from '../rpc/example-chain.ts';
import { createForkScene } from './fork-scene.ts';
import { ScriptedUpstream } from './scripted-upstream.ts';

it('a fork with --prune-history requests only blocks before the fork from the upstream', async () => {
  const node = await createExampleChain();
  const upstream = new ScriptedUpstream((method, params) => node.call(method, params));
  const scene = await createForkScene(upstream, { chain: { keptBlocks: 4 } });
  const begin = Number(await scene.call('eth_blockNumber'));
  for (let count = 0; count < 20; count++) await scene.call('evm_mine');
  const quantity = (number: number): string => `0x${number.toString(16)}`;
  const oldest = begin + 17;
  const balanceAt = (number: number): Promise<unknown> =>
    scene.call('eth_getBalance', [EXAMPLE.receiver, quantity(number)]);

  expect(await scene.call('eth_getBlockByNumber', [quantity(begin - 1), false])).toEqual(
    await node.call('eth_getBlockByNumber', [quantity(begin - 1), false]),
  );
  expect(await balanceAt(begin - 1)).toBe(
    await node.call('eth_getBalance', [EXAMPLE.receiver, quantity(begin - 1)]),
  );
  for (const number of [begin, begin + 1, oldest - 1])
    await expect(balanceAt(number)).rejects.toMatchObject({ code: 4444 });
  expect(await balanceAt(oldest)).toBe(await balanceAt(oldest + 3));
  await expect(scene.call('anvil_dumpState')).rejects.toMatchObject({
    code: -32000,
    message: expect.stringContaining('--prune-history'),
  });
});
