import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { RecordFile } from '../../src/fork/cache/record-file.ts';
import { nextIteration } from '../../src/scheduling/cancel-check.ts';
import { createExampleChain, EXAMPLE, type ExampleChain } from '../rpc/example-chain.ts';
import { createForkScene, type ForkScene } from './fork-scene.ts';
import { ScriptedUpstream } from './scripted-upstream.ts';

const SLOT = `0x${'0'.repeat(64)}`;
const UNKNOWN = `0x${'77'.repeat(20)}`;
const LOG_FILTER = { fromBlock: '0x0', toBlock: '0x4' };
/** Returns the hash of block 2. */
const HASH_OF_BLOCK_2 = { data: '0x6002405f5260205ff3' };

let node: ExampleChain;

beforeAll(async () => {
  node = await createExampleChain();
});

/** The invalid response of an upstream; `undefined` for the correct response. */
type Lie = (method: string, params: readonly unknown[]) => unknown;

class LyingUpstream extends ScriptedUpstream {
  lie: Lie;

  constructor(lie: Lie) {
    super((method, params) => {
      const lied = this.lie(method, params);
      return lied === undefined ? node.call(method, params) : lied;
    });
    this.lie = lie;
  }
}

function cacheDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'node-cli-fork-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

async function forkOf(
  upstream: ScriptedUpstream,
  cacheDirectory: string | null = null,
): Promise<ForkScene & { upstream: ScriptedUpstream }> {
  const fork = { blockNumber: 4, retries: 2, retryBackoff: 0, noRateLimit: true, cacheDirectory };
  return { upstream, ...(await createForkScene(upstream, { fork })) };
}

/** Columns: upstream method, invalid response, requested method, parameters. */
const CASES: readonly (readonly [string, unknown, string, readonly unknown[]])[] = [
  ['eth_getTransactionCount', null, 'eth_getTransactionCount', [UNKNOWN, 'latest']],
  ['eth_getBalance', null, 'eth_getBalance', [UNKNOWN, 'latest']],
  ['eth_getStorageAt', null, 'eth_getStorageAt', [EXAMPLE.counter, SLOT, 'latest']],
  ['eth_getBlockByNumber', null, 'eth_call', [HASH_OF_BLOCK_2, 'latest']],
  ['eth_getTransactionCount', '0xzz', 'eth_getTransactionCount', [UNKNOWN, 'latest']],
  ['eth_getBalance', '0xzz', 'eth_getBalance', [UNKNOWN, 'latest']],
  ['eth_getBalance', `0x1${'0'.repeat(64)}`, 'eth_getBalance', [UNKNOWN, 'latest']],
  ['eth_getCode', '0xzz', 'eth_getCode', [EXAMPLE.counter, 'latest']],
  ['eth_getStorageAt', '0xzz', 'eth_getStorageAt', [EXAMPLE.counter, SLOT, 'latest']],
  ['eth_getBalance', '0xzz', 'eth_getBalance', [UNKNOWN, '0x2']],
  ['eth_getBlockByNumber', { number: '0x2' }, 'eth_call', [HASH_OF_BLOCK_2, 'latest']],
  ['eth_getBlockByNumber', { number: '0x3' }, 'eth_getBlockByNumber', ['0x3', false]],
  ['eth_getBlockByHash', 'block', 'eth_getBlockByHash', [EXAMPLE.blockHashes[3], false]],
  ['eth_getTransactionByHash', {}, 'eth_getTransactionByHash', [EXAMPLE.increaseHash]],
  ['eth_getTransactionReceipt', { foo: 1 }, 'eth_getTransactionReceipt', [EXAMPLE.increaseHash]],
  ['eth_getBlockReceipts', [{ foo: 1 }], 'eth_getBlockReceipts', ['0x3']],
  ['eth_getLogs', 'nonsense', 'eth_getLogs', [LOG_FILTER]],
  ['eth_getLogs', null, 'eth_getLogs', [LOG_FILTER]],
  ['eth_getLogs', [{ address: UNKNOWN }], 'eth_getLogs', [LOG_FILTER]],
  ['eth_feeHistory', 'nonsense', 'eth_feeHistory', ['0x2', '0x4']],
  ['trace_filter', 'nonsense', 'trace_filter', [LOG_FILTER]],
];

/** True for the requests that check the pinned block. */
function isPinned(params: readonly unknown[]): boolean {
  return params[0] === '0x4' || params[0] === `0x${'0'.repeat(40)}`;
}

