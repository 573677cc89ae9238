// Start and end of the server process, from the view of a client without the SDK.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { resultAt } from '../../support/json-rpc.ts';
import { connectAgent, EXECUTABLE } from './support/agent.ts';

const HELLO = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};

/** Placeholder for the URL of a server that never responds. */
const SILENT = 'http://silent';

async function silentUrl(): Promise<string> {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The parameters of an endless trace. */
const ENDLESS = [
  { to: `0x${'c0'.repeat(20)}` },
  'latest',
  { tracer: '{ result: function() { for (;;) {} }, fault: function() {} }' },
];

interface Message {
  readonly id?: number;
  readonly result?: { readonly structuredContent?: Readonly<Record<string, unknown>> };
  readonly error?: { readonly code: number; readonly message: string };
}

/** Starts the server and stops it after the test. Every output line must be a message. */
function startServer(...options: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'node-cli-mcp-'));
  const child = spawn(process.execPath, [EXECUTABLE, 'mcp', ...options], { cwd: folder });
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });
  const said = { errors: '' };
  child.stderr.on('data', (chunk: Buffer) => {
    said.errors += chunk.toString();
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  let id = 0;
  const say = (message: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  return {
    child,
    said,
    ended,
    folder,
    say,
    ask: (method: string, params: object): void => say({ id: ++id, method, params }),
    async heard(): Promise<Message | null> {
      const { value, done } = await lines.next();
      return done === true ? null : JSON.parse(value);
    },
  };
}

/** Connects, and returns the URL of the node. */
async function urlOf({ ask, say, heard }: ReturnType<typeof startServer>): Promise<string> {
  ask('initialize', HELLO);
  expect(await heard()).toMatchObject({ id: 1, result: { serverInfo: { name: 'node-cli' } } });
  say({ method: 'notifications/initialized' });
  ask('tools/call', { name: 'node_status', arguments: {} });
  return String((await heard())?.result?.structuredContent?.url);
}

describe('node-cli mcp process', () => {
  it('writes only messages, and exits with code 0 at the end of its input', async () => {
    const server = startServer();
    const url = await urlOf(server);
    expect(await resultAt(url, 'eth_chainId')).toBe('0x21');
    server.child.stdin.end();
    expect(await server.ended).toEqual({ code: 0, signal: null });
    expect(await server.heard()).toBeNull();
    expect(server.said.errors).toBe('');
    await expect(fetch(url)).rejects.toThrow();
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('saves the chain and closes the node at %s', async (signal) => {
    const server = startServer('--dump-state', 'chain.json');
    await urlOf(server);
    server.child.kill(signal);
    expect(await server.ended).toEqual({ code: 0, signal: null });
    expect(readFileSync(join(server.folder, 'chain.json'), 'utf8')).toContain('{');
    expect(await server.heard()).toBeNull();
  });

  it.each([
    ['--load-state: no file ', 1, ['--load-state', 'nowhere.json']],
    ['--api-key', 2, ['--url', 'http://127.0.0.1:1', '--api-key', 'secret']],
  ])('exits with the exit code of a failed start: %s', async (reason, code, options) => {
    const server = startServer(...options);
    server.ask('initialize', HELLO);
    if (code === 1)
      expect(await server.heard()).toMatchObject({
        id: 1,
        error: { message: expect.stringContaining(reason) },
      });
    expect(await server.ended).toEqual({ code, signal: null });
    expect(server.said.errors).toMatch(/^node-cli: .*\n$/);
    expect(server.said.errors).toContain(reason);
  });

  it.each([
    [
      'a call that never ends',
      { name: 'rpc_call', arguments: { method: 'debug_traceCall', params: ENDLESS } },
    ],
    [
      'mining',
      { name: 'rpc_call', arguments: { method: 'evm_mine_detailed', params: [{ blocks: 100_000 }] } },
    ],
    ['a start', { name: 'start_node', arguments: { options: { forkUrl: SILENT } } }],
  ])('exits at the end of its input during %s', async (_name, call) => {
    const silent = await silentUrl();
    const server = startServer('--lanes');
    await urlOf(server);
    server.ask('tools/call', JSON.parse(JSON.stringify(call).replace(SILENT, silent)));
    server.ask('tools/list', {});
    while ((await server.heard())?.id !== 4);
    server.child.stdin.end();
    expect(await server.ended).toEqual({ code: 0, signal: null });
  });

  it('exits at the end of its input while the node starts', async () => {
    const server = startServer('--fork-url', await silentUrl());
    server.ask('initialize', HELLO);
    server.child.stdin.end();
    expect(await server.ended).toEqual({ code: 0, signal: null });
  });

  it('exits at the end of its input after a failed start', async () => {
    const server = startServer('--load-state', 'nowhere.json');
    server.child.stdin.end();
    expect(await server.ended).toEqual({ code: 1, signal: null });
  });

  it('continues after a malformed message, and reports it on stderr', async () => {
    const server = startServer();
    server.child.stdin.write('{"jsonrpc":\n');
    await urlOf(server);
    server.child.stdin.end();
    await server.ended;
    expect(server.said.errors).toMatch(/^node-cli: note: .*JSON/);
  });

  it('writes the log of the node to stderr with --verbose', async () => {
    const server = startServer('--verbose');
    const url = await urlOf(server);
    server.child.stdin.end();
    await server.ended;
    expect(server.said.errors).toContain(`Listening on ${url}`);
    expect(server.said.errors).toContain('eth_chainId');
  });
});

describe('node-cli mcp --url', () => {
  it('uses a running node, and neither starts nor stops it', async () => {
    const server = startServer('--chain-id', '55');
    const url = await urlOf(server);
    const { succeed, call, client } = await connectAgent('--url', url);
    expect((await succeed('node_status')).content).toMatchObject({ chainId: 55 });
    // Contracts compiled in the directory of the server can be deployed there.
    await succeed('deploy_contract', { artifact: 'Checks' });
    await succeed('create_lane', { name: 'own' });
    expect(await resultAt(`${url}/own`, 'eth_blockNumber')).toBe('0x1');
    const refused = await call('start_node', { options: { chainId: 56 } });
    expect(refused).toMatchObject({
      isError: true,
      text: expect.stringMatching(/did not start.*Next: .*--url/s),
    });
    await client.close();
    expect(await resultAt(url, 'eth_blockNumber')).toBe('0x1');
  });

  it('returns a remedy if no node responds, or if it has no lanes', async () => {
    const server = startServer('--api-key', 'secret');
    const url = await urlOf(server);
    expect(url).toMatch(/\/secret$/);
    const keyed = await connectAgent('--url', url);
    expect((await keyed.succeed('node_status')).content).toMatchObject({ chainId: 33 });
    const lanes = await keyed.call('create_lane', { name: 'a' });
    expect(lanes).toMatchObject({ isError: true, text: expect.stringContaining('Next: ') });
    server.child.stdin.end();
    await server.ended;
    const { isError, text } = await keyed.call('node_status');
    expect(isError).toBe(true);
    expect(text).toMatch(/^no node at .*Next: Start the node at that URL/s);
  });
});
