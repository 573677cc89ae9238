import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningNode, startNode } from '../support/node-process.ts';

/** Returns the samples of a Prometheus text by name and labels. Throws for malformed lines. */
function samplesOf(text: string): Map<string, number> {
  const samples = new Map<string, number>();
  const described = new Set<string>();
  for (const line of text.trimEnd().split('\n')) {
    const [, kind, name = ''] = /^# (HELP|TYPE) ([a-z_]+) \S/.exec(line) ?? [];
    if (kind !== undefined) described.add(name);
    else {
      const [, sample = '', base = '', value = ''] =
        /^(([a-z_]+?)(?:_bucket|_sum|_count)?(?:\{[a-z_]+="[^"\n]*"(?:,[a-z_]+="[^"\n]*")*\})?) ([0-9.e+-]+)$/.exec(
          line,
        ) ?? [];
      if (!described.has(base)) throw new Error(`not a sample: ${line}`);
      samples.set(sample, Number(value));
    }
  }
  return samples;
}

async function call(url: string, method: string, ...params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return ((await response.json()) as { result: unknown }).result;
}

describe('GET /metrics', () => {
  let node: RunningNode;
  let locked: RunningNode;

  beforeAll(async () => {
    node = await startNode('--quiet', '--metrics', '--lanes');
    locked = await startNode('--quiet', '--metrics', '--api-key', 'sesame');
  });

  afterAll(async () => {
    await node.stop();
    await locked.stop();
  });

  it('counts calls, blocks and transactions, including lanes', async () => {
    const [from, to] = (await call(node.url, 'eth_accounts')) as string[];
    for (const url of [node.url, `${node.url}/one`])
      await call(url, 'eth_sendTransaction', { from, to, value: '0x1' });
    // A creation that reverts.
    await call(node.url, 'eth_sendTransaction', { from, data: '0x60006000fd', gas: '0x186a0' });
    const snapshot = await call(node.url, 'evm_snapshot');
    await call(node.url, 'evm_mine');
    await call(node.url, 'evm_revert', snapshot);
    await call(node.url, 'evm_setAutomine', false);
    await call(node.url, 'eth_sendTransaction', { from, to });
    await call(node.url, 'eth_getBlockByNumber', 'nonsense');
    for (const name of ['no_such"method', 'another\nmethod']) await call(node.url, name);

    const response = await fetch(`${node.url}/metrics`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const samples = samplesOf(await response.text());
    const expected: Readonly<Record<string, number>> = {
      'node_cli_requests_total{method="eth_sendTransaction",outcome="result"}': 4,
      'node_cli_requests_total{method="eth_sendTransaction",outcome="error"}': 0,
      'node_cli_requests_total{method="eth_getBlockByNumber",outcome="error"}': 1,
      'node_cli_requests_total{method="unknown",outcome="error"}': 2,
      node_cli_block_number: 2,
      node_cli_blocks_total: 4,
      node_cli_removed_blocks_total: 1,
      'node_cli_transactions_total{status="success"}': 2,
      'node_cli_transactions_total{status="failure"}': 1,
      node_cli_pool_transactions: 1,
      node_cli_lanes: 1,
      'node_cli_info{version="0.1.0",chain_id="33"}': 1,
    };
    for (const [name, value] of Object.entries(expected))
      expect([name, samples.get(name)]).toEqual([name, value]);
    const all = Array.from(samples)
      .filter(([name]) => name.startsWith('node_cli_requests_total'))
      .reduce((sum, [, value]) => sum + value, 0);
    expect(samples.get('node_cli_request_duration_seconds_count')).toBe(all);
    expect(samples.get('node_cli_request_duration_seconds_bucket{le="+Inf"}')).toBe(all);
    expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(1e7);
  });

  it('requires the API key', async () => {
    expect((await fetch(`${locked.url}/metrics`)).status).toBe(401);
    const ask = (authorization: string): Promise<Response> =>
      fetch(`${locked.url}/metrics`, { headers: { authorization } });
    expect((await ask('Bearer wrong')).status).toBe(401);
    expect((await ask('Basic sesame')).status).toBe(401);
    const response = await ask('Bearer sesame');
    expect(response.status).toBe(200);
    expect(samplesOf(await response.text()).get('node_cli_block_number')).toBe(0);
  });

  it('metrics are not served without --metrics', async () => {
    const plain = await startNode('--quiet', '--no-explorer');
    expect((await fetch(`${plain.url}/metrics`)).status).toBe(405);
    await plain.stop();
  });
});
