import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { AccessHints } from '../../src/fork/access-hints.ts';
import { UpstreamError } from '../../src/fork/errors.ts';
import type { UpstreamCall } from '../../src/fork/upstream/upstream-call.ts';
import { fromHex } from '../../src/primitives/hex.ts';
import { InvalidParamsError, MethodNotFoundError } from '../../src/rpc/errors.ts';
import { nextIteration } from '../../src/scheduling/cancel-check.ts';
import { createRpcHarness, type RpcHarness } from '../rpc/rpc-harness.ts';
import { createFakeTime } from '../support/fake-time.ts';
import { ALICE, TEST_START } from '../support/test-chain.ts';
import { createForkScene, type ForkScene, type ForkSceneOptions } from './fork-scene.ts';
import { type Answerer, failedAnswer, ScriptedUpstream } from './scripted-upstream.ts';

/** Adds the slots 1, 2 and 3 by following them: each slot contains the key of the next one. */
const CHAIN_OF_SLOTS = '0x6001545454600052 60206000f3'.replace(' ', '');
const WORD_9 = `0x${'9'.padStart(64, '0')}`;
const HINTS = ['eth_createAccessList', 'debug_traceCall'];

let node: RpcHarness;
let contract: string;

function word(value: number): string {
  return `0x${value.toString(16).padStart(64, '0')}`;
}

beforeAll(async () => {
  node = await createRpcHarness();
  contract = `0x${'c0'.repeat(20)}`;
  await node.call('hardhat_setCode', [contract, CHAIN_OF_SLOTS]);
  for (const [slot, value] of [
    [1, 2],
    [2, 3],
    [3, 9],
  ] as const)
    await node.call('hardhat_setStorageAt', [contract, `0x${slot}`, word(value)]);
  await node.call('evm_mine');
});

async function forkOf(
  answer: Answerer = (method, params) => node.call(method, params),
  options: ForkSceneOptions = {},
): Promise<ForkScene & { upstream: ScriptedUpstream }> {
  const upstream = new ScriptedUpstream(answer);
  return { upstream, ...(await createForkScene(upstream, options)) };
}

/** Calls the contract with these data. Returns the number of requests. */
async function requestsOf(scene: ForkScene & { upstream: ScriptedUpstream }, data = '0x01'): Promise<number> {
  const before = scene.upstream.posts.length;
  expect(await scene.call('eth_call', [{ from: ALICE, to: contract, data }, 'latest'])).toBe(WORD_9);
  return scene.upstream.posts.length - before;
}

function hintsSentTo(upstream: ScriptedUpstream): string[] {
  return upstream.calls.map(({ method }) => method).filter((method) => HINTS.includes(method));
}

/** Answers hints with this value, and all other calls from the node. */
function hinting(hint: unknown): Answerer {
  return (method, params) => (HINTS.includes(method) ? hint : node.call(method, params));
}

/** An upstream without these methods. */
function without(...missing: string[]): Answerer {
  return (method, params) => {
    if (missing.includes(method)) throw new MethodNotFoundError(method);
    return node.call(method, params);
  };
}

