import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import type { UpstreamCall } from '../../../src/fork/upstream/upstream-call.ts';
import { UpstreamClient, type UpstreamOptions } from '../../../src/fork/upstream/upstream-client.ts';
import { upstreamPost } from '../../../src/fork/upstream/upstream-post.ts';
import { systemClock, type Timers, waitedTimers } from '../../../src/primitives/clock.ts';

interface WireCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

interface Upstream {
  readonly url: string;
  /** The requests that opened connections. */
  readonly openings: IncomingMessage[];
  readonly sockets: WebSocket[];
  /** The calls of each message. */
  readonly messages: (WireCall | WireCall[])[];
}

/** Answers a message; by default with method and parameters of each call, in reverse order for batches. */
type Answering = (message: WireCall | WireCall[], socket: WebSocket, place: number) => void;

function resultOf({ id, method, params }: WireCall): object {
  return { jsonrpc: '2.0', id, result: [method, ...params] };
}

const answer: Answering = (message, socket) => {
  const answers = Array.isArray(message) ? message.map(resultOf).reverse() : resultOf(message);
  socket.send(JSON.stringify(answers));
};

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function upstreamWith(answering: Answering = answer): Promise<Upstream> {
  const server = createServer();
  const found = { openings: [] as IncomingMessage[], sockets: [] as WebSocket[], messages: [] as WireCall[] };
  const messages: Upstream['messages'] = found.messages;
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket, request) => {
    found.openings.push(request);
    found.sockets.push(socket);
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as WireCall | WireCall[];
      answering(message, socket, messages.push(message) - 1);
    });
  });
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate();
  });
  return { url: `ws://127.0.0.1:${await listening(server)}/`, ...found, messages };
}

function clientOf(
  url: string | readonly string[],
  options: Partial<UpstreamOptions> = {},
  timers: Timers = waitedTimers,
): UpstreamClient {
  const client = new UpstreamClient(
    [url].flat(),
    {
      headers: {},
      timeout: 30_000,
      retries: 2,
      retryBackoff: 0,
      computeUnitsPerSecond: null,
      noRateLimit: false,
      ...options,
    },
    { post: upstreamPost(), clock: systemClock, timers, random: (length) => new Uint8Array(length) },
  );
  onTestFinished(() => client.close());
  return client;
}

const call = (method: string): UpstreamCall => ({ method, params: [], expects: 'anything' });