function telling(method: string, answer: unknown): Lie {
  return (asked, params) => (asked === method && !isPinned(params) ? answer : undefined);
}

/** The response of the fork. Time advances meanwhile, so that retries run. */
async function answerOf(
  scene: ForkScene,
  method: string,
  params: readonly unknown[],
): Promise<PromiseSettledResult<unknown>> {
  let outcome: PromiseSettledResult<unknown> | undefined;
  const settled = Promise.allSettled([scene.call(method, params)]).then(([only]) => {
    outcome = only;
  });
  for (let turn = 0; turn < 100_000 && outcome === undefined; turn++) {
    await nextIteration();
    if (turn % 10 === 9) await scene.time.advance(1);
  }
  if (outcome === undefined) throw new Error('there is no answer');
  await settled;
  return outcome;
}

async function resultOf(scene: ForkScene, method: string, params: readonly unknown[]): Promise<unknown> {
  const outcome = await answerOf(scene, method, params);
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

describe('an invalid response of an upstream', () => {
  it.each(CASES)('to %s with %j is retried, and the cache stores the correct response', async (...given) => {
    const [method, wrong, asked, params] = given;
    const upstream = new LyingUpstream(() => undefined);
    const right = await resultOf(await forkOf(upstream), asked, params);
    const lie = telling(method, wrong);
    let lies = 0;
    upstream.lie = (...call) => {
      const lied = lie(...call);
      return lied !== undefined && lies++ === 0 ? lied : undefined;
    };
    const directory = cacheDirectory();
    expect(await resultOf(await forkOf(upstream, directory), asked, params)).toEqual(right);
    expect(lies).toBeGreaterThan(0);
    upstream.lie = () => undefined;
    expect(await resultOf(await forkOf(upstream, directory), asked, params)).toEqual(right);
  });

  it.each(CASES)('to %s that stays %j causes an error and is not cached', async (...given) => {
    const [method, wrong, asked, params] = given;
    const upstream = new LyingUpstream(telling(method, wrong));
    const directory = cacheDirectory();
    const scene = await forkOf(upstream, directory);
    const before = upstream.count(method);
    const quote = JSON.stringify(wrong).slice(0, 40);
    await expect(resultOf(scene, asked, params)).rejects.toMatchObject({
      code: -32000,
      message: expect.stringContaining(`no response from the fork URL to ${method} after 3 attempts`),
    });
    await expect(resultOf(scene, asked, params)).rejects.toThrow(
      `node.example/v2/***: its response is invalid: ${quote}`,
    );
    // Two requests with three attempts each, one check of the pinned block, and the search for the first
    // block.
    expect(upstream.count(method) - before).toBeLessThanOrEqual(13);
    upstream.lie = () => undefined;
    const right = await resultOf(await forkOf(upstream), asked, params);
    expect(await resultOf(scene, asked, params)).toEqual(right);
    expect(await resultOf(await forkOf(upstream, directory), asked, params)).toEqual(right);
  });

  it('is not shared with another upstream of the same block', async () => {
    const directory = cacheDirectory();
    const asked = ['eth_getBalance', [EXAMPLE.receiver, 'latest']] as const;
    const liar = new LyingUpstream(telling('eth_getBalance', '0xbad'));
    const at = (upstream: ScriptedUpstream, url: string): Promise<ForkScene> =>
      createForkScene(upstream, { fork: { blockNumber: 4, urls: [url], cacheDirectory: directory } });
    expect(await (await at(liar, 'https://liar.example')).call(...asked)).toBe('0xbad');
    const honest = new LyingUpstream(() => undefined);
    const right = await (await forkOf(honest)).call(...asked);
    expect(await (await at(honest, 'https://honest.example')).call(...asked)).toBe(right);
  });

  it('from a URL of anvil_setRpcUrl is not cached for later runs', async () => {
    const directory = cacheDirectory();
    const asked = ['eth_getBalance', [EXAMPLE.receiver, 'latest']] as const;
    const honest = new LyingUpstream(() => undefined);
    const scene = await forkOf(honest, directory);
    await scene.call('anvil_setRpcUrl', ['https://liar.example']);
    honest.lie = telling('eth_getBalance', '0xbad');
    expect(await scene.call(...asked)).toBe('0xbad');
    expect(await scene.call(...asked)).toBe('0xbad');
    honest.lie = () => undefined;
    expect(await (await forkOf(honest, directory)).call(...asked)).toBe(
      await (await forkOf(honest)).call(...asked),
    );
  });

  it('from a URL of anvil_setRpcUrl does not remove the fork block from the cache', async () => {
    const directory = cacheDirectory();
    const upstream = new LyingUpstream(() => undefined);
    const scene = await forkOf(upstream, directory);
    upstream.lie = (method) =>
      method === 'eth_getBlockByNumber'
        ? {
            hash: `0x${'12'.repeat(32)}`,
            number: '0x4',
            parentHash: `0x${'13'.repeat(32)}`,
            timestamp: '0x1',
          }
        : undefined;
    await expect(scene.call('anvil_setRpcUrl', ['https://other.example'])).rejects.toThrow(
      'but the fork block is',
    );
    upstream.lie = () => undefined;
    upstream.posts.length = 0;
    await forkOf(upstream, directory);
    expect(upstream.posts).toEqual([]);
  });

  it('causes a request to the next URL', async () => {
    const upstream = new LyingUpstream(() => undefined);
    upstream.script = async ({ url, body }) => {
      if (url.includes('second') || !body.includes('eth_getCode')) return undefined;
      return { status: 200, retryAfter: null, text: body.replaceAll('"method"', '"result":"0xzz","method"') };
    };
    const urls = ['https://first.example', 'https://second.example'];
    const scene = await createForkScene(upstream, { fork: { blockNumber: 4, retries: 0, urls } });
    expect(await scene.call('eth_getCode', [EXAMPLE.counter, 'latest'])).toMatch(/^0x6/);
  });

  it('causes an error if it is nested too deep for the cache', async () => {
    let nested: unknown = '0x0';
    for (let level = 0; level < 4_000; level++) nested = [nested];
    const scene = await forkOf(new LyingUpstream(telling('eth_getBalance', nested)), cacheDirectory());
    await expect(resultOf(scene, 'eth_getBalance', [UNKNOWN, 'latest'])).rejects.toThrow(
      'its result is nested deeper than 2500 levels',
    );
  });

  it('is quoted without secrets of the URL', async () => {
    const scene = await forkOf(new LyingUpstream(telling('eth_getBalance', '?0123456789abcdefghij')));
    await expect(resultOf(scene, 'eth_getBalance', [UNKNOWN, 'latest'])).rejects.toThrow(
      'its response is invalid: "?***"',
    );
  });

  it('in the cache is ignored and requested again', async () => {
    const directory = cacheDirectory();
    const upstream = new LyingUpstream(() => undefined);
    const asked = ['eth_getBalance', [EXAMPLE.receiver, 'latest']] as const;
    const right = await (await forkOf(upstream, directory)).call(...asked);
    const [upstreamName = ''] = readdirSync(directory);
    const place = join(directory, upstreamName, '33');
    for (const name of readdirSync(place)) {
      const file = new RecordFile(join(place, name));
      await file.readOn();
      for (const [key] of [...file.entries()]) {
        if (name === 'blocks.jsonl') file.set(key, { block: { number: '0x4' }, isDeep: true, keptAt: 0 });
        else file.set(key, '0xzz');
      }
    }
    expect(await (await forkOf(upstream, directory)).call(...asked)).toBe(right);

    expect(readFileSync(join(place, 'blocks.jsonl'), 'utf8')).toContain(EXAMPLE.blockHashes[4]);
  });
});

describe('a null response of an upstream', () => {
  it('to eth_getCode means an account without code', async () => {
    const upstream = new LyingUpstream(telling('eth_getCode', null));
    const scene = await forkOf(upstream);
    expect(await scene.call('eth_getCode', [UNKNOWN, 'latest'])).toBe('0x');
    expect(await scene.call('eth_getBalance', [UNKNOWN, 'latest'])).toBe('0x0');
    expect(upstream.count('eth_getCode', UNKNOWN)).toBe(1);
  });

  it('for an unknown hash is returned, but not cached', async () => {
    const upstream = new LyingUpstream(() => undefined);
    const scene = await forkOf(upstream);
    const hash = `0x${'12'.repeat(32)}`;
    for (const method of ['eth_getTransactionReceipt', 'eth_getTransactionByHash']) {
      expect(await scene.call(method, [hash])).toBeNull();
    }
    expect(await scene.call('eth_getBlockByHash', [hash, false])).toBeNull();
    expect(await scene.call('eth_getTransactionByHash', [hash])).toBeNull();
    expect(upstream.count('eth_getTransactionByHash')).toBeGreaterThan(1);
  });
});
