import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { UsageError } from '../../src/cli/errors.ts';
import { forkOptionsOf } from '../../src/cli/forking.ts';
import { readOptions } from '../../src/cli/read-options.ts';
import { createNode, type LocalNode } from '../../src/index.ts';

function forkOptions(...commandLine: string[]): ReturnType<typeof forkOptionsOf> {
  return forkOptionsOf(readOptions(commandLine, {}), { XDG_CACHE_HOME: '/caches' });
}

describe('the options of a fork', () => {
  it('split a block number from the URLs', () => {
    const options = forkOptions('--fork-url', 'https://a.b/key@7', '--fork-url', 'http://user:pass@c.d');
    expect(options).toMatchObject({ urls: ['https://a.b/key', 'http://user:pass@c.d'], blockNumber: 7 });
  });

  it('refuse two blocks', () => {
    const urls = ['--fork-url', 'https://a.b@7', '--fork-url', 'https://c.d@8'];
    expect(() => forkOptions(...urls)).toThrow(
      new UsageError('a fork begins at one block, not at 7 and 8; name it once'),
    );
    const hash = ['--fork-transaction-hash', `0x${'ab'.repeat(32)}`];
    expect(() => forkOptions('--fork-url', 'https://a.b@7', ...hash)).toThrow(UsageError);
  });

  it('have a cache where the user has caches, one of their own, or none', () => {
    const url = ['--fork-url', 'http://a.b'];
    expect(forkOptions(...url).cacheDirectory).toBe('/caches/node-cli/fork');
    expect(forkOptions(...url, '--fork-cache-dir', 'here').cacheDirectory).toBe('here');
    expect(forkOptions(...url, '--no-storage-caching').cacheDirectory).toBeNull();
  });

  it('take headers as they are written', () => {
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

/** A proxy before a node that counts the HTTP requests. */
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

describe('a node in this process', () => {
  it('forks a node over HTTP, and asks it nothing in a second run', async () => {
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

  it('becomes a fork by a reset, and keeps the chain id that it is told', async () => {
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

  it('has the rules of Ethereum where the upstream has a base fee', async () => {
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
});
