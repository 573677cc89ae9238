import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createNode, type LocalNode } from '../../src/index.ts';
import { startProxy } from '../support/proxy.ts';
import { start } from './support/started-node.ts';

async function local(options: Parameters<typeof createNode>[0]): Promise<LocalNode> {
  const node = await createNode(options);
  onTestFinished(() => node.close());
  return node;
}

/** Starts a chain, and returns a URL that only the proxies of tests can resolve. */
async function farUrl(): Promise<string> {
  const { url } = await start(['--chain-id', '1234', '--allow-host', 'node.invalid']);
  return url.replace('127.0.0.1', 'node.invalid');
}

const FORK = ['--chain-id', '7', '--no-storage-caching', '--retries', '0'];

describe('a fork behind a proxy', () => {
  it('uses --fork-proxy', async () => {
    const proxy = await startProxy();

    const node = await start([...FORK, '--fork-url', await farUrl(), '--fork-proxy', proxy.url]);

    expect(await node.call('eth_blockNumber')).toBe('0x0');
    expect(proxy.targets.length).toBeGreaterThan(0);
  });

  it('uses the proxy of the environment, unless --fork-proxy is none', async () => {
    const proxy = await startProxy();
    const environment = { HTTP_PROXY: proxy.url };
    const forkUrl = await farUrl();

    const node = await start([...FORK, '--fork-url', forkUrl], { environment });
    const direct = await start([...FORK, '--fork-url', forkUrl, '--fork-proxy', 'none'], { environment });

    expect(await node.call('eth_blockNumber')).toBe('0x0');
    expect(direct.host.exitCodes).toEqual([1]);
  });

  it('is used by createNode', async () => {
    const [proxy, other] = [await startProxy(), await startProxy()];
    vi.stubEnv('HTTP_PROXY', other.url);
    vi.stubEnv('http_proxy', '');
    vi.stubEnv('NO_PROXY', '');
    vi.stubEnv('no_proxy', '');
    onTestFinished(() => void vi.unstubAllEnvs());
    const options = { forkUrl: await farUrl(), noStorageCaching: true, retries: 0 };

    await local({ ...options, forkProxy: proxy.url });
    const found = other.targets.length;
    await local(options);

    expect(found).toBe(0);
    expect(proxy.targets.length).toBeGreaterThan(0);
    expect(other.targets.length).toBeGreaterThan(0);
  });

  it('ends with an error that masks the credentials of the proxy', async () => {
    const proxy = await startProxy({ status: 407 });
    const url = proxy.url.replace('//', '//user:secret@');

    const node = await start([...FORK, '--fork-url', 'https://node.invalid', '--fork-proxy', url]);

    expect(node.host.written.errors).toContain(
      `the proxy http://***@127.0.0.1:${proxy.port} requires other credentials`,
    );
    expect(node.host.written.errors).not.toContain('secret');
  });
});
