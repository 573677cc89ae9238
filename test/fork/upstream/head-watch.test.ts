import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { watchHeads } from '../../../src/fork/upstream/head-watch.ts';
import { PublicNetwork } from '../../../src/fork/upstream/public-network.ts';
import { UpstreamClient } from '../../../src/fork/upstream/upstream-client.ts';
import { type UrlTrust, upstreamPost, upstreamSockets } from '../../../src/fork/upstream/upstream-post.ts';
import type { OpenUpstreamSocket } from '../../../src/fork/upstream/upstream-socket.ts';
import { waitedTimers } from '../../../src/primitives/clock.ts';
import { createFakeTime, type FakeTime } from '../../support/fake-time.ts';
import { startProxy } from '../../support/proxy.ts';

const HTTP_URL = 'http://node.example';
const SUBSCRIBED = '0x5ub';

interface Upstream {
  readonly url: string;
  readonly port: number;
  /** The requests that opened connections. */
  readonly openings: IncomingMessage[];
  readonly sockets: WebSocket[];
  readonly messages: unknown[];
  /** Sends a notification to the newest connection. */
  head(): void;
}

/** Answers the message `message` of a client; by default accepts all subscriptions. */
type Answering = (socket: WebSocket, place: number) => void;

function respond(socket: WebSocket, body: object): void {
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }));
}

const accept: Answering = (socket) => respond(socket, { result: SUBSCRIBED });

const reject: Answering = (socket) =>
  respond(socket, { error: { code: -32601, message: 'the method eth_subscribe does not exist' } });

async function startUpstream(answering: Answering = accept, answersPings = true): Promise<Upstream> {
  const server = createServer();
  const found = { openings: [] as IncomingMessage[], sockets: [] as WebSocket[], messages: [] as unknown[] };
  const listener = new WebSocketServer({ server, autoPong: answersPings });
  listener.on('connection', (socket, request) => {
    found.openings.push(request);
    found.sockets.push(socket);
    socket.on('message', (data) => {
      answering(socket, found.messages.push(JSON.parse(String(data))) - 1);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of listener.clients) socket.terminate();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const head = (): void => {
    const params = { subscription: SUBSCRIBED, result: { number: '0x1' } };
    found.sockets.at(-1)?.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }));
  };
  return { url: `ws://127.0.0.1:${port}/`, port, ...found, head };
}

interface ClientOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly trust?: UrlTrust | null;
  readonly proxy?: string;
  /** Called after the client has noticed the end of a connection. */
  readonly onEnd?: () => void;
}

function clientOf(
  urls: readonly string[],
  { clock, timers }: FakeTime,
  { headers = {}, trust = null, proxy, onEnd }: ClientOptions = {},
): UpstreamClient {
  const proxyOf = (): URL | null => (proxy === undefined ? null : new URL(proxy));
  const open = upstreamSockets(trust, proxyOf);
  const openSocket: OpenUpstreamSocket = (target, events) =>
    open(target, {
      ...events,
      ended(error) {
        events.ended(error);
        onEnd?.();
      },
    });
  const rates = { computeUnitsPerSecond: null, noRateLimit: true };
  const client = new UpstreamClient(
    urls,
    { headers, timeout: 10_000, retries: 0, retryBackoff: 0, ...rates },
    {
      post: upstreamPost(trust, proxyOf),
      clock,
      timers: waitedTimers,
      random: (length) => new Uint8Array(length),
      heads: { openSocket, timers },
      ...trust,
    },
  );
  onTestFinished(() => client.close());
  return client;
}

/** Counts turns, which end when the test ends them. */
class Turns {
  count = 0;
  #end: (() => void) | null = null;

