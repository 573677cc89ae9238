import { afterEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createNode, type LocalNode, type LocalServer } from '../../src/index.ts';

interface Entry {
  readonly kind: string;
  readonly method?: string;
  readonly lane?: string;
  readonly hash?: string;
  readonly purpose?: string;
}

interface Message {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
  readonly params?: { readonly result: Entry };
}

const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function listening(): Promise<{ readonly node: LocalNode; readonly server: LocalServer }> {
  const node = await createNode();
  open.push(() => node.close());
  return { node, server: await node.listen({ lanes: true }) };
}

/** Opens a WebSocket that subscribes to the activity. Collects entries until one of a kind arrives. */
async function watching(url: string, protocols: readonly string[] = []) {
  const socket = new WebSocket(url, [...protocols]);
  open.push(() => socket.terminate());
  await new Promise((resolve) => socket.once('open', resolve));
  const entries: Entry[] = [];
  const answers = new Map<number, (result: unknown) => void>();
  let seen = (): void => undefined;
  socket.on('message', (data: Buffer) => {
    const { id, result, error, params }: Message = JSON.parse(data.toString());
    if (params !== undefined) entries.push(params.result);
    else answers.get(id ?? 0)?.(error === undefined ? result : { error });
    seen();
  });
  let lastId = 0;
  const call = (method: string, params: readonly unknown[] = []): Promise<unknown> => {
    const id = ++lastId;
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return new Promise((resolve) => answers.set(id, resolve));
  };
  const until = (isReached: (entries: readonly Entry[]) => boolean): Promise<void> =>
    new Promise((resolve) => {
      seen = () => {
        if (isReached(entries)) resolve();
      };
      seen();
    });
  return { call, entries, until };
}

async function post(
  url: string,
  method: string,
  params: readonly unknown[] = [],
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result }: { result?: unknown } = (await response.json()) as { result?: unknown };
  return result;
}

it('activity contains transactions and requests of all lanes with the lane name', async () => {
  const { server } = await listening();
  const watcher = await watching(server.webSocketUrl);
  await watcher.call('eth_subscribe', ['activity']);
  const [from] = (await post(server.url, 'eth_accounts')) as string[];
  const hash = await post(server.url, 'eth_sendTransaction', [{ from, to: from }]);
  await post(`${server.url}/one`, 'eth_sendTransaction', [{ from, to: from }]);
  await watcher.until((entries) => entries.filter(({ kind }) => kind === 'transaction').length === 2);
  const transactions = watcher.entries.filter(({ kind }) => kind === 'transaction');
  expect(transactions[0]).toMatchObject({ hash, purpose: 'transfer', gasUsed: '21000' });
  expect(transactions[0]).not.toHaveProperty('lane');
  expect(transactions[1]).toMatchObject({ lane: 'one' });
  expect(watcher.entries).toContainEqual(
    expect.objectContaining({ kind: 'request', method: 'eth_accounts' }),
  );
});

it('activity entries contain the URL path of the lane, empty for the base chain', async () => {
  const { server } = await listening();
  const watcher = await watching(server.webSocketUrl, ['node-cli-quiet']);
  await watcher.call('eth_subscribe', ['activity']);
  const [from] = (await post(server.url, 'eth_accounts')) as string[];
  for (const path of ['', '/one'])
    for (const method of ['eth_estimateGas', 'eth_sendTransaction'])
      await post(`${server.url}${path}`, method, [{ from, data: '0xfe', gas: '0x186a0' }]);
  await watcher.until((entries) => entries.filter(({ kind }) => kind === 'transaction').length === 2);
  const failed = watcher.entries.filter(
    ({ kind, method }) => kind === 'transaction' || method === 'eth_estimateGas',
  );
  expect(failed).toMatchObject([
    { kind: 'request', lanePath: '', failureNumber: 1 },
    { kind: 'transaction', lanePath: '' },
    { kind: 'request', lane: 'one', lanePath: 'one', failureNumber: 1 },
    { kind: 'transaction', lane: 'one', lanePath: 'one' },
  ]);
});

