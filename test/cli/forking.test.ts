import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { UsageError } from '../../src/config/errors.ts';
import { forkOptionsOf, openForkConfig, ownChainsOf } from '../../src/config/forking.ts';
import { upstreamDirectory } from '../../src/fork/cache/fork-cache.ts';
import { createNode, type LocalNode } from '../../src/index.ts';
import { systemClock } from '../../src/primitives/clock.ts';
import { systemRandom } from '../../src/primitives/random.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { TEST_DEFAULTS } from '../support/test-chain.ts';
import { readOptions } from './support/read-options.ts';

function forkOptions(...commandLine: string[]): ReturnType<typeof forkOptionsOf> {
  return forkOptionsOf(readOptions(commandLine, {}), { XDG_CACHE_HOME: '/caches' });
}

describe('fork options', () => {
  it('--fork-url accepts a block number after @', () => {
    const options = forkOptions('--fork-url', 'https://a.b/key@7', '--fork-url', 'http://user:pass@c.d');
    expect(options).toMatchObject({ urls: ['https://a.b/key', 'http://user:pass@c.d'], blockNumber: 7 });
  });

  it('--fork-follow starts from the newest block or from --fork-block-number', () => {
    const url = ['--fork-url', 'https://a.b'];
    expect(forkOptions(...url).follow).toBeNull();
    expect(forkOptions(...url, '--fork-follow')).toMatchObject({ blockNumber: null, follow: 2 });
    const flags = ['--fork-block-number', '7', '--fork-follow', '0.5'];
    expect(forkOptions(...url, ...flags)).toMatchObject({ blockNumber: 7, follow: 0.5 });
  });

  it.each([
    [['--fork-block-number', '-5'], {}],
    [['--fork-block-number=-5'], {}],
    [['--fork.blockNumber', '-5'], {}],
    [[], { NODE_CLI_FORK_BLOCK_NUMBER: '-5' }],
  ])('a negative block number is accepted as %j with %j', (words, environment) => {
    const settings = readOptions(['--fork-url', 'https://a.b/key', ...words], environment);
    expect(forkOptionsOf(settings, {})).toMatchObject({ urls: ['https://a.b/key'], blockNumber: -5 });
  });

  it('--fork-url accepts a negative block number after @', () => {
    expect(forkOptions('--fork-url', 'https://a.b/key@-5')).toMatchObject({
      urls: ['https://a.b/key'],
      blockNumber: -5,
    });
  });

  it.each(['-0', '-', '--5', '-1.5', '-9007199254740992'])('the block number %s is rejected', (text) => {
    expect(() => forkOptions('--fork-url', 'https://a.b', `--fork-block-number=${text}`)).toThrow(
      `--fork-block-number: expected a whole number from 0 to 9007199254740991, or from -1 down to count back from the newest block, got ${JSON.stringify(text)}`,
    );
  });

  it('the block number -0 after @ is rejected', () => {
    expect(() => forkOptions('--fork-url', 'https://a.b@-0')).toThrow(UsageError);
  });

  it('two fork blocks are rejected', () => {
    const urls = ['--fork-url', 'https://a.b@7', '--fork-url', 'https://c.d@8'];
    expect(() => forkOptions(...urls)).toThrow(
      new UsageError('a fork starts from one block, but blocks 7 and 8 are set; set one block only'),
    );
    const hash = `0x${'ab'.repeat(32)}`;
    for (const flag of ['--fork-transaction-hash', '--fork-before-transaction']) {
      expect(() => forkOptions('--fork-url', 'https://a.b@7', flag, hash)).toThrow(
        new UsageError(
          'a fork starts from a block or at a transaction, but both are set; remove one of them',
        ),
      );
      const number = ['--fork-block-number', '7'];
      expect(() => forkOptions('--fork-url', 'https://a.b', ...number, flag, hash)).toThrow(
        `--fork-block-number cannot be used with ${flag}`,
      );
    }
    const both = ['--fork-transaction-hash', hash, '--fork-before-transaction', hash];
    expect(() => forkOptions('--fork-url', 'https://a.b', ...both)).toThrow(
      '--fork-transaction-hash cannot be used with --fork-before-transaction',
    );
  });

  it('a transaction is applied unless the fork starts before it', () => {
    const written = `0x${'ab'.repeat(32)}`;
    const hash = new Uint8Array(32).fill(0xab);
    const after = forkOptions('--fork-url', 'https://a.b', '--fork-transaction-hash', written);
    expect(after.transaction).toEqual({ hash, isApplied: true });
    const before = forkOptions('--fork-url', 'https://a.b', '--fork-before-transaction', written);
    expect(before.transaction).toEqual({ hash, isApplied: false });
  });

  it("the cache is in the user's cache directory, in --fork-cache-dir, or off", () => {
    const url = ['--fork-url', 'http://a.b'];
    expect(forkOptions(...url).cacheDirectory).toBe('/caches/node-cli/fork');
    expect(forkOptions(...url, '--fork-cache-dir', 'here').cacheDirectory).toBe('here');
    expect(forkOptions(...url, '--no-storage-caching').cacheDirectory).toBeNull();
  });

  it('--fork-header keeps the header values as written', () => {
    const { headers } = forkOptions(
      '--fork-url',
      'http://a.b',
      '--fork-header',
      'Accept: a, b',
      '--fork-header',
      'X-Key:k',
    );
    expect(headers).toEqual({ Accept: 'a, b', 'X-Key': 'k' });
  });
});

