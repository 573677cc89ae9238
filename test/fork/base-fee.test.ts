import { describe, expect, it, onTestFinished } from 'vitest';
import { createNode, type LocalNodeOptions } from '../../src/index.ts';

async function open(options: LocalNodeOptions): ReturnType<typeof createNode> {
  const node = await createNode({ hardfork: 'cancun', ...options });
  onTestFinished(() => node.close());
  return node;
}

describe('the base fee of a fork', () => {
  it.each([
    ['the base fee after the fork block', {}, { baseFeePerGas: '0x342770c0' }],
    ['the given base fee', { blockBaseFeePerGas: 303 }, { baseFeePerGas: '0x12f' }],
    ['a given base fee of 0', { blockBaseFeePerGas: 0 }, { baseFeePerGas: '0x0' }],
  ] as const)('the first own block has %s, also after a reset', async (_, options, expected) => {
    const upstream = await open({});
    const { url, close } = await upstream.listen();
    onTestFinished(close);
    const fork = await open({ forkUrl: url, forkBlockNumber: 0, noStorageCaching: true, ...options });
    const mined = async (): Promise<unknown> => {
      await fork.request({ method: 'evm_mine' });
      return fork.request({ method: 'eth_getBlockByNumber', params: ['latest', false] });
    };

    expect(await mined()).toMatchObject(expected);
    for (const target of [[], [{ forking: { jsonRpcUrl: url, blockNumber: 0 } }]]) {
      await fork.request({ method: 'hardhat_reset', params: target });
      expect(await mined()).toMatchObject({ number: '0x1', ...expected });
    }
  });

  it('is rejected if the rules of the forked chain have no base fee', async () => {
    const upstream = await open({ hardfork: 'rootstock' });
    const { url, close } = await upstream.listen();
    onTestFinished(close);
    const forked = createNode({ forkUrl: url, noStorageCaching: true, blockBaseFeePerGas: 303 });
    await expect(forked).rejects.toThrow(
      '--block-base-fee-per-gas: blocks have no base fee in hardfork rootstock of the forked chain; remove the option',
    );
  });
});
