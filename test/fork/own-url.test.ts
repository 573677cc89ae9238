import { describe, expect, it, onTestFinished } from 'vitest';
import { createNode, type LocalNode, type LocalServer } from '../../src/index.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

async function local(options: Parameters<typeof createNode>[0] = {}): Promise<LocalNode> {
  const node = await createNode(options);
  onTestFinished(() => node.close());
  return node;
}

async function served(): Promise<{ readonly node: LocalNode; readonly server: LocalServer }> {
  const node = await local();
  await node.request({ method: 'evm_mine' });
  return { node, server: await node.listen({ lanes: true }) };
}

/** Sends a request over HTTP and returns its response. */
async function post(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return (await fetch(url, { method: 'POST', headers, body })).json();
}

const REJECTED = {
  code: -32602,
  message: expect.stringMatching(
    /^invalid params: options\.forking\.jsonRpcUrl: expected the URL of another node, got a URL of this node$/,
  ),
};

describe("a reset to the node's own URL", () => {
  it.each(['evm_reset', 'anvil_reset', 'hardhat_reset'])(
    '%s is rejected and changes nothing',
    async (method) => {
      const { node, server } = await served();
      for (const jsonRpcUrl of [
        server.url,
        server.webSocketUrl,
        `http://localhost:${server.port}/lane`,
        `http://[::1]:${server.port}/?query=1`,
        `ws://0.0.0.0:${server.port}/some/path`,
      ])
        await expect(
          node.request({ method, params: [{ forking: { jsonRpcUrl, blockNumber: 1 } }] }),
        ).rejects.toMatchObject(REJECTED);
      expect(await node.request({ method: 'eth_blockNumber' })).toBe('0x1');
    },
  );

  it('is rejected in the flat form', async () => {
    const { node, server } = await served();
    const params = [{ jsonRpcUrl: server.url }];
    await expect(node.request({ method: 'evm_reset', params })).rejects.toThrow(
      'invalid params: options.jsonRpcUrl: expected the URL of another node, got a URL of this node',
    );
  });

  it('is rejected on a lane', async () => {
    const { server } = await served();
    for (const jsonRpcUrl of [server.url, `${server.url}/lane`, `${server.url}/other`])
      expect(await post(`${server.url}/lane`, 'evm_reset', [{ forking: { jsonRpcUrl } }])).toMatchObject({
        error: REJECTED,
      });
  });

  it('is served by another node after this node stops listening', async () => {
    const node = await local();
    const server = await node.listen();
    await server.close();
    const other = await local({ chainId: 1234 });
    const { url: jsonRpcUrl } = await other.listen({ port: server.port });
    await node.request({ method: 'evm_reset', params: [{ forking: { jsonRpcUrl } }] });
    expect(await node.request({ method: 'eth_chainId' })).toBe('0x4d2');
  });
});

describe('anvil_setRpcUrl', () => {
  async function forked(): Promise<{
    readonly node: LocalNode;
    readonly upstream: LocalNode;
    readonly url: string;
  }> {
    const upstream = await local({ chainId: 1234 });
    const { url } = await upstream.listen();
    const node = await local({ forkUrl: url, forkCacheDir: await temporaryDirectory() });
    return { node, upstream, url };
  }

  it("rejects the node's own URL", async () => {
    const { node } = await forked();
    const server = await node.listen({ lanes: true });
    for (const url of [server.url, `http://localhost:${server.port}/lane`, server.webSocketUrl])
      await expect(node.request({ method: 'anvil_setRpcUrl', params: [url] })).rejects.toThrow(
        'invalid params: url: expected the URL of another node, got a URL of this node',
      );
  });

  it('rejects a node with another chain id and keeps the present URL', async () => {
    const { node } = await forked();
    const { url } = await (await local({ chainId: 5678 })).listen();
    await expect(node.request({ method: 'anvil_setRpcUrl', params: [url] })).rejects.toMatchObject({
      code: -32602,
      message: 'invalid params: url: expected a node with the chain id 1234 of the fork, got chain id 5678',
    });
    const params = [`0x${'77'.repeat(20)}`, 'latest'];
    expect(await node.request({ method: 'eth_getBalance', params })).toBe('0x0');
  });

  it('rejects a node without the fork block and keeps the present URL', async () => {
    const { node } = await forked();
    const { url } = await (await local({ chainId: 1234, timestamp: 1_000_000 })).listen();
    await expect(node.request({ method: 'anvil_setRpcUrl', params: [url] })).rejects.toThrow(
      'but the fork block is',
    );
    const params = [`0x${'77'.repeat(20)}`, 'latest'];
    expect(await node.request({ method: 'eth_getBalance', params })).toBe('0x0');
  });

  it('sends no request to the new URL with --offline', async () => {
    const { url } = await forked();
    const forkCacheDir = await temporaryDirectory();
    const settings = { forkUrl: url, forkCacheDir, forkBlockNumber: 0 };
    await (await local(settings)).close();
    const offline = await local({ ...settings, offline: true });
    expect(await offline.request({ method: 'anvil_setRpcUrl', params: ['http://127.0.0.1:9'] })).toBeNull();
  });
});
