import { describe, expect, it, onTestFinished } from 'vitest';
import { createNode, type LocalNode } from '../../src/index.ts';
import { createExampleChain, EXAMPLE, type ExampleChain } from '../rpc/example-chain.ts';
import { harnessOn } from '../rpc/rpc-harness.ts';
import { branchOf, nodeOf } from '../support/test-chain.ts';
import { createForkScene, type ForkScene } from './fork-scene.ts';
import { ScriptedUpstream } from './scripted-upstream.ts';

const RESETS = ['evm_reset', 'anvil_reset', 'hardhat_reset'] as const;
const MOVING_MODES = ['anvil', 'hardhat'] as const;
const EMPTY = [[{ forking: {} }], [{ forking: { blockNumber: null } }], [{ forking: { jsonRpcUrl: null } }]];
const NO_PARAMETERS = [[], [null], [{}], [{ forking: null }], [{ jsonRpcUrl: null, blockNumber: null }]];

interface MovedScene extends ForkScene {
  readonly node: ExampleChain;
}

/** A fork of block 4, one local block, and two more blocks on the upstream. */
async function movedOn(compat: 'service' | 'anvil' | 'hardhat'): Promise<MovedScene> {
  const node = await createExampleChain();
  const upstream = new ScriptedUpstream((method, params) => node.call(method, params));
  const scene = await createForkScene(upstream, { rpc: { compat } });
  await scene.call('evm_mine');
  await node.call('anvil_mine', ['0x2']);
  return { ...scene, node };
}

async function height({ call }: Pick<ForkScene, 'call'>): Promise<number> {
  return Number(await call('eth_blockNumber'));
}

describe('a reset with an empty forking object', () => {
  it.each(MOVING_MODES)('moves a fork to the newest block in compat mode %s', async (compat) => {
    for (const params of EMPTY) {
      const scene = await movedOn(compat);
      await scene.call('hardhat_reset', params);
      expect(await height(scene)).toBe(await height(scene.node));
      expect(nodeOf(scene.chain).fork.current?.number).toBe(await height(scene.node));
    }
  });

  it('returns a fork to its start in compat mode service', async () => {
    for (const params of [...EMPTY, ...NO_PARAMETERS]) {
      const scene = await movedOn('service');
      await scene.call('evm_reset', params);
      expect(await height(scene)).toBe(4);
      expect(nodeOf(scene.chain).fork.current).toBe(scene.fork);
    }
  });

  it('moves a fork to the newest block again after the upstream grows', async () => {
    const scene = await movedOn('anvil');
    await scene.call('anvil_reset', [{ forking: {} }]);
    await scene.node.call('evm_mine');
    await scene.call('anvil_reset', [{ forking: {} }]);
    expect(await height(scene)).toBe(7);
  });
});

describe('a reset without parameters', () => {
  it.each(MOVING_MODES)('ends a fork in compat mode %s', async (compat) => {
    for (const params of NO_PARAMETERS) {
      const scene = await movedOn(compat);
      for (let times = 0; times < 2; times++) {
        await scene.call('anvil_reset', params);
        expect(await height(scene)).toBe(0);
        expect(nodeOf(scene.chain).fork.current).toBeNull();
        expect(await scene.call('eth_getCode', [EXAMPLE.counter, 'latest'])).toBe('0x');
        await scene.call('evm_mine');
      }
      await expect(scene.call('anvil_reset', [{ forking: { blockNumber: 1 } }])).rejects.toMatchObject({
        code: -32602,
        message:
          'the chain is not a fork; start the node with --fork-url, or call evm_reset with forking.jsonRpcUrl',
      });
      await scene.call('anvil_reset', [{ forking: {} }]);
      expect(await height(scene)).toBe(0);
    }
  });

  it('ends the fork of a lane, and not the fork of the base chain', async () => {
    const scene = await movedOn('anvil');
    const lane = harnessOn(await branchOf(scene.chain), scene.time, { compat: 'anvil' });
    await lane.call('anvil_reset');
    expect(await height(lane)).toBe(0);
    expect(await height(scene)).toBe(5);
    await scene.call('anvil_reset', [{ forking: {} }]);
    expect(await height(scene)).toBe(6);
  });

  it('ends a fork that continues after a lane without a fork was created', async () => {
    const scene = await movedOn('hardhat');
    await scene.call('hardhat_reset');
    const lane = harnessOn(await branchOf(scene.chain), scene.time, { compat: 'hardhat' });
    await lane.call('evm_mine');
    await lane.call('hardhat_reset');
    expect(await height(lane)).toBe(0);
  });
});

