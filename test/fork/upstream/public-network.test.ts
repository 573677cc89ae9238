import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { PublicNetwork, type ResolveHost } from '../../../src/fork/upstream/public-network.ts';
import type { UpstreamCall } from '../../../src/fork/upstream/upstream-call.ts';
import { UpstreamClient } from '../../../src/fork/upstream/upstream-client.ts';
import { upstreamPost } from '../../../src/fork/upstream/upstream-post.ts';
import { systemClock, type Timers, waitedTimers } from '../../../src/primitives/clock.ts';

const CALL: UpstreamCall = { method: 'eth_chainId', params: [], expects: 'quantity' };
const SECRET = 'the-secret-of-an-inner-service';

interface InnerServer {
  readonly port: number;
  connections(): number;
}

async function innerServer(answer: RequestListener): Promise<InnerServer> {
  const server = createServer(answer);
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => {
    socket.on('message', () => socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, result: '0x21' })));
  });
  let connections = 0;
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    sockets.close();
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

const ok: RequestListener = (_request, response) => {
  response.end(JSON.stringify({ jsonrpc: '2.0', id: 0, result: '0x21' }));
};

/** Resolves each host name to its next address, then repeatedly to the last one. */
function resolver(names: Readonly<Record<string, readonly string[]>>): ResolveHost {
  const asked = new Map<string, number>();
  return (hostname, _options, callback) => {
    const addresses = names[hostname];
    if (addresses === undefined) return callback(new Error(`getaddrinfo ENOTFOUND ${hostname}`), []);
    const place = asked.get(hostname) ?? 0;
    asked.set(hostname, place + 1);
    const address = addresses[Math.min(place, addresses.length - 1)] ?? '';
    callback(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
  };
}

interface Asking {
  readonly url: string;
  /** Addresses by host name; by default no names. */
  readonly names?: Readonly<Record<string, readonly string[]>>;
  /** Addresses that are treated as public. */
  readonly allowed?: readonly string[];
  readonly isTrusted?: boolean;
  readonly call?: UpstreamCall;
}

/** Sends one request without retries; resolves to the result or to the error message. */
async function ask({ url, names = {}, allowed, isTrusted = false, call = CALL }: Asking): Promise<unknown> {
  const isAllowed = allowed === undefined ? undefined : (address: string) => allowed.includes(address);
  const network = new PublicNetwork(resolver(names), isAllowed);
  const trust = { isTrusted: () => isTrusted, network };
  const timers: Timers = waitedTimers;
  const client = new UpstreamClient(
    [url],
    {
      headers: { 'x-key': 'k' },
      timeout: 10_000,
      retries: 0,
      retryBackoff: 0,
      computeUnitsPerSecond: null,
      noRateLimit: true,
    },
    {
      post: upstreamPost(trust),
      clock: systemClock,
      timers,
      random: (size) => new Uint8Array(size),
      ...trust,
    },
  );
  onTestFinished(() => client.close());
  try {
    return await client.ask(call);
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

const NOT_PUBLIC = /its host has no public address; with --hosted/;

/** Spellings of local and private hosts. PORT is replaced with the port of a server. */
const INNER_URLS = [
  'http://127.0.0.1:PORT',
  'http://127.1:PORT',
  'http://2130706433:PORT',
  'http://0x7f000001:PORT',
  'http://0177.0.0.1:PORT',
  'http://0x7f.0.0.0x1:PORT',
  'http://0:PORT',
  'http://0.0.0.0:PORT',
  'http://[::1]:PORT',
  'http://[::]:PORT',
  'http://[::ffff:127.0.0.1]:PORT',
  'http://[::ffff:7f00:1]:PORT',
  'http://[64:ff9b::7f00:1]:PORT',
  'http://[2002:7f00:1::]:PORT',
  'http://10.0.0.1:PORT',
  'http://100.100.100.200:PORT',
  'http://169.254.169.254/latest/meta-data',
  'http://localhost:PORT',
  'http://LOCALHOST.:PORT',
  'http://inner.example:PORT',
  'https://inner.example:PORT',
  'ws://127.0.0.1:PORT',
  'ws://[::ffff:127.0.0.1]:PORT',
  'ws://inner.example:PORT',
  'wss://inner.example:PORT',
] as const;

describe('a fork URL of a client in hosted-node mode', () => {
  it.each(INNER_URLS)('cannot connect to %s', async (pattern) => {
    const server = await innerServer(ok);
    const names = { localhost: ['127.0.0.1'], 'localhost.': ['::1'], 'inner.example': ['127.0.0.1'] };

    const answer = await ask({ url: pattern.replace('PORT', `${server.port}`), names });

    expect(answer).toMatch(NOT_PUBLIC);
    expect(server.connections()).toBe(0);
  });

  it('connects to the checked address even if the name resolves to another address later', async () => {
    const server = await innerServer(ok);
    const names = { 'rebinding.example': ['127.0.0.1', '127.0.0.2'] };

    const url = `http://rebinding.example:${server.port}`;

    expect(await ask({ url, names, allowed: ['127.0.0.1'] })).toBe('0x21');
    expect(await ask({ url, names: { 'rebinding.example': ['127.0.0.2'] }, allowed: ['127.0.0.1'] })).toMatch(
      NOT_PUBLIC,
    );
  });

  it('is rejected if any of its addresses is not public', async () => {
    const network = new PublicNetwork((_hostname, _options, callback) =>
      callback(null, [
        { address: '1.1.1.1', family: 4 },
        { address: '10.0.0.1', family: 4 },
      ]),
    );
    const error = await new Promise((resolve) => network.lookup('both.example', { all: true }, resolve));

    expect(String(error)).toMatch(NOT_PUBLIC);
  });

  it('returns the same error for missing and private host names', async () => {
    const url = 'http://missing.example';

    const missing = await ask({ url });
    const inner = await ask({ url, names: { 'missing.example': ['10.0.0.1'] } });

    expect(missing).toBe(inner);
  });

  it.each(['ws', 'http'])('connects over %s to a public host', async (scheme) => {
    const server = await innerServer(ok);
    const names = { 'public.example': ['127.0.0.1'] };

    const url = `${scheme}://public.example:${server.port}`;

    expect(await ask({ url, names, allowed: ['127.0.0.1'] })).toBe('0x21');
  });

  it.each([22, 25, 111, 6667])('is rejected on port %i', async (port) => {
    for (const scheme of ['http', 'ws']) {
      const answer = await ask({ url: `${scheme}://1.1.1.1:${port}` });
      expect(answer).toMatch(new RegExp(`cannot connect to port ${port}: fetch\\(\\) blocks it`));
    }
  });

  it('follows no HTTP redirect', async () => {
    const inner = await innerServer(ok);
    const outer = await innerServer((_request, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${inner.port}/` }).end(SECRET);
    });

    const answer = await ask({
      url: `http://public.example:${outer.port}`,
      names: { 'public.example': ['127.0.0.1'] },
      allowed: ['127.0.0.1'],
    });

    expect(answer).not.toContain(SECRET);
    expect(inner.connections()).toBe(0);
  });

  it('follows no WebSocket redirect', async () => {
    const inner = await innerServer(ok);
    const outer = createServer();
    outer.on('upgrade', (_request, socket) => {
      socket.end(`HTTP/1.1 307 Temporary Redirect\r\nlocation: ws://127.0.0.1:${inner.port}/\r\n\r\n`);
    });
    await new Promise<void>((resolve) => outer.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void outer.close());

    const answer = await ask({
      url: `ws://public.example:${(outer.address() as AddressInfo).port}`,
      names: { 'public.example': ['127.0.0.1'] },
      allowed: ['127.0.0.1'],
    });

    expect(answer).toMatch(/HTTP 307/);
    expect(inner.connections()).toBe(0);
  });

  it.each<[string, number, string]>([
    ['a text', 200, SECRET],
    ['an error status', 500, SECRET],
    ['an error status with JSON', 403, JSON.stringify({ error: { code: -1, message: SECRET } })],
    ['an error', 200, JSON.stringify({ id: 0, error: { code: 7, message: SECRET, data: SECRET } })],
    ['a rate limit', 200, JSON.stringify({ id: 0, error: { code: -32_005, message: SECRET } })],
    ['another id', 200, JSON.stringify({ id: SECRET, result: 1 })],
    ['an invalid result', 200, JSON.stringify({ id: 0, result: { secret: SECRET } })],
    ['an invalid block', 200, JSON.stringify({ id: 0, result: { hash: SECRET, number: SECRET } })],
  ])('omits the response text from the error of %s', async (_name, status, body) => {
    const server = await innerServer((_request, response) => response.writeHead(status).end(body));
    const at = { names: { 'public.example': ['127.0.0.1'] }, allowed: ['127.0.0.1'] };
    const url = `http://public.example:${server.port}`;

    expect(String(await ask({ url, ...at }))).not.toContain(SECRET);
    expect(String(await ask({ url, ...at }))).toMatch(/fork/);
    expect(String(await ask({ url: `ws://public.example:${server.port}`, ...at }))).not.toContain(SECRET);
  });

  it('gets no headers, and a response of at most 16 MiB', async () => {
    const headers: unknown[] = [];
    const server = await innerServer((request, response) => {
      headers.push(request.headers['x-key']);
      response.write(Buffer.alloc(9 * 1024 * 1024, 32));
      response.end(Buffer.alloc(9 * 1024 * 1024, 32));
    });
    const at = { names: { 'public.example': ['127.0.0.1'] }, allowed: ['127.0.0.1'] };

    const answer = await ask({ url: `http://public.example:${server.port}`, ...at });

    expect(answer).toMatch(/its response is longer than 16 MiB/);
    expect(headers).toEqual([undefined]);
  });
});

describe('a fork URL of the user who starts the node', () => {
  it('may use a local address, and its errors quote the response', async () => {
    const server = await innerServer((_request, response) => response.end(SECRET));

    const answer = await ask({ url: `http://127.0.0.1:${server.port}`, isTrusted: true });

    expect(answer).toContain(SECRET);
  });
});
