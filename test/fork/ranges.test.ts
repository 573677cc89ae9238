import { describe, expect, it } from 'vitest';
import type { RuleSetName } from '../../src/protocol/hardforks/registry.ts';
import { createRpcHarness, type RpcHarness } from '../rpc/rpc-harness.ts';
import { ALICE } from '../support/test-chain.ts';
import { createForkScene, type ForkScene } from './fork-scene.ts';
import { ScriptedUpstream } from './scripted-upstream.ts';

/** Creation code that emits a log with the topic 1. */
const EMIT = '0x60015f5fa1';
const T1 = `0x${'1'.padStart(64, '0')}`;
/** Code that calls the account 0x22…22. */
const CALLER = `0x5f5f5f5f5f73${'22'.repeat(20)}620186a0f100`;
const CALLER_ADDRESS = `0x${'ca'.repeat(20)}`;

function emit({ call }: RpcHarness): Promise<unknown> {
  return call('eth_sendTransaction', [{ from: ALICE, data: EMIT }]);
}

type ForkedScene = ForkScene & { readonly upstream: ScriptedUpstream; readonly origin: RpcHarness };

/** A fork of a chain with five blocks and one log per block. */
async function forkOfFive(ruleSet: RuleSetName): Promise<ForkedScene> {
  const origin = await createRpcHarness({}, { ruleSet });
  for (let block = 1; block <= 5; block++) await emit(origin);
  const upstream = new ScriptedUpstream((method, params) => origin.call(method, params));
  return { origin, upstream, ...(await createForkScene(upstream, { chain: { ruleSet } })) };
}

describe('eth_getLogs on a fork', () => {
  it('sends no trailing wildcard topics to the upstream', async () => {
    const scene = await forkOfFive('rootstock');

    for (const topics of [[T1, null], [null, null], [[null]], [T1, []], [null, T1, null]])
      await scene.call('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x3', topics }]);

    const sent = scene.upstream.calls
      .filter(({ method }) => method === 'eth_getLogs')
      .map(({ params }) => (params[0] as { readonly topics?: unknown }).topics);
    // Repeated requests are answered from the cache.
    expect(sent).toEqual([[[T1]], undefined, [null, [T1]]]);
  });

  it('rejects a range beyond the head under Ethereum rules on both sides of the fork', async () => {
    const scene = await forkOfFive('osaka');
    await emit(scene);

    for (const filter of [
      { fromBlock: '0x7' },
      { fromBlock: '0x1', toBlock: '0x7' },
      { fromBlock: '0x6', toBlock: '0x7' },
    ])
      await expect(scene.call('eth_getLogs', [filter])).rejects.toMatchObject({ code: -32602 });
    const id = await scene.call('eth_newFilter', [{ fromBlock: '0x1', toBlock: '0x7' }]);
    await expect(scene.call('eth_getFilterLogs', [id])).rejects.toMatchObject({ code: -32602 });
  });

  it.each([
    [{ fromBlock: '0x1', toBlock: '0x5' }, 5],
    [{ fromBlock: '0x1', toBlock: '0x3' }, 3],
    [{ fromBlock: '0x1', toBlock: 'latest' }, 5],
    [{ fromBlock: 'latest' }, 1],
  ])(
    'finds logs up to the head under Ethereum rules, with the fork block as head: %j',
    async (filter, count) => {
      const scene = await forkOfFive('osaka');

      expect(await scene.call('eth_getLogs', [filter])).toHaveLength(count);
    },
  );
});

describe('trace_filter on a fork', () => {
  it.each([
    { fromBlock: '0x3', toBlock: '0x2' },
    { fromBlock: '0x7', toBlock: '0x2' },
    { fromBlock: '0x63', toBlock: '0x62' },
    { fromBlock: 'latest', toBlock: '0x2' },
    { fromBlock: '0x1', toBlock: 'earliest' },
  ])('rejects a range that starts above its end: %j', async (filter) => {
    const scene = await forkOfFive('rootstock');

    await expect(scene.call('trace_filter', [filter])).rejects.toMatchObject({
      code: -32602,
      message: 'fromBlock cannot be greater than toBlock',
    });
  });
});

describe('trace_get on a fork', () => {
  it('reads a trace by path without trace_get of the upstream', async () => {
    const scene = await forkOfFive('rootstock');
    await scene.origin.call('anvil_setCode', [CALLER_ADDRESS, CALLER]);
    const hash = await scene.origin.call('eth_sendTransaction', [
      { from: ALICE, to: CALLER_ADDRESS, gas: '0x493e0' },
    ]);
    const upstream = new ScriptedUpstream((method, params) => scene.origin.call(method, params));
    const fork = await createForkScene(upstream);
    const traces = (await scene.origin.call('trace_transaction', [hash])) as readonly unknown[];
    expect(traces).toHaveLength(2);

    expect(await fork.call('trace_get', [hash, []])).toEqual(traces[0]);
    expect(await fork.call('trace_get', [hash, ['0x0']])).toEqual(traces[1]);
    expect(await fork.call('trace_get', [hash, ['0x1']])).toBeNull();
    const own = await fork.call('eth_sendTransaction', [{ from: ALICE, to: CALLER_ADDRESS, gas: '0x493e0' }]);
    expect(await fork.call('trace_get', [own, ['0x0']])).toMatchObject({ traceAddress: [0] });
    expect(await fork.call('trace_get', [`0x${'ee'.repeat(32)}`, []])).toBeNull();
    expect(upstream.count('trace_get')).toBe(0);
  });
});
