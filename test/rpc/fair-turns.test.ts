import { describe, expect, it } from 'vitest';
import type { ChainOptions } from '../../src/chain/settings/chain-options.ts';
import { NodeLanes } from '../../src/node/lanes.ts';
import type { RpcServiceOptions } from '../../src/rpc/rpc-service.ts';
import { Scheduler } from '../../src/scheduling/scheduler.ts';
import { countingRandom } from '../support/counting-random.ts';
import { createFakeTime, settleMicrotasks } from '../support/fake-time.ts';
import { ManualLoop } from '../support/manual-loop.ts';
import {
  createChainWith,
  nodeOf,
  TEST_DEFAULTS,
  TEST_START,
  testDependencies,
  testOwnChains,
} from '../support/test-chain.ts';
import { SENDER } from './methods/contract.ts';
import { type TestConnection, testConnection, testService } from './rpc-harness.ts';

/** JUMPDEST PUSH1 0 JUMP: an endless loop. */
const ENDLESS = `0x${'ee'.repeat(20)}`;
const CALL = { from: SENDER, to: ENDLESS };
const LIMIT = 30;
/** The slot in the current run of the scheduler, the lane with waiting calls, and the called lane. */
const FEW_TURNS = 4;

/** A service with lanes, whose event loop advances the clock by 1 ms at each check. */
async function crowdedScene(
  options: Partial<RpcServiceOptions> = {},
  chainOptions: Partial<ChainOptions> = {},
) {
  const time = createFakeTime(TEST_START);
  const loop = new ManualLoop(1);
  const chain = await createChainWith(
    { ...TEST_DEFAULTS, gasLimit: 10n ** 15n, ...chainOptions },
    { ...testDependencies(time), scheduler: new Scheduler(loop) },
  );
  const lanes = new NodeLanes(nodeOf(chain), {
    ...time,
    random: countingRandom(),
    limit: 100,
    timeout: 0,
    openOwn: testOwnChains,
    onInternalError: testDependencies(time).onMiningError,
  });
  const service = testService(chain, time, {
    options: { callTimeout: LIMIT, ...options },
    lanes: { lanes, areKeysSecret: false },
  });
  /** Calls the lane, or the base chain for `null`. */
  const ask = (
    key: string | null,
    method: string,
    params: readonly unknown[],
    connection: TestConnection = testConnection(),
  ): Promise<unknown> => {
    const caller = key === null ? connection : Object.assign(connection, { key });
    const answer = (async () => service.call(method, params, caller))();
    // Most results are checked after all calls are sent.
    answer.catch(() => undefined);
    return answer;
  };
  return { loop, time, ask };
}

type Scene = Awaited<ReturnType<typeof crowdedScene>>;

/** Endless calls on a lane that run or wait for a slot. One of them starts every second turn. */
async function crowd({ ask, loop }: Scene, key: string, count: number): Promise<Promise<unknown>[]> {
  await loop.turnsUntil(ask(key, 'anvil_setCode', [ENDLESS, '0x5b600056']), 100);
  const calls = Array.from({ length: count }, () => ask(key, 'eth_call', [CALL, 'latest']));
  await settleMicrotasks();
  for (let turn = 0; turn < 2 * count + 50; turn++) await loop.turn();
  return calls;
}

describe('200 endless calls running on one lane', () => {
  it.each<[method: string, params: readonly unknown[]]>([
    ['eth_blockNumber', []],
    ['eth_call', [{ from: SENDER, to: SENDER }, 'latest']],
    ['eth_estimateGas', [{ from: SENDER, to: SENDER }]],
    ['eth_sendTransaction', [{ from: SENDER, to: SENDER, gas: '0x5208' }]],
  ])('another lane responds within a few turns: %s', async (method, params) => {
    const scene = await crowdedScene();
    await scene.loop.turnsUntil(scene.ask('other', 'eth_chainId', []), 100);
    await crowd(scene, 'crowded', 200);
    expect(await scene.loop.turnsUntil(scene.ask('other', method, params), 100)).toBeLessThan(FEW_TURNS);
  });

  it('short calls on the busy lane complete', async () => {
    const scene = await crowdedScene();
    await crowd(scene, 'crowded', 200);
    const answer = scene.ask('crowded', 'eth_call', [{ from: SENDER, to: SENDER }, 'latest']);
    expect(await scene.loop.turnsUntil(answer, 100)).toBeLessThan(FEW_TURNS);
    expect(await answer).toBe('0x');
  });

  it('all running and waiting calls end at the time limit', async () => {
    const scene = await crowdedScene();
    const calls = await crowd(scene, 'crowded', 200);
    await scene.time.advance(LIMIT * 1_000 + 1);
    const all = Promise.allSettled(calls);
    await scene.loop.turnsUntil(all, 1_000);
    for (const outcome of await all) expect(outcome).toMatchObject({ reason: { code: -32011 } });
  });
});

