import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { PublicNetwork } from '../../../src/fork/upstream/public-network.ts';
import { UpstreamClient } from '../../../src/fork/upstream/upstream-client.ts';
import { upstreamPost } from '../../../src/fork/upstream/upstream-post.ts';
import { systemClock, type Timers, waitedTimers } from '../../../src/primitives/clock.ts';
import { startProxy } from '../../support/proxy.ts';

interface Upstream {
  readonly port: number;
  /** The paths and host headers of the requests. */
  readonly requests: string[];
}

async function startUpstream(): Promise<Upstream> {
  const requests: string[] = [];
  const answer: RequestListener = ({ url, headers }, response) => {
    requests.push(`${headers.host} ${url} ${headers['proxy-authorization'] ?? ''}`.trim());
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 0, result: '0x21' }));
  };
  const server = createServer(answer);
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket, { url, headers }) => {
    requests.push(`${headers.host} ${url}`);
    socket.on('message', (data) => {
      const { id } = JSON.parse(String(data)) as { id: number };
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: '0x21' }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, requests };
}

/** Starts a proxy that accepts connections and sends nothing. Resolves to its URL. */
async function startSilentProxy(onConnection: (socket: Socket) => void): Promise<string> {
  const server = createSocketServer((socket) => {
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface ClientOptions {
  readonly network?: PublicNetwork | undefined;
  readonly timers?: Timers;
}

function clientOf(
  url: string,
  proxy: string,
  { network, timers = waitedTimers }: ClientOptions = {},
): UpstreamClient {
  const trust = network === undefined ? null : { isTrusted: () => false, network };
  const client = new UpstreamClient(
    [url],
    {
      headers: {},
      timeout: 10_000,
      retries: 0,
      retryBackoff: 0,
      computeUnitsPerSecond: null,
      noRateLimit: true,
    },
    {
      post: upstreamPost(trust, () => new URL(proxy)),
      clock: systemClock,
      timers,
      random: (size) => new Uint8Array(size),
      ...trust,
    },
  );
  onTestFinished(() => client.close());
  return client;
}

/** Resolves to the result or the error message. */
function chainIdOf(client: UpstreamClient): Promise<unknown> {
  return client
    .ask({ method: 'eth_chainId', params: [], expects: 'quantity' })
    .catch((error: unknown) => (error instanceof Error ? error.message : error));
}

/** Returns a function that asks the URL through the proxy; it resolves as {@link chainIdOf}. */
function asking(url: string, proxy: string, network?: PublicNetwork): () => Promise<unknown> {
  const client = clientOf(url, proxy, { network });
  return () => chainIdOf(client);
}

describe('an upstream behind a proxy', () => {
  it('receives forwarded requests over http, on one connection', async () => {
    const upstream = await startUpstream();
    const proxy = await startProxy();
    const ask = asking(`http://node.example:${upstream.port}/v3?key=1`, proxy.url);

    expect(await ask()).toBe('0x21');
    expect(await ask()).toBe('0x21');

    const url = `http://node.example:${upstream.port}/v3?key=1`;
    expect(proxy.targets).toEqual([url, url]);
    expect(upstream.requests).toEqual(Array(2).fill(`node.example:${upstream.port} /v3?key=1`));
  });

  it('is reached over ws through one tunnel', async () => {
    const upstream = await startUpstream();
    const proxy = await startProxy();
    const ask = asking(`ws://node.example:${upstream.port}/ws`, proxy.url);

    expect(await ask()).toBe('0x21');
    expect(await ask()).toBe('0x21');

    expect(proxy.targets).toEqual([`node.example:${upstream.port}`]);
    expect(upstream.requests).toEqual([`node.example:${upstream.port} /ws`]);
  });

  it.each(['https', 'wss'])(
    'is reached over %s through a tunnel, with the name of the host',
    async (scheme) => {
      const names: string[] = [];
      // Without a certificate the handshake fails, but only after the name of the host arrived.
      const server = createSecureServer({
        SNICallback: (name, callback) => {
          names.push(name);
          callback(new Error('no certificate'));
        },
      });
      server.on('tlsClientError', () => {});
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void server.close());
      const { port } = server.address() as AddressInfo;
      const proxy = await startProxy();

      await asking(`${scheme}://node.example:${port}`, proxy.url)();

      expect(proxy.targets).toEqual([`node.example:${port}`]);
      expect(names).toEqual(['node.example']);
    },
  );

  it.each(['http', 'ws'])('sends the credentials of the proxy over %s to the proxy only', async (scheme) => {
    const upstream = await startUpstream();
    const proxy = await startProxy();
    const url = proxy.url.replace('//', '//user:p%40ss@');

    expect(await asking(`${scheme}://node.example:${upstream.port}/`, url)()).toBe('0x21');

    expect(proxy.authorizations).toEqual([`Basic ${Buffer.from('user:p@ss').toString('base64')}`]);
    expect(upstream.requests).toEqual([`node.example:${upstream.port} /`]);
  });

  it.each(['http', 'https', 'ws', 'wss'])(
    'has an error with the masked proxy if the proxy requires credentials (%s)',
    async (scheme) => {
      const proxy = await startProxy({ status: 407 });
      const url = proxy.url.replace('//', '//user:secret@');

      const error = await asking(`${scheme}://node.example:1234`, url)();

      expect(error).toContain(
        `the proxy http://***@127.0.0.1:${proxy.port} requires other credentials (HTTP 407); set them in the URL of --fork-proxy or the environment`,
      );
      expect(error).not.toContain('secret');
    },
  );

  it('has an error with the status of the proxy', async () => {
    const proxy = await startProxy({ status: 503 });

    expect(await asking('https://node.example', proxy.url)()).toContain(
      `the proxy ${proxy.url} does not connect to the host (HTTP 503)`,
    );
  });

  it.each(['http', 'https', 'ws', 'wss'])(
    'has an error if the proxy is not reachable (%s)',
    async (scheme) => {
      const server = createSocketServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      await new Promise((resolve) => server.close(resolve));

      const error = await asking(`${scheme}://node.example`, `http://user:secret@127.0.0.1:${port}`)();

      expect(error).toContain(
        `cannot connect through the proxy http://***@127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}`,
      );
      expect(error).not.toContain('secret');
    },
  );

  it.each(['http', 'https', 'ws', 'wss'])(
    'has an error at the timeout if the proxy does not respond (%s)',
    async (scheme) => {
      let expire: () => void = () => {};
      const timers: Timers = {
        after: (_delay, action) => {
          expire = action;
          return { cancel: () => {} };
        },
      };
      const proxy = await startSilentProxy((socket) => socket.once('data', () => expire()));

      const client = clientOf(`${scheme}://node.example`, proxy, { timers });

      expect(await chainIdOf(client)).toContain('no response within 10000 ms');
    },
  );

  it.each(['http', 'https', 'ws', 'wss'])(
    'closes the connection to a proxy that does not respond, if the fork closes (%s)',
    async (scheme) => {
      let report: () => void = () => {};
      const closed = new Promise<void>((resolve) => {
        report = resolve;
      });
      const proxy = await startSilentProxy((socket) => {
        socket.once('data', () => client.close());
        socket.once('close', () => report());
      });

      const client = clientOf(`${scheme}://node.example`, proxy);

      expect(await chainIdOf(client)).toContain('the chain left the fork or is closing');
      await closed;
    },
  );

  it('repeats a request if the proxy closed the idle connection', async () => {
    const upstream = await startUpstream();
    const proxy = await startProxy();
    const ask = asking(`http://node.example:${upstream.port}/`, proxy.url);
    await ask();

    proxy.reset();

    expect(await ask()).toBe('0x21');
  });
});

describe('a fork URL of a client behind a proxy in hosted-node mode', () => {
  const network = (address: string): PublicNetwork =>
    new PublicNetwork(
      (_host, _options, callback) => callback(null, [{ address, family: 4 }]),
      (one) => one === '127.0.0.1',
    );

  it.each(['http', 'ws'])('is tunnelled over %s to the checked address', async (scheme) => {
    const upstream = await startUpstream();
    const proxy = await startProxy();

    const url = `${scheme}://public.example:${upstream.port}/`;

    expect(await asking(url, proxy.url, network('127.0.0.1'))()).toBe('0x21');
    expect(proxy.targets).toEqual([`127.0.0.1:${upstream.port}`]);
    expect(upstream.requests).toEqual([`public.example:${upstream.port} /`]);
  });

  it.each(['https', 'wss'])('is tunnelled over %s to the checked address, with its name', async (scheme) => {
    const names: string[] = [];
    const server = createSecureServer({
      SNICallback: (name, callback) => {
        names.push(name);
        callback(new Error('no certificate'));
      },
    });
    server.on('tlsClientError', () => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const proxy = await startProxy();

    await asking(`${scheme}://public.example:${port}`, proxy.url, network('127.0.0.1'))();

    expect(proxy.targets).toEqual([`127.0.0.1:${port}`]);
    expect(names).toEqual(['public.example']);
  });

  it.each(['http', 'https', 'ws', 'wss'])('reaches no private address over %s', async (scheme) => {
    const proxy = await startProxy();

    const named = await asking(`${scheme}://inner.example:8545`, proxy.url, network('10.0.0.1'))();
    const literal = await asking(`${scheme}://10.0.0.1:8545`, proxy.url, network('10.0.0.1'))();

    expect(named).toMatch(/its host has no public address/);
    expect(literal).toMatch(/its host has no public address/);
    expect(proxy.targets).toEqual([]);
  });

  it('has an error without the proxy', async () => {
    const proxy = await startProxy({ status: 403 });

    const error = await asking('https://public.example', proxy.url, network('127.0.0.1'))();

    expect(error).toContain('the connection failed');
    expect(error).not.toContain(`${proxy.port}`);
  });
});
