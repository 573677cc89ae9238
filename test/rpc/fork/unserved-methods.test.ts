import { describe, expect, it } from 'vitest';
import { UpstreamRejectionError } from '../../../src/fork/errors.ts';
import {
  createForkScene,
  type ForkScene,
  type ForkSceneOptions,
  UPSTREAM_URL,
} from '../../fork/fork-scene.ts';
import { ScriptedUpstream } from '../../fork/scripted-upstream.ts';
import { SERVICE_METHODS } from '../../support/service-methods.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { ALICE } from '../../support/test-chain.ts';
import { createExampleChain, EXAMPLE, type ExampleChain } from '../example-chain.ts';
import { BASIC_METHODS, upstreamServing } from './service-upstream.ts';

interface Scene extends ForkScene {
  readonly node: ExampleChain;
  readonly upstream: ScriptedUpstream;
}

async function forkServing(served: ReadonlySet<string>, options: ForkSceneOptions = {}): Promise<Scene> {
  const node = await createExampleChain();
  const upstream = upstreamServing(served, node);
  return { node, upstream, ...(await createForkScene(upstream, options)) };
}

/** Rejects the methods that are not basic with this error. */
async function forkRejecting(code: number, message: string, data?: unknown): Promise<Scene> {
  const node = await createExampleChain();
  const upstream = new ScriptedUpstream((method, params) => {
    if (BASIC_METHODS.has(method)) return node.call(method, params);
    throw new UpstreamRejectionError({ code, message, data });
  });
  return { node, upstream, ...(await createForkScene(upstream)) };
}

const LATEST = ['0x3', 'latest', [20]];