describe('200 endless calls waiting on one lane', () => {
  /** Calls the lane 200 times in the current turn, and then once more. */
  async function askBehindCrowd(method: string, params: readonly unknown[]) {
    const scene = await crowdedScene();
    const { ask, loop } = scene;
    // Without this call, the first call of an unusual method waits until their code is loaded.
    await ask('other', 'inspect_timeline', []);
    await loop.turnsUntil(ask('crowded', 'anvil_setCode', [ENDLESS, '0x5b600056']), 100);
    for (let count = 0; count < 200; count++) void ask('crowded', 'eth_call', [CALL, 'latest']);
    await settleMicrotasks();
    return { scene, answer: ask('crowded', method, params) };
  }

  it.each<[method: string, params: readonly unknown[]]>([
    ['eth_blockNumber', []],
    ['eth_getBalance', [SENDER, 'latest']],
    ['eth_getTransactionReceipt', [`0x${'12'.repeat(32)}`]],
    ['eth_getBlockByNumber', ['latest', true]],
    ['inspect_timeline', []],
    ['inspect_lanes', []],
    ['inspect_hardforks', []],
    ['inspect_impersonation', []],
    ['lane_list', []],
  ])('a short read returns within a few turns: %s', async (method, params) => {
    const { scene, answer } = await askBehindCrowd(method, params);
    expect(await scene.loop.turnsUntil(answer, 300)).toBeLessThan(FEW_TURNS);
  });

  it('a short call returns before each of them has had a slice', async () => {
    const { scene, answer } = await askBehindCrowd('eth_call', [{ from: SENDER, to: SENDER }, 'latest']);
    expect(await scene.loop.turnsUntil(answer, 1_000)).toBeLessThan(120);
    expect(await answer).toBe('0x');
  });

  it('a call that fits in one slice completes while all slots are taken', async () => {
    // Counts down from 40,000, and returns a word.
    const counting = { [SENDER]: { code: '0x62009c405b60019003806004575960205ff3' } };
    const { scene, answer } = await askBehindCrowd('eth_call', [{ to: SENDER }, 'latest', counting]);
    await scene.loop.turnsUntil(answer, 1_000);
    expect(await answer).toBe(`0x${'00'.repeat(32)}`);
  });

  it('filter polls return within a few turns in the order of the calls', async () => {
    const scene = await crowdedScene();
    const { ask, loop } = scene;
    const made = ask('crowded', 'eth_newBlockFilter', []);
    await loop.turnsUntil(made, 100);
    const id = await made;
    await loop.turnsUntil(ask('crowded', 'anvil_setCode', [ENDLESS, '0x5b600056']), 100);
    await loop.turnsUntil(ask('crowded', 'evm_mine', []), 100);
    for (let count = 0; count < 200; count++) void ask('crowded', 'eth_call', [CALL, 'latest']);
    await settleMicrotasks();
    const answers = Promise.all([1, 2].map(() => ask('crowded', 'eth_getFilterChanges', [id])));
    expect(await loop.turnsUntil(answers, 300)).toBeLessThan(FEW_TURNS);
    expect(await answers).toEqual([[expect.stringMatching(/^0x[0-9a-f]{64}$/)], []]);
  });

  it('a transaction runs after earlier calls and is visible to later reads', async () => {
    const { scene, answer } = await askBehindCrowd('eth_sendTransaction', [
      { from: SENDER, to: SENDER, gas: '0x5208' },
    ]);
    const number = scene.ask('crowded', 'eth_blockNumber', []);
    await scene.loop.turnsUntil(number, 1_000);
    expect(await number).toBe('0x1');
    expect(await answer).toMatch(/^0x[0-9a-f]{64}$/);
  });
});