/** Sends a request over HTTP and returns its result. */
async function post(url: string, method: string, params: unknown[]): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer = (await (await fetch(url, { method: 'POST', headers, body })).json()) as { result?: unknown };
  return answer.result;
}

/** A proxy in front of a node that counts the HTTP requests. */
async function countingProxy(target: string): Promise<{ readonly url: string; count(): number }> {
  let requests = 0;
  const server = createServer((request, response) => {
    requests++;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      void fetch(target, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: Buffer.concat(chunks),
      })
        .then((answer) => answer.text())
        .then((text) => response.end(text));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, count: () => requests };
}

async function local(options: Parameters<typeof createNode>[0]): Promise<LocalNode> {
  const node = await createNode(options);
  onTestFinished(() => node.close());
  return node;
}

const SOMEBODY = `0x${'77'.repeat(20)}`;

describe('createNode with a fork', () => {
  it('forks a node over HTTP, and sends no requests in a second run', async () => {
    const cache = mkdtempSync(join(tmpdir(), 'node-cli-fork-'));
    onTestFinished(() => rmSync(cache, { recursive: true }));
    const upstream = await local({ chainId: 1234, gasLimit: 20_000_000 });
    const [from] = (await upstream.request({ method: 'eth_accounts' })) as string[];
    const transaction = { from, to: SOMEBODY, value: '0x5' };
    await upstream.request({ method: 'eth_sendTransaction', params: [transaction] });
    const proxy = await countingProxy((await upstream.listen()).url);
    const run = async (): Promise<unknown[]> => {
      const node = await local({ forkUrl: proxy.url, forkBlockNumber: 1, forkCacheDir: cache });
      await node.request({ method: 'eth_sendTransaction', params: [transaction] });
      return Promise.all([
        node.request({ method: 'eth_chainId' }),
        node.request({ method: 'net_version' }),
        node.request({ method: 'eth_blockNumber' }),
        node.request({ method: 'eth_getBalance', params: [SOMEBODY, 'latest'] }),
        node.request({ method: 'eth_getTransactionCount', params: [from, 'latest'] }),
        node.request({ method: 'eth_getBlockByNumber', params: ['0x1', false] }),
      ]);
    };
    const answers = await run();
    expect(answers.slice(0, 5)).toEqual(['0x4d2', '1234', '0x2', '0xa', '0x2']);
    expect(answers[5]).toMatchObject({ number: '0x1', gasLimit: '0x1312d00' });
    const asked = proxy.count();
    expect(asked).toBeGreaterThan(0);
    expect(await run()).toEqual(answers);
    expect(proxy.count()).toBe(asked);
  });

  it('forks a node over WebSocket, also by a reset', async () => {
    const upstream = await local({ chainId: 1234 });
    const [from] = (await upstream.request({ method: 'eth_accounts' })) as string[];
    const transaction = { from, to: SOMEBODY, value: '0x5' };
    await upstream.request({ method: 'eth_sendTransaction', params: [transaction] });
    const { webSocketUrl } = await upstream.listen();
    const node = await local({ forkUrl: `${webSocketUrl}@1`, noStorageCaching: true });
    const balance = (): Promise<unknown> =>
      node.request({ method: 'eth_getBalance', params: [SOMEBODY, 'latest'] });
    await node.request({ method: 'eth_sendTransaction', params: [transaction] });
    expect(await balance()).toBe('0xa');
    const forking = { jsonRpcUrl: webSocketUrl, blockNumber: 0 };
    await node.request({ method: 'hardhat_reset', params: [{ forking }] });
    expect(await balance()).toBe('0x0');
    expect(await node.request({ method: 'eth_chainId' })).toBe('0x4d2');
  });

  it('hardhat_reset turns a chain into a fork and keeps a configured chain id', async () => {
    const upstream = await local({ chainId: 1234 });
    const { url: jsonRpcUrl } = await upstream.listen();
    const node = await local({ chainId: 55, noStorageCaching: false });
    await node.request({ method: 'hardhat_reset', params: [{ forking: { jsonRpcUrl, blockNumber: 0 } }] });
    expect(await node.request({ method: 'eth_chainId' })).toBe('0x37');
    expect(await node.request({ method: 'hardhat_metadata' })).toMatchObject({
      forkedNetwork: { chainId: 1234, forkBlockNumber: 0 },
    });
    await node.request({ method: 'hardhat_reset' });
    expect(await node.request({ method: 'hardhat_metadata' })).toMatchObject({ forkedNetwork: null });
  });

  it('uses Ethereum rules if the upstream has a base fee', async () => {
    const upstream = await local({ hardfork: 'london' });
    const { url: forkUrl } = await upstream.listen();
    const node = await local({ forkUrl, noStorageCaching: true });
    await node.request({ method: 'evm_mine' });
    expect(await node.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })).toHaveProperty(
      'baseFeePerGas',
    );
    const [from] = (await node.request({ method: 'eth_accounts' })) as string[];
    const typed = {
      from,
      to: SOMEBODY,
      type: '0x2',
      maxFeePerGas: '0x77359400',
      maxPriorityFeePerGas: '0x1',
    };
    await node.request({ method: 'eth_sendTransaction', params: [typed] });
  });

  /** The chain id from every source visible to clients, and the network id. */
  async function ids(node: LocalNode): Promise<Record<string, unknown>> {
    const ask = (method: string, ...params: unknown[]): Promise<unknown> => node.request({ method, params });
    const [from] = (await ask('eth_accounts')) as string[];
    const hash = await ask('eth_sendTransaction', { from, to: SOMEBODY });
    const { v } = (await ask('eth_getTransactionByHash', hash)) as { v: string };
    const { chainId } = (await ask('hardhat_metadata')) as { chainId: number };
    return {
      answered: Number(await ask('eth_chainId')),
      // CHAINID, PUSH0, MSTORE, MSIZE, PUSH0, RETURN
      inCode: Number(await ask('eth_call', { data: '0x465f52595ff3' }, 'latest')),
      signed: (Number(v) - 35) >> 1,
      told: chainId,
      network: Number(await ask('net_version')),
    };
  }

  function all(chainId: number, network = chainId): Record<string, unknown> {
    return { answered: chainId, inCode: chainId, signed: chainId, told: chainId, network };
  }

  it('all sources return the same chain id after resets, reverts and changes', async () => {
    const urls = await Promise.all(
      [1234, 5678].map(async (chainId) => (await (await local({ chainId })).listen()).url),
    );
    const node = await local({ forkUrl: urls[0], noStorageCaching: true });
    const reset = (forking?: object): Promise<unknown> =>
      node.request({ method: 'hardhat_reset', params: forking === undefined ? [] : [{ forking }] });
    expect(await ids(node)).toEqual(all(1234));
    await reset({ jsonRpcUrl: urls[1] });
    expect(await ids(node)).toEqual(all(5678));
    const snapshot = await node.snapshot();
    await node.request({ method: 'anvil_setChainId', params: [77] });
    expect(await ids(node)).toEqual(all(77));
    expect(await ids(await node.fork())).toEqual(all(77));
    await snapshot.revert();
    expect(await ids(node)).toEqual(all(5678));
    await reset({ blockNumber: 0 });
    expect(await ids(node)).toEqual(all(5678));
    await reset();
    expect(await ids(node)).toEqual(all(1234));
  });

  it('keeps a configured network id, and requests the chain id of another upstream', async () => {
    const [one, other] = await Promise.all(
      [1234, 5678].map(async (chainId) => (await (await local({ chainId })).listen()).url),
    );
    const node = await local({ forkUrl: one, forkChainId: 1234, networkId: 7, noStorageCaching: true });
    expect(await ids(node)).toEqual(all(1234, 7));
    await node.request({ method: 'hardhat_reset', params: [{ forking: { jsonRpcUrl: other } }] });
    expect(await ids(node)).toEqual(all(5678, 7));
    // forkChainId applies only to the first upstream.
    await node.request({ method: 'hardhat_reset', params: [{ forking: { blockNumber: 0 } }] });
    expect(await ids(node)).toEqual(all(5678, 7));
  });

  it('hardhat_reset to another block uses the URL of anvil_setRpcUrl', async () => {
    const [one, other] = await Promise.all([local({ chainId: 1234 }), local({ chainId: 1234 })]);
    const dump = await one.request({ method: 'anvil_dumpState' });
    await other.request({ method: 'anvil_loadState', params: [dump] });
    await other.request({ method: 'anvil_mine', params: [2] });
    const node = await local({ forkUrl: (await one.listen()).url, noStorageCaching: true });
    const { url } = await other.listen();
    await node.request({ method: 'anvil_setRpcUrl', params: [url] });
    await node.request({ method: 'hardhat_reset', params: [{ forking: { blockNumber: 2 } }] });
    expect(await node.request({ method: 'eth_blockNumber' })).toBe('0x2');
  });

  it('caches data of upstreams of lanes and resets in a configured directory', async () => {
    const forkCacheDir = await temporaryDirectory();
    const other = await local({ chainId: 1234 });
    const { url } = await other.listen();
    const names = (): string[] => readdirSync(forkCacheDir);
    const forking = { jsonRpcUrl: url, blockNumber: 0 };
    const reset = await local({ forkCacheDir });
    await reset.request({ method: 'hardhat_reset', params: [{ forking }] });
    await reset.request({ method: 'eth_getBalance', params: [SOMEBODY, 'latest'] });
    expect(names()).toEqual([upstreamDirectory([url])]);

    const node = await local({ forkCacheDir });
    const { url: base } = await node.listen({ port: 0, lanes: true });
    await other.close();
    await post(base, 'lane_create', [{ key: 'forked', forkUrl: url, forkBlockNumber: 0 }]);
    expect(await post(`${base}/forked`, 'eth_getBalance', [SOMEBODY, 'latest'])).toBe('0x0');
  });

  it('forks of resets follow as the initial fork does, but forks of lanes do not', async () => {
    const [own, other] = await Promise.all([local({ chainId: 1234 }), local({ chainId: 5678 })]);
    const urls = [(await own.listen()).url, (await other.listen()).url];
    const [first = '', second = ''] = urls;
    const flags = ['--fork-url', first, '--fork-follow', '0.5', '--no-storage-caching'];
    const settings = readOptions(flags, {});
    const forking = await openForkConfig(settings, {
      environment: {},
      clock: systemClock,
      random: systemRandom,
    });
    const openOwn = ownChainsOf(settings, TEST_DEFAULTS, forking);
    const target = { url: second, blockNumber: null };
    const reset = await forking.open(target, forking.fork);
    const lane = await openOwn({ chainId: null, hardfork: null, fork: target });
    expect([forking.fork, reset, lane.forking.fork].map((fork) => fork?.options.follow)).toEqual([
      0.5,
      0.5,
      null,
    ]);
    for (const fork of [forking.fork, reset]) fork?.hold();
    for (const fork of [forking.fork, reset, lane.forking.fork]) fork?.release();
  });

  it('a hosted node caches no data of an upstream chosen by a tenant', async () => {
    const forkCacheDir = await temporaryDirectory();
    const other = await local({ chainId: 1234 });
    const settings = readOptions(['--hosted', '--api-key', 'key', '--fork-cache-dir', forkCacheDir], {});
    const forking = await openForkConfig(settings, {
      environment: {},
      clock: systemClock,
      random: systemRandom,
    });
    const url = (await other.listen()).url;
    // A hosted node may reject the URL itself. It must not write in either case.
    const [opened] = await Promise.allSettled([forking.open({ url, blockNumber: 0 }, null)]);
    if (opened.status === 'fulfilled') {
      opened.value.hold();
      opened.value.release();
    }
    expect(readdirSync(forkCacheDir)).toEqual([]);
  });

  it('caches no data of an upstream chosen by a client in the default directory', async () => {
    const forkCacheDir = mkdtempSync(join(tmpdir(), 'node-cli-fork-'));
    onTestFinished(() => rmSync(forkCacheDir, { recursive: true }));
    vi.stubEnv('XDG_CACHE_HOME', forkCacheDir);
    onTestFinished(() => void vi.unstubAllEnvs());
    const [own, other] = await Promise.all([local({ chainId: 1234 }), local({ chainId: 1234 })]);
    const forkUrl = (await own.listen()).url;
    const { url: jsonRpcUrl } = await other.listen();
    const ask = async (node: LocalNode): Promise<void> => {
      await node.request({ method: 'eth_getBalance', params: [SOMEBODY, 'latest'] });
      await node.request({ method: 'eth_getBlockByNumber', params: ['0x0', true] });
    };
    const node = await local({ forkUrl, forkBlockNumber: 0 });
    const files = (): string[] => readdirSync(forkCacheDir, { recursive: true }).map(String).sort();
    const before = files();
    for (const forking of [{ jsonRpcUrl }, { jsonRpcUrl, blockNumber: 0 }, { blockNumber: 0 }]) {
      await node.request({ method: 'hardhat_reset', params: [{ forking }] });
      await ask(node);
    }
    expect(files()).toEqual(before);

    const dump = await node.request({ method: 'anvil_dumpState' });
    const empty = mkdtempSync(join(tmpdir(), 'node-cli-fork-'));
    onTestFinished(() => rmSync(empty, { recursive: true }));
    vi.stubEnv('XDG_CACHE_HOME', empty);
    onTestFinished(() => void vi.unstubAllEnvs());
    const third = await local({ chainId: 55 });
    await third.request({ method: 'anvil_loadState', params: [dump] });
    await ask(third);
    expect(readdirSync(empty)).toEqual([]);

    // A client may choose the configured fork URL, whose data is cached.
    await node.request({ method: 'hardhat_reset', params: [{ forking: { jsonRpcUrl: forkUrl } }] });
    await ask(node);
    expect(files().length).toBeGreaterThan(before.length);
  });
});