describe('the hints of an upstream', () => {
  it('reduce a cold call to two requests', async () => {
    // The first request of a fork also checks the fork block.
    expect(await requestsOf(await forkOf())).toBe(1 + 2);
    const off = await forkOf(undefined, { fork: { hints: 'off' } });
    expect(await requestsOf(off)).toBe(1 + 4);
    expect(hintsSentTo(off.upstream)).toEqual([]);
  });

  it('come from debug_traceCall if the upstream lacks eth_createAccessList', async () => {
    const scene = await forkOf(without('eth_createAccessList'));
    expect(await requestsOf(scene)).toBe(1 + 3);
    expect(hintsSentTo(scene.upstream)).toEqual(HINTS);
  });

  it('are requested once from an upstream without the methods, also in a second run', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'node-cli-hints-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const options = { fork: { cacheDirectory: directory, blockNumber: 1 } };
    const first = await forkOf(without(...HINTS), options);
    await requestsOf(first);
    await first.call('eth_call', [{ from: ALICE, to: ALICE, data: '0x02' }, 'latest']);
    expect(hintsSentTo(first.upstream)).toEqual(HINTS);
    await first.chain.close();
    const second = await forkOf(without(...HINTS), options);
    await second.call('eth_call', [{ from: ALICE, to: `0x${'d0'.repeat(20)}`, data: '0x02' }, 'latest']);
    expect(hintsSentTo(second.upstream)).toEqual([]);
  });

  it.each([
    ['null', null],
    ['a number', 7],
    ['a list without addresses', { accessList: [{ storageKeys: [word(1)] }, null, 'x'] }],
    ['other slots', { accessList: [{ address: `0x${'ee'.repeat(20)}`, storageKeys: [word(5)] }] }],
    [
      'a million slots',
      { accessList: [{ address: `0x${'ee'.repeat(20)}`, storageKeys: Array(1_000_000).fill(word(5)) }] },
    ],
  ])('do not change a result if they are wrong: %s', async (_, hint) => {
    const scene = await forkOf(hinting(hint));
    await requestsOf(scene);
    expect(scene.upstream.count('eth_getStorageAt')).toBeLessThan(2_100);
  });

  it('are not requested while the upstream limits the rate', async () => {
    const { fork } = await forkOf();
    const { answers, served } = fork.upstream;
    const asked: string[] = [];
    const askNow = async ({ method }: UpstreamCall): Promise<unknown> => asked.push(method);
    const message = { sender: fromHex(ALICE), to: fromHex(contract), data: Uint8Array.of(1), value: 0n };
    await new AccessHints({ answers, served, isLimited: true, askNow }).fetch(message);
    expect(asked).toEqual([]);
    await new AccessHints({ answers, served, isLimited: false, askNow }).fetch(message);
    expect(asked).toEqual(['eth_createAccessList']);
  });

  it('end after three failed requests', async () => {
    const { fork } = await forkOf();
    let requests = 0;
    const askNow = async (): Promise<unknown> => {
      requests++;
      throw new UpstreamError('the upstream failed');
    };
    const { answers, served } = fork.upstream;
    const hints = new AccessHints({ answers, served, isLimited: false, askNow });
    const message = { sender: fromHex(ALICE), to: fromHex(contract), data: Uint8Array.of(1), value: 0n };
    for (let count = 0; count < 5; count++) await hints.fetch(message);
    expect(requests).toBe(3);
  });

  it.each([400, 500])(
    'do not fail the calls of a batch that is rejected because of them: HTTP %i',
    async (status) => {
      const time = createFakeTime(TEST_START);
      const scene = await forkOf(undefined, { time });
      scene.upstream.script = ({ body }) =>
        body.includes('eth_createAccessList') ? failedAnswer(status) : undefined;
      let isAnswered = false;
      const called = requestsOf(scene).finally(() => {
        isAnswered = true;
      });
      const turns = async (): Promise<void> => {
        for (let turn = 0; turn < 20; turn++) await nextIteration();
      };
      await turns();
      while (!isAnswered) await time.advance(50, turns);
      await called;
      const before = scene.upstream.posts.length;
      const addresses = ['d1', 'd2', 'd3'].map((byte) => `0x${byte.repeat(20)}`);
      await Promise.all(addresses.map((address) => scene.call('eth_getBalance', [address, 'latest'])));
      expect(scene.upstream.posts.length - before).toBe(1);
    },
  );

  describe('for a contract that exists only here', () => {
    const router = `0x${'a0'.repeat(20)}`;

    async function requestsOfRouter(scene: ForkScene & { upstream: ScriptedUpstream }): Promise<number> {
      const code = `0x602060006000600073${contract.slice(2)}5afa5060206000f3`;
      await scene.call('hardhat_setCode', [router, code]);
      await scene.call('hardhat_setStorageAt', [router, '0x5', word(6)]);
      const before = scene.upstream.posts.length;
      expect(await scene.call('eth_call', [{ from: ALICE, to: router, data: '0x01' }, 'latest'])).toBe(
        WORD_9,
      );
      return scene.upstream.posts.length - before;
    }

    it('the upstream gets its code and slots as overrides', async () => {
      const scene = await forkOf();
      expect(await requestsOfRouter(scene)).toBe(2);
      const [hint] = scene.upstream.calls.filter(({ method }) => method === 'eth_createAccessList');
      expect(hint?.params[2]).toMatchObject({
        [router]: { nonce: '0x0', stateDiff: { [word(5)]: word(6) } },
      });
      expect(
        scene.upstream.calls.filter(({ params }) => params[0] === router && params[1] === word(5)),
      ).toEqual([]);
    });

    it('overrides are also part of debug_traceCall', async () => {
      const scene = await forkOf(without('eth_createAccessList'));
      expect(await requestsOfRouter(scene)).toBe(3);
      expect(
        scene.upstream.calls.find(({ method }) => method === 'debug_traceCall')?.params[2],
      ).toMatchObject({
        tracer: 'prestateTracer',
        stateOverrides: { [router]: { nonce: '0x0' } },
      });
    });

    it('an upstream that rejects overrides is asked without them from then on', async () => {
      const scene = await forkOf((method, params) => {
        if (method === 'eth_createAccessList' && params.length > 2)
          throw new InvalidParamsError('params[2]', 'no value', 'an object');
        return node.call(method, params);
      });
      await requestsOfRouter(scene);
      await requestsOf(scene, '0x02');
      await scene.call('eth_call', [{ from: ALICE, to: router, data: '0x03' }, 'latest']);
      const sent = scene.upstream.calls.filter(({ method }) => method === 'eth_createAccessList');
      expect(sent.map(({ params }) => params.length)).toEqual([3, 2]);
      expect(hintsSentTo(scene.upstream)).not.toContain('debug_traceCall');
    });

    it('wrong overrides change no result', async () => {
      const scene = await forkOf(hinting({ accessList: [{ address: router, storageKeys: [word(5)] }] }));
      await requestsOfRouter(scene);
      expect(await scene.call('eth_getStorageAt', [router, word(5), 'latest'])).toBe(word(6));
      expect(scene.upstream.calls.filter(({ params }) => params[1] === word(5))).toEqual([]);
    });
  });
});