it('activity entries contain no URL path without lanes', async () => {
  const node = await createNode();
  open.push(() => node.close());
  const server = await node.listen();
  const watcher = await watching(server.webSocketUrl);
  await watcher.call('eth_subscribe', ['activity']);
  await watcher.until((entries) => entries.length === 1);
  expect(watcher.entries[0]).not.toHaveProperty('lanePath');
});

it('activity contains WebSocket requests, except requests of a quiet client', async () => {
  const { server } = await listening();
  const quiet = await watching(server.webSocketUrl, ['node-cli-quiet']);
  const loud = await watching(server.webSocketUrl);
  await quiet.call('eth_subscribe', ['activity']);
  await quiet.call('eth_chainId');
  await loud.call('eth_blockNumber');
  await quiet.until((entries) => entries.some(({ method }) => method === 'eth_blockNumber'));
  expect(quiet.entries.map(({ method }) => method)).toEqual(['eth_blockNumber']);
});

it.each([
  ['on the fast path', {}],
  ['in node:http', { Origin: 'http://localhost' }],
])('activity omits HTTP requests of a client with the quiet User-Agent header %s', async (_name, headers) => {
  const { server } = await listening();
  const watcher = await watching(server.webSocketUrl, ['node-cli-quiet']);
  await watcher.call('eth_subscribe', ['activity']);
  await post(server.url, 'eth_chainId', [], { ...headers, 'User-Agent': 'node-cli-quiet' });
  await post(server.url, 'eth_blockNumber', [], { ...headers, 'User-Agent': 'node-cli-quiet/2' });
  await watcher.until((entries) => entries.some(({ method }) => method === 'eth_blockNumber'));
  expect(watcher.entries.map(({ method }) => method)).toEqual(['eth_blockNumber']);
});

it('activity with a pause is sent in batches of limited entries, with failures and counts', async () => {
  const { server } = await listening();
  const watcher = await watching(server.webSocketUrl, ['node-cli-quiet']);
  const options = { pause: 60_000, most: 1, except: ['block', 'request'] };
  await watcher.call('eth_subscribe', ['activity', options]);
  const [from] = (await post(server.url, 'eth_accounts')) as string[];
  await post(server.url, 'evm_setAutomine', [false]);
  const send = (facts: object = {}): Promise<unknown> =>
    post(server.url, 'eth_sendTransaction', [{ from, to: from, ...facts }]);
  await send();
  await send();
  await send({ to: null, data: '0xfe', gas: '0x186a0' });
  await send();
  await post(server.url, 'evm_mine');
  await watcher.until((entries) => entries.length === 1);
  const [batch] = watcher.entries as unknown as {
    entries: (Entry & { failure: string | null })[];
    omitted: object;
  }[];
  expect(batch?.entries.map(({ purpose, failure }) => [purpose, failure])).toEqual([
    ['transfer', null],
    ['deployment', 'invalid opcode 0xfe'],
  ]);
  expect(batch?.omitted).toEqual({ transaction: 2 });
});

it('unknown activity options are rejected', async () => {
  const { server } = await listening();
  const watcher = await watching(server.webSocketUrl);
  const refusal = async (...params: unknown[]): Promise<string> => {
    const { error } = (await watcher.call('eth_subscribe', params)) as unknown as {
      error: { message: string };
    };
    return error.message;
  };
  expect(await refusal('logs', { pause: 100 })).toContain('options.pause');
  expect(await refusal('activity', { most: 100 })).toContain('options.most');
  expect(await refusal('activity', { pause: 0 })).toContain('milliseconds from 1 to 60000');
  expect(await refusal('activity', { pause: 1, except: ['blocks'] })).toContain(
    'request, block, transaction',
  );
});

it('activity ends after eth_unsubscribe', async () => {
  const { server } = await listening();
  const watcher = await watching(server.webSocketUrl, ['node-cli-quiet']);
  const id = await watcher.call('eth_subscribe', ['activity']);
  await post(server.url, 'eth_chainId');
  await watcher.until((entries) => entries.length === 1);
  expect(await watcher.call('eth_unsubscribe', [id])).toBe(true);
  await post(server.url, 'eth_chainId');
  await watcher.call('eth_chainId');
  expect(watcher.entries.length).toBe(1);
});