describe('a method that the upstream of a fork does not serve', () => {
  it('is derived for the newest block of a fresh fork', async () => {
    const { call, node } = await forkServing(SERVICE_METHODS);
    expect(await call('eth_feeHistory', LATEST)).toEqual(await node.call('eth_feeHistory', LATEST));
    expect(await call('eth_getBlockReceipts', ['latest'])).toEqual(
      await node.call('eth_getBlockReceipts', ['latest']),
    );
  });

  it('is combined with local blocks in a fee history', async () => {
    const { call } = await forkServing(SERVICE_METHODS);
    await call('eth_sendTransaction', [{ from: ALICE, to: EXAMPLE.receiver, value: '0x1', gasPrice: '0x7' }]);
    expect(await call('eth_feeHistory', LATEST)).toMatchObject({
      oldestBlock: '0x3',
      reward: [['0x0'], ['0x0'], ['0x7']],
    });
  });

  it('is requested once', async () => {
    const { call, upstream } = await forkServing(SERVICE_METHODS);
    for (const block of ['0x1', '0x2', '0x3']) await call('eth_getBlockReceipts', [block]);
    expect(upstream.count('eth_getBlockReceipts')).toBe(1);
  });

  it('is not requested again by a later run with the same cache', async () => {
    const cacheDirectory = await temporaryDirectory();
    const options = { fork: { cacheDirectory, blockNumber: 4 } };
    const first = await forkServing(SERVICE_METHODS, options);
    await first.call('eth_getBlockReceipts', ['0x2']);
    first.fork.release();
    const second = await forkServing(SERVICE_METHODS, options);
    await second.call('eth_getBlockReceipts', ['0x3']);
    expect(second.upstream.count('eth_getBlockReceipts')).toBe(0);
  });

  it('is derived from the cache by an offline run that never requested it', async () => {
    const cacheDirectory = await temporaryDirectory();
    const first = await forkServing(SERVICE_METHODS, { fork: { cacheDirectory, blockNumber: 4 } });
    const hash = await first.call('eth_getBlockByNumber', ['0x2', false]);
    first.fork.release();
    const offline = { fork: { cacheDirectory, blockNumber: 4, isOffline: true } };
    const second = await forkServing(SERVICE_METHODS, offline);
    expect(await second.call('eth_getHeaderByNumber', ['0x2'])).toMatchObject({
      hash: (hash as { readonly hash: string }).hash,
    });
    expect(await second.call('eth_feeHistory', ['0x1', 'latest', []])).toMatchObject({ oldestBlock: '0x4' });
    await expect(second.call('eth_getHeaderByNumber', ['0x3'])).rejects.toThrow(
      'no cached response to eth_getHeaderByNumber',
    );
    expect(second.upstream.posts).toEqual([]);
  });

  it('is requested again after anvil_setRpcUrl', async () => {
    const { call, upstream } = await forkServing(SERVICE_METHODS);
    await call('eth_getBlockReceipts', ['0x1']);
    await call('anvil_setRpcUrl', [UPSTREAM_URL]);
    await call('eth_getBlockReceipts', ['0x2']);
    await call('eth_getBlockReceipts', ['0x3']);
    expect(upstream.count('eth_getBlockReceipts')).toBe(2);
  });

  it('is derived from one request for all blocks and one for all receipts', async () => {
    const { call, upstream } = await forkServing(SERVICE_METHODS);
    await call('eth_feeHistory', ['0x1', '0x1', []]);
    const before = upstream.posts.length;
    await call('eth_feeHistory', ['0x2', '0x3', [50]]);
    expect(upstream.posts.length - before).toBe(2);
  });

  it.each([
    [-32_601, 'no'],
    [-32_600, 'Unsupported method: eth_getBlockReceipts on RSK_MAINNET'],
    [-32_004, 'Method not supported'],
    [-32_000, 'the method eth_getBlockReceipts does not exist/is not available'],
    [-32_000, 'rpc method is not whitelisted'],
    [-32_001, 'method eth_getBlockReceipts is disabled'],
  ])('is derived after the error %i %s', async (code, message) => {
    const { call, node } = await forkRejecting(code, message);
    expect(await call('eth_getBlockReceipts', ['0x2'])).toEqual(
      await node.call('eth_getBlockReceipts', ['0x2']),
    );
  });

  it.each([
    [-32_602, 'invalid params', undefined],
    [-32_000, 'execution reverted: method not found', undefined],
    [3, 'method not found', '0x08c379a0'],
  ])('passes on the error %i %s', async (code, message, data) => {
    const { call } = await forkRejecting(code, message, data);
    await expect(call('eth_getBlockReceipts', ['0x2'])).rejects.toThrow(message);
  });

  it('is named in the error, with the URL and a remedy, if nothing can be derived', async () => {
    const { call } = await forkServing(SERVICE_METHODS);
    await expect(call('debug_dumpBlock', ['0x2'])).rejects.toMatchObject({
      code: -32_004,
      message: expect.stringMatching(
        /^the fork URL https:\/\/node\.example\/\S* does not serve debug_dumpBlock; pass a --fork-url whose node serves/,
      ),
    });
    await expect(call('debug_dumpBlock', ['0x2'])).rejects.not.toThrow('0123456789abcdefghij');
  });

  it('is named with the method that its derivation requires', async () => {
    const { call } = await forkServing(new Set([...BASIC_METHODS].filter((name) => name !== 'eth_getProof')));
    await expect(call('eth_getAccount', [EXAMPLE.counter, '0x3'])).rejects.toThrow(
      'does not serve eth_getProof, which eth_getAccount requires',
    );
    expect(await call('eth_getAccount', [EXAMPLE.receiver, '0x3'])).toMatchObject({ nonce: '0x0' });
  });

  it('is not derived from a block that does not hash to its hash', async () => {
    const node = await createExampleChain();
    const upstream = new ScriptedUpstream(async (method, params) => {
      if (!BASIC_METHODS.has(method))
        throw new UpstreamRejectionError({ code: -32_601, message: 'method not found' });
      const answer = await node.call(method, params);
      return method.startsWith('eth_getBlockBy') ? { ...(answer as object), gasUsed: '0x1' } : answer;
    });
    const { call } = await createForkScene(upstream);
    for (const method of ['debug_getRawHeader', 'debug_getRawBlock', 'chain_getRawBlockHeaderByNumber'])
      await expect(call(method, ['0x2'])).rejects.toThrow(
        `cannot derive ${method}: block 2 of the fork URL does not hash to ${EXAMPLE.blockHashes[2]}`,
      );
  });
});
