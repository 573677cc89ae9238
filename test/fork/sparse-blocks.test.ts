import { describe, expect, it } from 'vitest';
import { toQuantity } from '../../src/primitives/hex.ts';
import { ruleSetNamed } from '../../src/protocol/hardforks/registry.ts';
import { createExampleChain, EXAMPLE, type ExampleChain } from '../rpc/example-chain.ts';
import { ALICE } from '../support/test-chain.ts';
import { createForkScene, type ForkScene } from './fork-scene.ts';
import { ScriptedUpstream } from './scripted-upstream.ts';

/** A fork of a node whose blocks lack these members. */
async function forkWithout(members: readonly string[]): Promise<ForkScene & { readonly node: ExampleChain }> {
  const node = await createExampleChain();
  const upstream = new ScriptedUpstream(async (method, params) => {
    const answer = await node.call(method, params);
    if (!method.startsWith('eth_getBlockBy') || answer === null) return answer;
    return Object.fromEntries(Object.entries(answer as object).filter(([name]) => !members.includes(name)));
  });
  return { node, ...(await createForkScene(upstream)) };
}

describe('a fork of blocks that lack members', () => {
  it.each(['gasLimit', 'totalDifficulty', 'sha3Uncles', 'difficulty', 'size', 'uncles', 'logsBloom'])(
    'starts and mines without %s',
    async (member) => {
      const { call } = await forkWithout([member]);
      const hash = await call('eth_sendTransaction', [{ from: ALICE, to: EXAMPLE.receiver, value: '0x1' }]);
      expect(await call('eth_getTransactionReceipt', [hash])).toMatchObject({
        status: '0x1',
        blockNumber: '0x5',
      });
    },
  );

  it('uses the usual gas limit of its hardfork without gasLimit', async () => {
    const { call } = await forkWithout(['gasLimit']);
    await call('evm_mine');
    const { usualBlockGas } = ruleSetNamed('rootstock');
    expect(await call('eth_getBlockByNumber', ['latest', false])).toMatchObject({
      gasLimit: toQuantity(usualBlockGas),
    });
  });
});
