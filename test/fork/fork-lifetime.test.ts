import { beforeAll, describe, expect, it } from 'vitest';
import { fromHex, toQuantity } from '../../src/primitives/hex.ts';
import { nextIteration } from '../../src/scheduling/cancel-check.ts';
import { fetchingState } from '../../src/state/state-source.ts';
import { createExampleChain, EXAMPLE, type ExampleChain } from '../rpc/example-chain.ts';
import { branchOf, nodeOf } from '../support/test-chain.ts';
import { createForkScene, type ForkScene, type ForkSceneOptions } from './fork-scene.ts';
import { ScriptedUpstream } from './scripted-upstream.ts';

const OTHER_URL = 'https://other.example/';

let node: ExampleChain;

beforeAll(async () => {
  node = await createExampleChain();
});

interface Scene extends ForkScene {
  readonly upstream: ScriptedUpstream;
  /** Close counts of the forks in their order of opening. */
  readonly closed: number[];
}

async function forkOf(options: ForkSceneOptions = {}): Promise<Scene> {
  const upstream = new ScriptedUpstream((method, params) => node.call(method, params));
  const closed: number[] = [];
  const traffic: ForkSceneOptions['traffic'] = () => {
    const place = closed.push(0) - 1;
    const count = (): void => {
      closed[place] = (closed[place] ?? 0) + 1;
    };
    return { begun() {}, answered() {}, unreachable() {}, ended() {}, closed: count };
  };
  return { upstream, closed, ...(await createForkScene(upstream, { ...options, traffic })) };
}

function resetTo(scene: Scene, blockNumber: number): Promise<unknown> {
  return scene.call('hardhat_reset', [{ forking: { blockNumber } }]);
}

async function balance(chain: Scene['chain']): Promise<string> {
  const { state } = await chain.view({ tag: 'latest' });
  return toQuantity(await fetchingState(() => state.account(fromHex(EXAMPLE.receiver))?.balance ?? 0n));
}

describe('the lifetime of a fork', () => {
  it('a reset closes the previous fork once, except for the fork of the start', async () => {
    const scene = await forkOf();
    await resetTo(scene, 3);
    expect(scene.closed).toEqual([0, 0]);
    await resetTo(scene, 2);
    expect(scene.closed).toEqual([0, 1, 0]);
    await scene.call('hardhat_reset');
    expect(scene.closed).toEqual([0, 1, 1]);
    expect(await scene.call('eth_getBalance', [EXAMPLE.receiver, 'latest'])).not.toBe('0x0');
    await scene.chain.close();
    await scene.chain.close();
    expect(scene.closed).toEqual([1, 1, 1]);
  });

  it('a fork stays open until all chains that read from it are closed', async () => {
    const scene = await forkOf();
    await resetTo(scene, 3);
    const lane = await branchOf(scene.chain);
    await scene.chain.close();
    expect(scene.closed).toEqual([1, 0]);
    expect(await balance(lane)).toBe(await node.call('eth_getBalance', [EXAMPLE.receiver, '0x3']));
    await lane.close();
    expect(scene.closed).toEqual([1, 1]);
  });

  it('closing a lane closes its own fork only', async () => {
    const scene = await forkOf();
    const lane = await branchOf(scene.chain);
    await nodeOf(lane).forkReset.to({ url: null, blockNumber: 3 });
    expect(scene.closed).toEqual([0, 0]);
    await lane.close();
    expect(scene.closed).toEqual([0, 1]);
    expect(await scene.call('eth_getBalance', [EXAMPLE.receiver, 'latest'])).not.toBe('0x0');
  });

  it('a fork that fails to open is closed, and the chain stays unchanged', async () => {
    const scene = await forkOf();
    await expect(resetTo(scene, 99)).rejects.toThrow('no block 99');
    expect(scene.closed).toEqual([0, 1]);
    scene.upstream.script = ({ body }) => {
      if (body.includes('"0x3"')) throw new Error('down');
      return undefined;
    };
    const forking = { jsonRpcUrl: OTHER_URL, blockNumber: 3 };
    const reset = scene.call('hardhat_reset', [{ forking }]);
    const refused = expect(reset).rejects.toThrow('down');
    for (let tries = 0; tries < 40; tries++) {
      await nextIteration();
      await scene.time.advance(60_000);
    }
    await refused;
    expect(scene.closed).toEqual([0, 1, 1]);
    expect(await scene.call('eth_blockNumber')).toBe('0x4');
  });

  it('a fork from a dump is closed after a read error or a reset', async () => {
    const donor = await forkOf({ fork: { blockNumber: 3 } });
    const text = Buffer.from(
      await nodeOf(donor.chain).dump.write({ isCompressed: false, withKeys: false }),
    ).toString();
    const scene = await forkOf();
    const torn = text.slice(0, text.lastIndexOf('{"present"'));
    await expect(nodeOf(scene.chain).dump.load(Buffer.from(torn))).rejects.toThrow(
      'its last line is missing',
    );
    expect(scene.closed).toEqual([0, 1]);
    await nodeOf(scene.chain).dump.load(Buffer.from(text));
    expect(scene.closed).toEqual([0, 1, 0]);
    await scene.call('hardhat_reset');
    expect(scene.closed).toEqual([0, 1, 1]);
  });

  it('a reset rejects pending requests of the previous fork with a reason', async () => {
    const scene = await forkOf();
    await resetTo(scene, 3);
    let isAsked = false;
    scene.upstream.script = ({ body, signal }) => {
      if (!body.includes('eth_getCode')) return undefined;
      isAsked = true;
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    };
    const stranger = `0x${'78'.repeat(20)}`;
    const call = expect(scene.call('eth_getCode', [stranger, 'latest'])).rejects.toMatchObject({
      code: -32000,
      message: expect.stringContaining('the chain left the fork or is closing'),
    });
    while (!isAsked) await nextIteration();
    await scene.call('hardhat_reset');
    await call;
  });
});
