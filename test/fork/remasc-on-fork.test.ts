import { beforeAll, describe, expect, it } from 'vitest';
import { createExampleChain, type ExampleChain } from '../rpc/example-chain.ts';
import { minedParentBlock, type PoolWork } from '../support/pool.ts';
import { createForkScene, type ForkScene } from './fork-scene.ts';
import { ScriptedUpstream } from './scripted-upstream.ts';

const IMPORTED_BEST = `0x${Buffer.from('IMPORTED_BEST').toString('hex')}`;

let node: ExampleChain;

beforeAll(async () => {
  node = await createExampleChain();
});

function forkWithRemasc(): Promise<ForkScene> {
  const upstream = new ScriptedUpstream((method, params) => node.call(method, params));
  return createForkScene(upstream, { chain: { remasc: true } });
}

async function headOf({ call }: ForkScene): Promise<number> {
  return Number(await call('eth_blockNumber'));
}

describe('a fork with REMASC', () => {
  it('mines exactly one block per evm_mine before any read of the paid accounts', async () => {
    const scene = await forkWithRemasc();
    const start = await headOf(scene);
    await scene.call('evm_mine');
    expect(await headOf(scene)).toBe(start + 1);
  });

  it('imports a block of mnr_submitBitcoinBlock as the new head', async () => {
    const scene = await forkWithRemasc();
    const work = (await scene.call('mnr_getWork')) as PoolWork;
    const block = minedParentBlock(work).toHex();
    expect(await scene.call('mnr_submitBitcoinBlock', [block])).toMatchObject({
      blockImportedResult: IMPORTED_BEST,
    });
  });

  it('pays fees of local blocks only, from their maturity on', async () => {
    const scene = await forkWithRemasc();
    const start = await headOf(scene);
    await scene.call('hardhat_mine', ['0x14']);
    expect(await headOf(scene)).toBe(start + 20);
    const logs = (await scene.call('eth_getLogs', [{ fromBlock: `0x${(start + 1).toString(16)}` }])) as {
      readonly blockNumber: string;
    }[];
    expect(Number(logs[0]?.blockNumber)).toBe(Math.max(start + 11, 15));
  });
});