describe('a reset with a target', () => {
  it.each(RESETS)('%s accepts it flat and in forking', async (method) => {
    for (const blockNumber of ['0x2', 2, '2']) {
      const target = { jsonRpcUrl: 'https://other.example', blockNumber };
      for (const params of [
        [target],
        [{ forking: target }],
        [{ blockNumber }],
        [{ forking: { blockNumber } }],
      ]) {
        const scene = await movedOn('service');
        await scene.call(method, params);
        expect(await height(scene)).toBe(2);
      }
    }
  });

  it('accepts the block number latest in every compat mode', async () => {
    for (const compat of ['service', 'anvil', 'hardhat'] as const) {
      const scene = await movedOn(compat);
      await scene.call('evm_reset', [{ forking: { blockNumber: 'latest' } }]);
      expect(await height(scene)).toBe(6);
    }
  });

  it.each([
    [{ frking: {} }, 'options: expected an object with forking, or with jsonRpcUrl and blockNumber'],
    [
      { forking: { foo: 1 } },
      'options.forking: expected an object with jsonRpcUrl and blockNumber, got an object',
    ],
    [{ forking: 5 }, 'options.forking: expected an object with jsonRpcUrl and blockNumber, got a number'],
    [{ forking: { blockNumber: -5 } }, 'options.forking.blockNumber: expected a block number, got a number'],
    [{ blockNumber: '-5' }, 'options.blockNumber: expected a block number, got a string of 2 characters'],
    [{ forking: { blockNumber: 'pending' } }, 'options.forking.blockNumber: expected a block number'],
    [
      { forking: {}, blockNumber: 3 },
      'options.forking: expected no value together with jsonRpcUrl and blockNumber',
    ],
  ])('rejects %j and changes nothing', async (options, message) => {
    for (const compat of ['service', 'anvil', 'hardhat'] as const) {
      const scene = await movedOn(compat);
      await expect(scene.call('hardhat_reset', [options])).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining(message),
      });
      expect(await height(scene)).toBe(5);
    }
  });

  it('ignores unknown members beside known ones, as the peers do', async () => {
    const scene = await movedOn('service');
    await scene.call('hardhat_reset', [{ forking: { blockNumber: 2, httpHeaders: {} }, other: 1 }]);
    expect(await height(scene)).toBe(2);
  });
});

describe('a node whose fork has ended', () => {
  async function local(options: Parameters<typeof createNode>[0]): Promise<LocalNode> {
    const opened = await createNode(options);
    onTestFinished(() => opened.close());
    return opened;
  }

  it('has the settings and contracts of a node without a fork', async () => {
    const upstream = await local({ chainId: 1234, gasLimit: 20_000_000, minGasPrice: 7 });
    const { url: forkUrl } = await upstream.listen();
    const settings = { compat: 'anvil', noStorageCaching: true } as const;
    const [fork, plain] = await Promise.all([local({ ...settings, forkUrl }), local(settings)]);
    expect(await fork.request({ method: 'eth_chainId' })).toBe('0x4d2');
    await fork.request({ method: 'anvil_reset' });
    const multicall = ['0xcA11bde05977b3631167028862bE2a173976CA11', 'latest'];
    const requests = [
      ['eth_chainId', []],
      ['net_version', []],
      ['eth_gasPrice', []],
      ['eth_accounts', []],
      ['eth_getCode', multicall],
      ['eth_getBlockByNumber', ['latest', false]],
    ] as const;
    for (const [method, params] of requests) {
      const [own, other] = await Promise.all(
        [fork, plain].map((one) => one.request({ method, params: [...params] })),
      );
      if (method !== 'eth_getBlockByNumber') expect(own).toEqual(other);
      else {
        const { gasLimit, stateRoot, number, parentHash } = own as Record<string, unknown>;
        expect(other).toMatchObject({ gasLimit, stateRoot, number, parentHash });
      }
    }
    const [from, to] = (await fork.request({ method: 'eth_accounts' })) as string[];
    await fork.request({ method: 'eth_sendTransaction', params: [{ from, to, value: '0x1' }] });
    expect(await fork.request({ method: 'eth_blockNumber' })).toBe('0x1');
  });

  it('keeps the rules of the fork', async () => {
    const upstream = await local({ hardfork: 'prague' });
    const { url: forkUrl } = await upstream.listen();
    const fork = await local({ forkUrl, compat: 'hardhat', noStorageCaching: true });
    await fork.request({ method: 'hardhat_reset' });
    await fork.request({ method: 'evm_mine' });
    expect(await fork.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })).toMatchObject({
      number: '0x1',
      requestsHash: expect.any(String),
    });
  });

  it('is dumped as a chain without a fork', async () => {
    const upstream = await local({ chainId: 1234 });
    const { url: forkUrl } = await upstream.listen();
    const fork = await local({ forkUrl, compat: 'hardhat', noStorageCaching: true });
    await fork.request({ method: 'hardhat_reset' });
    await fork.request({ method: 'evm_mine' });
    const dump = await fork.request({ method: 'hardhat_dumpState' });
    const other = await local({});
    await other.request({ method: 'hardhat_loadState', params: [dump] });
    expect(await other.request({ method: 'eth_blockNumber' })).toBe('0x1');
    expect(await other.request({ method: 'hardhat_metadata' })).toMatchObject({ forkedNetwork: null });
  });
});
