import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { resultAt } from '../support/json-rpc.ts';
import { type RunningNode, startNode } from '../support/node-process.ts';

async function ending(...options: readonly string[]): Promise<RunningNode> {
  const node = await startNode('--lanes', '--drain-timeout', '600', ...options);
  onTestFinished(() => {
    node.process.kill('SIGKILL');
  });
  return node;
}

/** Sends the signal, and resolves as soon as the node drains. */
async function signalled({ url, process: child }: RunningNode): Promise<void> {
  child.kill('SIGTERM');
  await expect.poll(async () => (await fetch(`${url}/health`)).status).toBe(503);
}

describe('--drain-timeout', () => {
  it('lets existing lanes finish after SIGTERM and creates no new lanes', async () => {
    const node = await ending();
    const { url } = node;
    await resultAt(`${url}/mine`, 'evm_mine');
    await signalled(node);
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ending', lanes: 1 });
    await resultAt(`${url}/mine`, 'evm_mine');
    expect(await resultAt(`${url}/mine`, 'eth_blockNumber')).toBe('0x2');
    expect(await resultAt(url, 'eth_blockNumber')).toBe('0x0');

    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] });
    const headers = { 'content-type': 'application/json' };
    const refused = await fetch(`${url}/other`, { method: 'POST', headers, body });
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({
      error: { code: -32005, message: 'the node is closing and creates no new lanes; use another node' },
    });
    const socket = new WebSocket(`${node.webSocketUrl}/other`);
    const [error] = await once(socket, 'error');
    expect(String(error)).toContain('503');
    await expect(resultAt(url, 'lane_create', [{ key: 'more' }])).rejects.toThrow('creates no new lanes');

    const ended = once(node.process, 'close');
    expect(await resultAt(url, 'lane_drop', ['mine'])).toBe(true);
    expect(await ended).toEqual([0, null]);
  });

  it('exits immediately without lanes, and at a second signal', async () => {
    const idle = await ending();
    const idleEnded = once(idle.process, 'close');
    idle.process.kill('SIGTERM');
    expect(await idleEnded).toEqual([0, null]);

    const busy = await ending();
    await resultAt(`${busy.url}/mine`, 'evm_mine');
    await signalled(busy);
    const ended = once(busy.process, 'close');
    // Two signals within 500 ms count as one, so several may be needed.
    const again = setInterval(() => busy.process.kill('SIGTERM'), 100);
    onTestFinished(() => clearInterval(again));
    expect(await ended).toEqual([130, null]);
  });
});