describe('calls above the limit of running calls', () => {
  const LIMITS = { callLimits: { perLane: 1, inAll: 8, waitingPerLane: 1 } };

  it('a call above the limit waits, and ends if its client disconnects', async () => {
    const scene = await crowdedScene(LIMITS);
    await crowd(scene, 'crowded', 1);
    const connection = testConnection();
    const waiting = scene.ask('crowded', 'eth_call', [CALL, 'latest'], connection);
    for (let turn = 0; turn < 20; turn++) await scene.loop.turn();
    connection.close();
    await expect(waiting).rejects.toMatchObject({ code: -32000, message: expect.stringContaining('closed') });
  });

  it('a call is rejected only on the lane where too many calls wait', async () => {
    const scene = await crowdedScene(LIMITS);
    await crowd(scene, 'crowded', 2);
    const refused = scene.ask('crowded', 'eth_call', [CALL, 'latest']);
    await scene.loop.turnsUntil(refused, 100);
    await expect(refused).rejects.toMatchObject({
      code: -32005,
      message: expect.stringContaining('too many calls on this chain: 1 running, 1 waiting'),
    });
    const [other] = await crowd(scene, 'other', 1);
    expect(await Promise.race([other, settleMicrotasks().then(() => 'runs')])).toBe('runs');
  });

  it('a waiting call runs when an earlier call ends', async () => {
    const scene = await crowdedScene(LIMITS);
    const first = testConnection();
    await scene.loop.turnsUntil(scene.ask('crowded', 'anvil_setCode', [ENDLESS, '0x5b600056']), 100);
    const endless = scene.ask('crowded', 'eth_call', [CALL, 'latest'], first);
    for (let turn = 0; turn < 20; turn++) await scene.loop.turn();
    const connection = testConnection();
    const long = scene.ask('crowded', 'eth_call', [{ ...CALL, gas: '0x3b9aca0' }, 'latest'], connection);
    expect(await scene.loop.turnsUntil(long, 100)).toBe(100);
    first.close();
    await scene.loop.turnsUntil(endless, 100);
    expect(await scene.loop.turnsUntil(long, 1_000)).toBeLessThan(1_000);
    await expect(long).rejects.toMatchObject({ message: expect.stringContaining('out of gas') });
    expect(connection.listenerCount).toBe(0);
  });
});

/** Two million rounds: about a hundred steps, each followed by a check of the clock. */
const BLAKE2F = `0x${(2_000_000).toString(16).padStart(8, '0')}${'00'.repeat(208)}01`;
const HEAVY = {
  from: SENDER,
  to: '0x0000000000000000000000000000000000000009',
  data: BLAKE2F,
  gas: '0x1c9c380',
};

describe('long precompile calls', () => {
  it.each<[method: string, params: readonly unknown[]]>([
    ['eth_call', [HEAVY, 'latest']],
    ['eth_estimateGas', [HEAVY]],
    ['eth_callMany', [[{ transactions: [HEAVY] }], { blockNumber: 'latest' }]],
    ['eth_simulateV1', [{ blockStateCalls: [{ calls: [HEAVY] }] }]],
    ['eth_createAccessList', [HEAVY]],
    ['debug_traceCall', [HEAVY, 'latest', { tracer: 'callTracer' }]],
    ['eth_sendTransaction', [HEAVY]],
  ])('a long precompile call yields: %s', async (method, params) => {
    const { ask, loop } = await crowdedScene({}, { gasLimit: 30_000_000n });
    const answer = ask(null, method, params);
    const turns = await loop.turnsUntil(answer, 10_000);
    await answer;
    expect(turns).toBeGreaterThan(20);
  });

  it('a long precompile transaction is atomic: no other transaction is mined before its block', async () => {
    const { ask, loop } = await crowdedScene({}, { gasLimit: 30_000_000n });
    const sent = ask(null, 'eth_sendTransaction', [HEAVY]);
    for (let turn = 0; turn < 5; turn++) await loop.turn();
    const second = ask(null, 'eth_sendTransaction', [{ from: SENDER, to: SENDER, gas: '0x5208' }]);
    const number = ask(null, 'eth_blockNumber', []);
    expect(await loop.turnsUntil(number, 100)).toBeLessThan(10);
    expect(await number).toBe('0x0');
    await loop.turnsUntil(second, 10_000);
    for (const [sending, blockNumber] of [
      [sent, '0x1'],
      [second, '0x2'],
    ] as const) {
      const receipt = ask(null, 'eth_getTransactionReceipt', [await sending]);
      await loop.turnsUntil(receipt, 100);
      expect(await receipt).toMatchObject({ blockNumber, status: '0x1' });
    }
  });
});