  readonly begin = (): Promise<void> => {
    this.count++;
    expect(this.#end).toBeNull();
    return new Promise((resolve) => {
      this.#end = resolve;
    });
  };

  /** Ends the present turn. Resolves after the watch has noticed it. */
  async end(): Promise<void> {
    this.#end?.();
    this.#end = null;
    await new Promise(setImmediate);
  }
}

interface Watched {
  readonly time: FakeTime;
  /** The number of turns. Each one ends immediately. */
  readonly turns: () => number;
  readonly client: UpstreamClient;
}

function watch(url: string, options: ClientOptions = {}): Watched {
  const time = createFakeTime(0);
  const client = clientOf([url], time, options);
  let turns = 0;
  watchHeads(client, 2, async () => {
    turns++;
  });
  return { time, turns: () => turns, client };
}

/** Watches an upstream until it has accepted the subscription, and a turn has followed. */
async function subscribe(upstream: Upstream, options: ClientOptions = {}): Promise<Watched> {
  const watched = watch(upstream.url, options);
  await until(() => watched.turns() === 1);
  return watched;
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise(setImmediate);
}

describe('a watch over HTTP', () => {
  it('has a turn immediately, and then two seconds after the end of each turn', async () => {
    const time = createFakeTime(0);
    const turns = new Turns();
    watchHeads(clientOf([HTTP_URL], time), 2, turns.begin);
    expect(turns.count).toBe(0);
    await time.advance(0);
    expect(turns.count).toBe(1);
    await time.advance(10_000);
    expect(turns.count).toBe(1);
    await turns.end();
    await time.advance(1_999);
    expect(turns.count).toBe(1);
    await time.advance(1);
    expect(turns.count).toBe(2);
  });

  it('accepts fractions of seconds', async () => {
    const time = createFakeTime(0);
    let turns = 0;
    watchHeads(clientOf([HTTP_URL], time), 0.5, async () => {
      turns++;
    });
    await time.advance(2_000);
    expect(turns).toBe(5);
  });

  it('ends by stop and by the end of the client, but not by another watch', async () => {
    const time = createFakeTime(0);
    const client = clientOf([HTTP_URL], time);
    const [stopped, other, closed] = [new Turns(), new Turns(), new Turns()];
    const first = watchHeads(client, 2, stopped.begin);
    await time.advance(0);
    first.stop();
    await stopped.end();
    await time.advance(10_000);
    watchHeads(client, 2, other.begin);
    watchHeads(client, 2, closed.begin);
    await time.advance(0);
    client.close();
    await closed.end();
    await time.advance(10_000);
    expect([stopped.count, other.count, closed.count]).toEqual([1, 1, 1]);
  });

  it('continues after a turn that rejects', async () => {
    const time = createFakeTime(0);
    let turns = 0;
    watchHeads(clientOf([HTTP_URL], time), 2, () => {
      turns++;
      return Promise.reject(new Error('a bug'));
    });
    await time.advance(4_000);
    expect(turns).toBe(3);
  });

  it('has a turn immediately at other URLs', async () => {
    const { time, turns, client } = watch(HTTP_URL);
    await time.advance(1_000);
    await client.useUrls(['http://other.example'], null);
    await time.advance(0);
    expect(turns()).toBe(2);
  });
});

describe('a watch over WebSocket', () => {
  it('has a turn for the subscription and for each head, and does not poll', async () => {
    const upstream = await startUpstream();
    const { time, turns } = await subscribe(upstream);
    expect(upstream.messages).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] },
    ]);
    await time.advance(29_000);
    expect(turns()).toBe(1);
    upstream.head();
    await until(() => turns() === 2);
    upstream.head();
    await until(() => turns() === 3);
    await time.advance(29_000);
    expect(turns()).toBe(3);
    expect(upstream.openings).toHaveLength(1);
  });

  it('has one more turn for all heads during a turn', async () => {
    const upstream = await startUpstream();
    const turns = new Turns();
    watchHeads(clientOf([upstream.url], createFakeTime(0)), 2, turns.begin);
    await until(() => turns.count === 1);
    const received = new Promise((resolve) => upstream.sockets[0]?.once('pong', resolve));
    for (let index = 0; index < 3; index++) upstream.head();
    // The heads arrive before the ping.
    upstream.sockets[0]?.ping();
    await received;
    expect(turns.count).toBe(1);
    await turns.end();
    expect(turns.count).toBe(2);
    await turns.end();
    expect(turns.count).toBe(2);
  });

  it('polls while the upstream rejects the subscription, and tries again every 30 seconds', async () => {
    const upstream = await startUpstream((socket, place) => (place < 2 ? reject : accept)(socket, place));
    const { time, turns } = watch(upstream.url);
    const closed = (place: number) => () => upstream.sockets[place]?.readyState === 3;
    await until(closed(0));
    await time.advance(4_000);
    expect(turns()).toBe(3);
    await time.advance(25_999);
    expect(upstream.openings).toHaveLength(1);
    await time.advance(1);
    await until(closed(1));
    expect(turns()).toBe(16);
    await time.advance(30_000);
    await until(() => upstream.messages.length === 3);
    // The turns of 30 seconds, and the one of the subscription.
    await until(() => turns() === 32);
    await time.advance(20_000);
    expect(turns()).toBe(32);
  });

  it('polls after the end of the connection until it has subscribed again', async () => {
    const upstream = await startUpstream();
    let ends = 0;
    const { time, turns } = await subscribe(upstream, { onEnd: () => ends++ });
    await time.advance(10_000);
    upstream.sockets[0]?.terminate();
    await until(() => ends === 1);
    await time.advance(1_999);
    expect(turns()).toBe(1);
    await time.advance(18_000);
    expect(turns()).toBe(10);
    expect(upstream.openings).toHaveLength(1);
    await time.advance(1);
    await until(() => upstream.openings.length === 2 && turns() === 12);
    await time.advance(10_000);
    expect(turns()).toBe(12);
  });

  it('subscribes again immediately after the end of a connection that lasted 30 seconds', async () => {
    const upstream = await startUpstream();
    const { time, turns } = await subscribe(upstream);
    await time.advance(30_000);
    upstream.sockets[0]?.terminate();
    await until(() => turns() === 2);
    expect(upstream.openings).toHaveLength(2);
  });

  it('polls if the upstream does not respond, and closes the connection after 10 seconds', async () => {
    const upstream = await startUpstream(() => {});
    const { time, turns } = watch(upstream.url);
    await until(() => upstream.messages.length === 1);
    await time.advance(9_999);
    expect(turns()).toBe(5);
    expect(upstream.sockets[0]?.readyState).toBe(1);
    await time.advance(1);
    await until(() => upstream.sockets[0]?.readyState === 3);
    await time.advance(2_000);
    expect(turns()).toBe(7);
  });

  it('polls if the upstream rejects the connection', async () => {
    const server = createServer();
    let tries = 0;
    server.on('upgrade', (_request, socket) => {
      tries++;
      socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { time, turns } = watch(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await until(() => tries === 1);
    await time.advance(2_000);
    expect(turns()).toBe(2);
  });

  it('opens a new connection if the upstream does not answer a ping', async () => {
    const upstream = await startUpstream(accept, false);
    const { time, turns } = await subscribe(upstream);
    const pinged = new Promise((resolve) => upstream.sockets[0]?.once('ping', resolve));
    await time.advance(30_000);
    await pinged;
    expect(upstream.openings).toHaveLength(1);
    await time.advance(30_000);
    await until(() => upstream.openings.length === 2 && turns() >= 2);
  });

  it('keeps a connection that answers pings', async () => {
    const upstream = await startUpstream();
    const { time } = await subscribe(upstream);
    for (let ping = 0; ping < 3; ping++) {
      const pinged = new Promise((resolve) => upstream.sockets[0]?.once('ping', resolve));
      await time.advance(30_000);
      await pinged;
      // The message follows the pong on the connection.
      const answered = new Promise((resolve) => upstream.sockets[0]?.once('pong', resolve));
      upstream.sockets[0]?.ping();
      await answered;
    }
    expect(upstream.openings).toHaveLength(1);
  });

  it('sends headers and credentials to the origins of the options only', async () => {
    const [upstream, other] = await Promise.all([startUpstream(), startUpstream()]);
    const url = upstream.url.replace('ws://', 'ws://user:p%40ss@');
    const { client, turns } = watch(url, { headers: { 'x-key': 'secret' } });
    await until(() => turns() === 1);
    const authorization = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
    expect(upstream.openings[0]?.headers).toMatchObject({ 'x-key': 'secret', authorization });
    await client.useUrls([other.url], null);
    await until(() => turns() === 2);
    expect(other.openings[0]?.headers).not.toHaveProperty('x-key');
    await until(() => upstream.sockets[0]?.readyState === 3);
  });

  it('leads through the proxy', async () => {
    const upstream = await startUpstream();
    const proxy = await startProxy();
    const { turns } = watch(`ws://node.example:${upstream.port}/ws`, { proxy: proxy.url });
    await until(() => turns() === 1);
    expect(proxy.targets).toEqual([`node.example:${upstream.port}`]);
  });

  it.each([
    [['127.0.0.1'], 1],
    [[], 0],
  ])('reaches only public hosts from an untrusted URL: %j', async (allowed: string[], count) => {
    const upstream = await startUpstream();
    const resolve = (_name: string, _options: object, callback: (...found: never) => void): void => {
      const addresses = [{ address: '127.0.0.1', family: 4 }];
      (callback as (error: null, found: typeof addresses) => void)(null, addresses);
    };
    const network = new PublicNetwork(resolve, (address) => allowed.includes(address));
    const trust = { isTrusted: () => false, network };
    const url = `ws://node.example:${upstream.port}/`;
    const { time, turns } = watch(url, { trust, headers: { 'x-key': 'secret' } });
    await until(() => upstream.openings.length === count);
    if (count === 0) await time.advance(2_000);
    await until(() => turns() > 0);
    expect(upstream.openings.map(({ headers }) => headers['x-key'])).toEqual(Array(count).fill(undefined));
  });

  it.each(['stop', 'close'] as const)('closes the connection on %s', async (end) => {
    const upstream = await startUpstream();
    const time = createFakeTime(0);
    const client = clientOf([upstream.url], time);
    let turns = 0;
    const own = watchHeads(client, 2, async () => {
      turns++;
    });
    await until(() => turns === 1);
    if (end === 'stop') own.stop();
    else client.close();
    await until(() => upstream.sockets[0]?.readyState === 3);
    await time.advance(120_000);
    expect([turns, upstream.openings.length]).toEqual([1, 1]);
  });
});