describe('an upstream over WebSocket', () => {
  it('answers calls and batches on one connection, including simultaneous batches', async () => {
    const upstream = await upstreamWith();
    const client = clientOf(upstream.url);
    expect(await client.ask(call('one'))).toEqual(['one']);
    const batch = ['a', 'b', 'c'].map((method) => client.ask(call(method)));
    expect(await Promise.all(batch)).toEqual([['a'], ['b'], ['c']]);
    const many = Array.from({ length: 250 }, (_, index) =>
      client.ask({ method: 'm', params: [index], expects: 'anything' }),
    );
    expect(await Promise.all(many)).toEqual(many.map((_, index) => ['m', index]));
    expect(upstream.openings).toHaveLength(1);
    expect(upstream.messages).toHaveLength(5);
  });

  it('rejects a result that is nested too deep, and answers other calls', async () => {
    const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const upstream = await upstreamWith((message, socket) => {
      const { id, method } = message as WireCall;
      socket.send(`{"jsonrpc":"2.0","id":${id},"result":${nested(method === 'deep' ? 200_000 : 2_000)}}`);
    });
    const client = clientOf(upstream.url, { retries: 0 });
    await expect(client.ask(call('deep'))).rejects.toThrow(/nested deeper than 2500 levels/);
    expect(JSON.stringify(await client.ask(call('flat')))).toBe(nested(2_000));
    expect(upstream.openings).toHaveLength(1);
  });

  it('accepts ids as text, and a response to each call of a batch', async () => {
    const upstream = await upstreamWith((message, socket) => {
      for (const { id, method } of [message].flat())
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: String(id), result: [method] }));
    });
    const client = clientOf(upstream.url, { retries: 0 });
    expect(await client.ask(call('one'))).toEqual(['one']);
    const batch = ['a', 'b', 'c'].map((method) => client.ask(call(method)));
    expect(await Promise.all(batch)).toEqual([['a'], ['b'], ['c']]);
  });

  it('matches responses in any order and ignores unknown messages', async () => {
    const waiting: [WireCall, WebSocket][] = [];
    const upstream = await upstreamWith((message, socket) => {
      waiting.push([message as WireCall, socket]);
      if (waiting.length < 2) return;
      socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: {} }));
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 99_999, result: 'lost' }));
      for (const [one] of waiting.reverse()) answer(one, socket, 0);
    });
    const post = upstreamPost();
    const { signal } = new AbortController();
    const ask = (method: string) =>
      post({
        url: upstream.url,
        headers: {},
        body: JSON.stringify({ jsonrpc: '2.0', id: 0, method, params: [] }),
        signal,
        closing: signal,
      });
    const texts = await Promise.all([ask('first'), ask('second')]);
    expect(texts.map(({ text }) => JSON.parse(text).result)).toEqual([['first'], ['second']]);
    for (const socket of upstream.sockets) socket.terminate();
  });

  it('receives the headers and the credentials of the URL as a header', async () => {
    const upstream = await upstreamWith();
    const url = upstream.url.replace('ws://', 'ws://user:p%40ss@');
    await clientOf(url, { headers: { 'x-team': 'blue' } }).ask(call('one'));
    const basic = Buffer.from('user:p@ss').toString('base64');
    expect(upstream.openings[0]?.headers).toMatchObject({
      'x-team': 'blue',
      authorization: `Basic ${basic}`,
    });
  });

  it('accepts a URL with a fragment and a password with an unescaped %', async () => {
    const upstream = await upstreamWith();
    const url = `${upstream.url.replace('ws://', 'ws://user:50%@')}#main`;
    expect(await clientOf(url).ask(call('one'))).toEqual(['one']);
    const basic = Buffer.from('user:50%').toString('base64');
    expect(upstream.openings[0]?.headers.authorization).toBe(`Basic ${basic}`);
  });

  it('receives single calls if it rejects batches', async () => {
    const upstream = await upstreamWith((message, socket) => {
      if (!Array.isArray(message)) return answer(message, socket, 0);
      const error = { code: -32600, message: 'no batches' };
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    });
    const client = clientOf(upstream.url);
    expect(await Promise.all(['a', 'b'].map((method) => client.ask(call(method))))).toEqual([['a'], ['b']]);
    expect(upstream.messages).toHaveLength(3);
  });

  it('matches an error without an id to a batch, not to a pending single call', async () => {
    const held: WireCall[] = [];
    const upstream = await upstreamWith((message, socket) => {
      const error = { code: -32600, message: 'no batches' };
      if (Array.isArray(message)) socket.send(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
      else if (message.method === 'slow') held.push(message);
      else for (const one of [message, ...held.splice(0)]) answer(one, socket, 0);
    });
    const client = clientOf(upstream.url);
    const slow = client.ask(call('slow'));
    while (held.length === 0) await new Promise(setImmediate);
    const batch = ['a', 'b'].map((method) => client.ask(call(method)));
    expect(await Promise.all([slow, ...batch])).toEqual([['slow'], ['a'], ['b']]);
  });

  it('receives a pending request again on a new connection', async () => {
    const upstream = await upstreamWith((message, socket, place) => {
      if (place === 0) socket.close();
      else answer(message, socket, place);
    });
    const client = clientOf(upstream.url);
    expect(await client.ask(call('one'))).toEqual(['one']);
    upstream.sockets[1]?.terminate();
    expect(await client.ask(call('two'))).toEqual(['two']);
    expect(upstream.openings.length).toBeGreaterThanOrEqual(2);
  });

  it('receives a request again on a new connection after the timeout', async () => {
    const upstream = await upstreamWith((message, socket, place) => {
      if (place > 0) answer(message, socket, place);
    });
    const waiting = new Set<() => void>();
    const timers: Timers = {
      after(_milliseconds, action) {
        waiting.add(action);
        return { cancel: () => void waiting.delete(action) };
      },
    };
    const passTime = (): void => {
      for (const action of Array.from(waiting)) action();
      waiting.clear();
    };
    const asked = clientOf(upstream.url, { timeout: 700 }, timers).ask(call('one'));
    while (upstream.messages.length === 0) await new Promise(setImmediate);
    // First the timeout of the response passes, then the delay before the retry.
    passTime();
    while (waiting.size === 0) await new Promise(setImmediate);
    passTime();
    expect(await asked).toEqual(['one']);
    expect(upstream.openings).toHaveLength(2);
  });

  it('returns an error without secrets if it rejects the connection with a status', async () => {
    let tries = 0;
    const server = createServer();
    server.on('upgrade', (_request, socket) => {
      tries++;
      const words = 'no key-0123456789abcdef here';
      socket.end(`HTTP/1.1 401 Unauthorized\r\nContent-Length: ${words.length}\r\n\r\n${words}`);
    });
    const url = `ws://127.0.0.1:${await listening(server)}/key-0123456789abcdef`;
    const asked = clientOf(url).ask(call('one'));
    const { port } = new URL(url);
    await expect(asked).rejects.toThrow(
      `no response from the fork URL to one after one attempt: ws://127.0.0.1:${port}/***: HTTP 401: no *** here`,
    );
    expect(tries).toBe(1);
  });

  it('is replaced by the next URL if its port is closed', async () => {
    const closed = createServer();
    const port = await listening(closed);
    await new Promise((resolve) => closed.close(resolve));
    const upstream = await upstreamWith();
    const client = clientOf([`ws://127.0.0.1:${port}`, upstream.url]);
    expect(await client.ask(call('one'))).toEqual(['one']);
  });

  it('loses its connection when the client closes', async () => {
    const upstream = await upstreamWith((message, socket, place) => {
      if (place === 0) answer(message, socket, place);
    });
    const client = clientOf(upstream.url);
    await client.ask(call('one'));
    const ended = new Promise((resolve) => upstream.sockets[0]?.on('close', resolve));
    const asked = expect(client.ask(call('two'))).rejects.toThrow('the chain left the fork or is closing');
    while (upstream.messages.length < 2) await new Promise(setImmediate);
    client.close();
    await asked;
    await ended;
  });
});
