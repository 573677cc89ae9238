import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createNode, type LocalNode } from '../../src/index.ts';
import { createExampleChain, type ExampleChain } from '../rpc/example-chain.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { createForkScene, type ForkScene } from './fork-scene.ts';
import { ScriptedUpstream } from './scripted-upstream.ts';

let node: ExampleChain;
let upstream: ScriptedUpstream;

/** The newest block of the upstream has the number 4. */
beforeAll(async () => {
  node = await createExampleChain();
  upstream = new ScriptedUpstream((method, params) => node.call(method, params));
});

function forkAt(blockNumber: number, fork: object = {}): Promise<ForkScene> {
  return createForkScene(upstream, { fork: { blockNumber, ...fork } });
}

describe('a negative fork block number', () => {
  it('counts back from the newest block', async () => {
    for (const back of [1, 3, 4]) {
      const scene = await forkAt(-back);
      expect(scene.fork.number).toBe(4 - back);
      expect(await scene.call('eth_blockNumber')).toBe(`0x${4 - back}`);
    }
  });

  it('is rejected if it leads below block 0', async () => {
    await expect(forkAt(-5)).rejects.toMatchObject({
      code: -32000,
      message:
        '--fork-block-number -5: the fork URL has no block 5 blocks below its newest block 4; expected a number from -4',
    });
  });

  it('caches the block by its number', async () => {
    const cacheDirectory = await temporaryDirectory();
    await forkAt(-2, { cacheDirectory });
    const offline = await forkAt(2, { cacheDirectory, isOffline: true });
    expect(offline.fork.number).toBe(2);
  });

  it('is rejected offline, with the cached block', async () => {
    const cacheDirectory = await temporaryDirectory();
    await forkAt(-2, { cacheDirectory });
    await expect(forkAt(-2, { cacheDirectory, isOffline: true })).rejects.toMatchObject({
      message:
        '--offline requires a --fork-block-number that does not count from the newest block, because the newest block is unknown offline; the cache has block 2: pass --fork-block-number 2',
    });
  });
});

describe('createNode with a negative forkBlockNumber', () => {
  async function local(options: Parameters<typeof createNode>[0]): Promise<LocalNode> {
    const opened = await createNode(options);
    onTestFinished(() => opened.close());
    return opened;
  }

  async function upstreamAt(
    height: number,
  ): Promise<{ readonly chain: LocalNode; readonly forkUrl: string }> {
    const chain = await local({ chainId: 1234 });
    await chain.request({ method: 'anvil_mine', params: [height] });
    return { chain, forkUrl: (await chain.listen()).url };
  }

  it('repeats the run of a fork record at its block, also offline', async () => {
    const { chain, forkUrl } = await upstreamAt(5);
    const forkRecord = join(await temporaryDirectory(), 'record.json');
    const options = { forkUrl, forkBlockNumber: -2, forkRecord };
    await (await local(options)).close();
    await chain.request({ method: 'evm_mine' });
    for (const offline of [false, true]) {
      const again = await local({ ...options, offline });
      expect(await again.request({ method: 'eth_blockNumber' })).toBe('0x3');
      await again.close();
    }
  });

  it('continues the fork of a data directory', async () => {
    const { chain, forkUrl } = await upstreamAt(5);
    const options = { forkUrl, forkBlockNumber: -2, dataDir: await temporaryDirectory() };
    await (await local(options)).close();
    await chain.request({ method: 'evm_mine' });
    const again = await local(options);
    expect(await again.request({ method: 'eth_blockNumber' })).toBe('0x3');
  });

  it('counts back in the URL', async () => {
    const { forkUrl } = await upstreamAt(5);
    const node = await local({ forkUrl: `${forkUrl}@-4`, noStorageCaching: true });
    expect(await node.request({ method: 'eth_blockNumber' })).toBe('0x1');
  });
});
