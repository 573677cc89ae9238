import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNode } from '../../src/index.ts';
import { METHODS } from '../../src/rpc/method-table.ts';
import { answerAt } from '../support/json-rpc.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { start } from './support/started-node.ts';

/** A local port that no client may reach, and the number of connections to it. */
async function innerPort(): Promise<{ readonly port: number; connections(): number }> {
  let connections = 0;
  const server = createServer((_request, response) => response.end('{"inner":"secret"}'));
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

/** A node whose chain a hosted node forks. */
async function upstreamUrl(): Promise<string> {
  const node = await createNode();
  onTestFinished(() => node.close());
  await node.request({ method: 'hardhat_mine', params: ['0x3'] });
  return (await node.listen()).url;
}

const STRANGER = `0x${'12'.repeat(20)}`;

const HOSTED = ['--hosted', '--api-key', 'first', '--api-key', 'second', '--lanes'];

/** Each method with an upstream URL, and each form of its parameters. */
const URL_METHODS: readonly (readonly [method: string, params: (url: string) => readonly unknown[]])[] = [
  ...['evm_reset', 'hardhat_reset', 'anvil_reset', 'ganache_reset'].flatMap(
    (method) =>
      [
        [method, (url: string) => [{ forking: { jsonRpcUrl: url } }]],
        [method, (url: string) => [{ jsonRpcUrl: url, blockNumber: 0 }]],
      ] as const,
  ),
  ...['anvil_setRpcUrl', 'hardhat_setRpcUrl', 'ganache_setRpcUrl'].map(
    (method) => [method, (url: string) => [url]] as const,
  ),
  ['lane_create', (url: string) => [{ forkUrl: url }]],
];

it('URL_METHODS contains every method with a URL parameter', () => {
  const named = METHODS.filter(({ params }) => JSON.stringify(params).includes('"format":"uri"')).flatMap(
    ({ name, aliases }) => [name, ...aliases],
  );

  expect([...new Set(URL_METHODS.map(([method]) => method))].sort()).toEqual(named.sort());
});

describe('hosted node with a fork', () => {
  it.each(URL_METHODS)('%s cannot reach a local port', async (method, params) => {
    const inner = await innerPort();
    const { url } = await start([...HOSTED, '--retries', '0', '--fork-url', await upstreamUrl()]);
    // The URL of a fork shared with other API keys cannot be changed.
    if (method.endsWith('_setRpcUrl'))
      await answerAt(`${url}/first`, 'evm_reset', [{ forking: { blockNumber: 2 } }]);

    for (const target of [`http://127.0.0.1:${inner.port}`, `ws://[::ffff:127.0.0.1]:${inner.port}`]) {
      const answer = await answerAt(`${url}/first`, method, params(target));
      const used = await answerAt(`${url}/first`, 'eth_getBalance', [`0x${'12'.repeat(20)}`, '0x1']);
      expect(JSON.stringify([answer, used])).not.toContain('secret');
    }

    expect(inner.connections()).toBe(0);
  });

  it('the URL in a dump loaded by a client is not requested', async () => {
    const inner = await innerPort();
    const upstream = await upstreamUrl();
    const fork = await createNode({ forkUrl: [upstream] });
    onTestFinished(() => fork.close());
    const compressed = String(await fork.request({ method: 'anvil_dumpState' })).slice(2);
    const dump = gunzipSync(Buffer.from(compressed, 'hex')).toString();
    expect(dump).toContain(upstream);
    const changed = dump.replaceAll(upstream, `http://127.0.0.1:${inner.port}`);
    const { url } = await start(HOSTED);

    const answer = await answerAt(`${url}/first`, 'anvil_loadState', [
      `0x${gzipSync(changed).toString('hex')}`,
    ]);

    expect(answer).toMatchObject({ error: { code: -32000 } });
    expect(inner.connections()).toBe(0);
  });

  it('anvil_setRpcUrl is rejected for a fork shared with other API keys', async () => {
    const upstream = await upstreamUrl();
    const { url } = await start([...HOSTED, '--fork-url', upstream]);

    const shared = await answerAt(`${url}/first`, 'anvil_setRpcUrl', [upstream]);
    await answerAt(`${url}/first`, 'evm_reset', [{ forking: { blockNumber: 2 } }]);
    const own = await answerAt(`${url}/first`, 'anvil_setRpcUrl', [upstream]);

    expect(shared).toMatchObject({ error: { code: -32000, message: expect.stringContaining('evm_reset') } });
    expect(own).toMatchObject({ result: null });
  });

  it('--fork-url may be any URL, including a local one', async () => {
    const { url } = await start([...HOSTED, '--fork-url', await upstreamUrl()]);

    expect(await answerAt(`${url}/first`, 'eth_blockNumber', [])).toMatchObject({ result: '0x3' });
    const reset = await answerAt(`${url}/first`, 'evm_reset', [{ forking: { blockNumber: 2 } }]);
    expect(reset).toMatchObject({ result: null });
    expect(await answerAt(`${url}/first`, 'eth_blockNumber', [])).toMatchObject({ result: '0x2' });
  });

  it('the upstream is read from the data directory without --fork-url', async () => {
    const [upstream, inner] = [await upstreamUrl(), await innerPort()];
    const dataDir = await temporaryDirectory();
    const hosted = ['--hosted', '--api-key', 'first', '--retries', '0', '--no-storage-caching'];
    const kept = [...hosted, '--data-dir', dataDir];
    const record = (): string => readFileSync(join(dataDir, 'fork.jsonl'), 'utf8');
    const first = await start([...kept, '--fork-url', upstream]);
    const written = record();
    await first.end();

    const second = await start(kept);
    const ask = (method: string, ...params: readonly unknown[]) =>
      answerAt(`${second.url}/first`, method, params);
    expect(await ask('eth_getBalance', STRANGER, '0x1')).toMatchObject({ result: '0x0' });
    // A client can set another upstream temporarily, but the data directory never contains its URL.
    for (const target of [`http://127.0.0.1:${inner.port}`, 'https://client.invalid'])
      for (const [method, params] of URL_METHODS) await ask(method, ...params(target));
    expect(record()).toBe(written);
    await second.end();

    const third = await start(kept);
    const answer = await answerAt(`${third.url}/first`, 'eth_getBalance', [`0x${'34'.repeat(20)}`, '0x1']);
    expect(answer).toMatchObject({ result: '0x0' });
    expect(record()).toBe(written);
    expect(inner.connections()).toBe(0);
  });

  it('a masked URL in the data directory is not trusted', async () => {
    const dataDir = await temporaryDirectory();
    const kept = [...HOSTED, '--retries', '0', '--no-storage-caching', '--data-dir', dataDir];
    const upstream = await upstreamUrl();
    await (await start([...kept, '--fork-url', `${upstream}/?key=0123456789abcdefghij`])).end();
    const masked = /http:[^"]+\*\*\*/.exec(readFileSync(join(dataDir, 'fork.jsonl'), 'utf8'))?.[0];
    expect(masked).toContain(upstream);
    const { url } = await start([...kept, '--fork-url', upstream]);
    await answerAt(`${url}/first`, 'evm_reset', [{ forking: { blockNumber: 2 } }]);

    const set = await answerAt(`${url}/first`, 'anvil_setRpcUrl', [masked]);
    const used = await answerAt(`${url}/first`, 'eth_getBalance', [STRANGER, '0x1']);

    expect(JSON.stringify([set, used])).toContain('its host has no public address');
  });
});

describe('upstream responses in a dump', () => {
  it('a loaded dump does not affect other chains on the same fork', async () => {
    const funded = `0x${'12'.repeat(20)}`;
    const other = `0x${'34'.repeat(20)}`;
    const upstream = await upstreamUrl();
    const fork = await createNode({ forkUrl: [upstream], forkComplete: true });
    onTestFinished(() => fork.close());
    const balance = (node: Pick<typeof fork, 'request'>, address: string): Promise<unknown> =>
      node.request({ method: 'eth_getBalance', params: [address, 'latest'] });
    await balance(fork, funded);
    const lane = await fork.fork();
    const compressed = String(await lane.request({ method: 'anvil_dumpState' })).slice(2);
    const dump = gunzipSync(Buffer.from(compressed, 'hex')).toString();
    expect(dump).toContain(funded.slice(2));
    const forged = gzipSync(dump.replaceAll(funded.slice(2), other.slice(2)).replaceAll('"0x0"', '"0x7"'));

    await lane
      .request({ method: 'anvil_loadState', params: [`0x${forged.toString('hex')}`] })
      .catch(() => undefined);

    expect(await balance(fork, other)).toBe('0x0');
    await lane.close();
  });
});
