import { beforeAll, describe, expect, it } from 'vitest';
import { nextIteration } from '../../src/scheduling/cancel-check.ts';
import { createExampleChain, EXAMPLE, type ExampleChain } from '../rpc/example-chain.ts';
import { branchOf } from '../support/test-chain.ts';
import { createForkScene, type ForkScene } from './fork-scene.ts';
import { ScriptedUpstream } from './scripted-upstream.ts';

const STRANGER = `0x${'78'.repeat(20)}`;
const TRANSACTION = { from: EXAMPLE.sender, to: STRANGER, value: '0x1' };
/** The node mines this transaction without a gas estimate. */
const WITH_GAS = { ...TRANSACTION, gas: '0x5208' };
const REFUSED = { code: -32000, message: expect.stringContaining('the chain was reset before its turn') };

let node: ExampleChain;

beforeAll(async () => {
  node = await createExampleChain();
});

interface SlowScene extends ForkScene {
  /** Answers the blocked requests. */
  readonly release: () => void;
  /** Resolves once the upstream blocks a request. */
  readonly untilHeld: () => Promise<void>;
}

/** A fork whose upstream blocks requests about one account. A lane keeps the fork open. */
async function createSlowScene(): Promise<SlowScene> {
  const upstream = new ScriptedUpstream((method, params) => node.call(method, params));
  const held: (() => void)[] = [];
  let isSlow = true;
  upstream.script = ({ body }) => {
    if (!isSlow || !body.includes(STRANGER.slice(2))) return undefined;
    return new Promise((resolve) => held.push(() => resolve(undefined)));
  };
  const scene = await createForkScene(upstream);
  await branchOf(scene.chain);
  return {
    ...scene,
    release: () => {
      isSlow = false;
      for (const answer of held) answer();
    },
    untilHeld: async () => {
      while (held.length === 0) await nextIteration();
    },
  };
}

function reset({ call }: SlowScene): Promise<unknown> {
  return call('hardhat_reset', [{ forking: { blockNumber: 3 } }]);
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await nextIteration();
}

describe('hardhat_reset during an upstream request', () => {
  it.each([
    ['eth_sendTransaction', [TRANSACTION]],
    ['eth_sendUnsignedTransaction', [TRANSACTION]],
    ['anvil_reorg', [1, [[TRANSACTION, 0]]]],
  ])('rejects %s if it still estimates gas', async (method, params) => {
    const scene = await createSlowScene();
    await scene.call('evm_mine');
    const refused = expect(scene.call(method, params)).rejects.toMatchObject(REFUSED);
    await scene.untilHeld();
    await reset(scene);
    scene.release();
    await refused;
    expect(await scene.call('eth_blockNumber')).toBe('0x3');
    expect(await scene.call('txpool_status')).toEqual({ pending: 0, queued: 0 });
  });

  it('waits until a pending evm_mine has mined its block', async () => {
    const scene = await createSlowScene();
    const told: unknown[] = [];
    await scene.call('evm_setAutomine', [false]);
    await scene.call('eth_sendUnsignedTransaction', [WITH_GAS]);
    const mined = scene.call('evm_mine').then(() => told.push('mined'));
    await scene.untilHeld();
    const done = reset(scene).then(() => told.push('reset'));
    await turns();
    expect(told).toEqual([]);
    scene.release();
    await Promise.all([mined, done]);
    expect(told).toEqual(['mined', 'reset']);
    expect(await scene.call('eth_blockNumber')).toBe('0x3');
  });

  it('waits until a pending transaction is mined', async () => {
    const scene = await createSlowScene();
    const sent = scene.call('eth_sendUnsignedTransaction', [WITH_GAS]);
    await scene.untilHeld();
    const done = reset(scene);
    await turns();
    expect(await scene.call('eth_blockNumber')).toBe('0x4');
    scene.release();
    expect(await sent).toMatch(/^0x[0-9a-f]{64}$/);
    await done;
    expect(await scene.call('eth_blockNumber')).toBe('0x3');
  });

  it('does not interrupt an eth_call on the previous chain', async () => {
    const scene = await createSlowScene();
    const answer = scene.call('eth_call', [{ to: STRANGER }, '0x4']);
    await scene.untilHeld();
    await reset(scene);
    scene.release();
    expect(await answer).toBe('0x');
    expect(await scene.call('eth_blockNumber')).toBe('0x3');
  });
});

it('hardhat_reset invalidates the snapshots of the previous fork', async () => {
  const { call } = await createForkScene(new ScriptedUpstream((method, params) => node.call(method, params)));
  const key = await call('evm_snapshot');
  await call('evm_mine');
  await call('hardhat_reset', [{ forking: { blockNumber: 2 } }]);
  expect(await call('eth_blockNumber')).toBe('0x2');
  expect(await call('evm_revert', [key])).toBe(false);
  expect(await call('eth_blockNumber')).toBe('0x2');
});
