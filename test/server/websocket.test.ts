import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Connection } from '../../src/rpc/connection.ts';
import { FakeService, SampleError } from './fake-service.ts';
import { Latch } from './latch.ts';
import {
  errorAnswer,
  openSocket,
  receive,
  requestText,
  startTestServer,
  type TestServer,
} from './test-server.ts';
import { UpgradeRejection, WebSocketClient } from './websocket-client.ts';

const MEGABYTE = 'x'.repeat(1_000_000);
/** Bytes that are written without a yield. */
const SHORT = 'x'.repeat(60_000);

function answer(id: number, result: unknown = []): unknown {
  return { jsonrpc: '2.0', id, result };
}

/** Sends a notification like a subscription. */
function notify({ notify: send }: Connection, params: unknown): void {
  send?.('eth_subscription', params);
}

const FILLING = 'x'.repeat(4_000);

/** A client that stops reading, with 4,000 pending notifications of 4 kB each. */
async function lateReader(
  service: FakeService,
  server: TestServer,
): Promise<{ readonly client: WebSocketClient; readonly connection: Connection }> {
  const client = await WebSocketClient.open(server);
  client.socket.send(requestText('m'));
  await client.take(1);
  client.socket.pause();
  const [connection] = service.connections;
  if (connection === undefined) throw new Error('no connection');
  for (let index = 0; index < 4_000; index++) notify(connection, [index, FILLING]);
  return { client, connection };
}

describe('WebSocket requests', () => {
  it('requests, batches and failures have the same responses as over HTTP', async () => {
    const service = new FakeService({ fail: () => Promise.reject(new SampleError('reverted')) });
    const client = await WebSocketClient.open(await startTestServer({}, service));
    client.socket.send(requestText('m', ['é'], 1));
    client.socket.send(`[${requestText('m', [], 2)}]`);
    client.socket.send(requestText('fail', [], 3));
    client.socket.send('{"jsonrpc":"2.0","method":"m"}');
    client.socket.send('nonsense');
    expect(await client.take(4)).toEqual([
      answer(1, ['é']),
      [answer(2)],
      errorAnswer(-32015, 'reverted', 3),
      errorAnswer(-32700, 'parse error'),
    ]);
    expect(service.connections[0]).toMatchObject({ transport: 'websocket', remoteAddress: '127.0.0.1' });
  });

  it('binary frames are read as text', async () => {
    const client = await WebSocketClient.open(await startTestServer());
    client.socket.send(Buffer.from(requestText('m', ['é'])), { binary: true });
    expect(await client.take(1)).toEqual([answer(1, ['é'])]);
  });

  it('requests run one by one, and responses are in order', async () => {
    const slow = new Latch();
    const service = new FakeService({ slow: () => slow.opened });
    const client = await WebSocketClient.open(await startTestServer({}, service));
    client.socket.send(requestText('slow', [], 1));
    client.socket.send(requestText('fast', [], 2));
    client.socket.ping();
    await once(client.socket, 'pong');
    expect(service.calls.map(({ method }) => method)).toEqual(['slow']);
    slow.open();
    expect(await client.take(2)).toEqual([answer(1, null), answer(2)]);
  });

  it('thousands of pipelined requests are all answered in order', async () => {
    const first = new Latch();
    const client = await WebSocketClient.open(
      await startTestServer({}, new FakeService({ first: () => first.opened })),
    );
    client.socket.send(requestText('first', [], 0));
    for (let id = 1; id < 5_000; id += 1) client.socket.send(requestText('m', [], id));
    first.open();
    const ids = (await client.take(5_000)).map((message) => (message as { id: number }).id);
    expect(ids).toEqual(Array.from({ length: 5_000 }, (_, id) => id));
  });

  it('requests wait while the client does not read responses, and none is lost', async () => {
    const called = new Latch();
    const service = new FakeService({
      big: () => {
        if (service.calls.length === 2) called.open();
        return MEGABYTE;
      },
    });
    const server = await startTestServer({}, service);
    const client = await WebSocketClient.open(server);
    client.socket.pause();
    for (let id = 0; id < 80; id += 1) client.socket.send(requestText('big', [], id));
    await called.opened;
    const other = await WebSocketClient.open(server);
    other.socket.send(requestText('m'));
    await other.take(1);
    expect(service.calls.length).toBeLessThan(40);
    client.socket.resume();
    const answers = await client.take(80);
    expect(answers.map((message) => (message as { id: number }).id)).toEqual(answers.map((_, id) => id));
  });
});

describe('WebSocket notifications', () => {
  it('a notification is a JSON-RPC notification', async () => {
    const service = new FakeService();
    const client = await WebSocketClient.open(await startTestServer({}, service));
    client.socket.send(requestText('m'));
    await client.take(1);
    for (const connection of service.connections) notify(connection, { subscription: '0x1', result: 1 });
    expect(await client.take(2)).toEqual([
      answer(1),
      { jsonrpc: '2.0', method: 'eth_subscription', params: { subscription: '0x1', result: 1 } },
    ]);
  });

  it('a notification is sent after the response of its request, and before the next response', async () => {
    const service = new FakeService({
      mine: async (params, connection) => {
        const [name] = params as string[];
        notify(connection, `${name} 1`);
        await Promise.resolve();
        notify(connection, `${name} 2`);
        return name;
      },
    });
    const client = await WebSocketClient.open(await startTestServer({}, service));
    client.socket.send(requestText('mine', ['a'], 1));
    client.socket.send(`[${requestText('mine', ['b'], 2)},${requestText('mine', ['c'], 3)}]`);
    client.socket.send('{"method":"mine","params":["d"]}');
    const notification = (params: string) => ({ jsonrpc: '2.0', method: 'eth_subscription', params });
    expect(await client.take(10)).toEqual([
      answer(1, 'a'),
      notification('a 1'),
      notification('a 2'),
      [answer(2, 'b'), answer(3, 'c')],
      notification('b 1'),
      notification('b 2'),
      notification('c 1'),
      notification('c 2'),
      notification('d 1'),
      notification('d 2'),
    ]);
  });

  it('a long notification is sent in order while other clients are served', async () => {
    const service = new FakeService();
    const server = await startTestServer({}, service);
    const client = await WebSocketClient.open(server);
    client.socket.send(requestText('m', [], 1));
    await client.take(1);
    const [connection] = service.connections;
    if (connection === undefined) throw new Error('no connection');
    let turn = 0;
    let isOver = false;
    const count = (): void => {
      turn++;
      if (!isOver) setImmediate(count);
    };
    count();
    const text = 'x'.repeat(100);
    const writtenAt = new Set<number>();
    const item = {
      toJSON: () => {
        writtenAt.add(turn);
        return text;
      },
    };
    for (const params of ['first', Array(20_000).fill(item), 'second']) notify(connection, params);
    const [, ...received] = (await client.take(4)) as { params: unknown }[];
    isOver = true;
    expect(received.map(({ params }) => params)).toEqual(['first', Array(20_000).fill(text), 'second']);
    expect(writtenAt.size).toBeGreaterThan(5);
  });

  it('unread notifications close the connection with code 1013', async () => {
    const service = new FakeService();
    const client = await WebSocketClient.open(await startTestServer({}, service));
    client.socket.send(requestText('m'));
    await client.take(1);
    client.socket.pause();
    const [connection] = service.connections;
    for (let count = 0; count < 1_500 && connection; count += 1) notify(connection, SHORT);
    client.socket.resume();
    expect(await client.closed).toEqual({ code: 1013, reason: 'the client does not read its notifications' });
    expect(client.received.length).toBeLessThan(1_500);
  });

  it('unread notifications of many clients close only slow connections', async () => {
    const service = new FakeService();
    const port = await startTestServer({}, service);
    const clients = await Promise.all(Array.from({ length: 7 }, () => WebSocketClient.open(port)));
    const closed: number[] = [];
    for (const [index, client] of clients.entries()) {
      client.socket.send(requestText('m'));
      await client.take(1);
      void client.closed.then(() => closed.push(index));
    }
    const [reading, ...slow] = clients;
    for (const { socket } of slow) socket.pause();
    const [reader, ...others] = service.connections;
    if (reading === undefined || reader === undefined) throw new Error('no connection');
    for (let count = 0; count < 1_080; count++) for (const connection of others) notify(connection, SHORT);
    notify(reader, 'still here');
    expect((await reading.take(2)).at(-1)).toMatchObject({ params: 'still here' });
    for (const { socket } of slow) socket.resume();
    while (closed.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(closed).not.toContain(0);
    expect(closed.length).toBeLessThan(slow.length);
  });

  it('notifications for a slow client are all sent in order', async () => {
    const service = new FakeService();
    const { client, connection } = await lateReader(service, await startTestServer({}, service));
    client.socket.resume();
    const received = (await client.take(4_001)).slice(1) as { params: [number, string] }[];
    expect(received.map(({ params }) => params[0])).toEqual(
      Array.from({ length: 4_000 }, (_, index) => index),
    );
    notify(connection, [4_000]);
    expect((await client.take(4_002)).at(-1)).toMatchObject({ params: [4_000] });
  });

  it('notifications and responses stay in order for a slow client', async () => {
    const answered = new Latch();
    const service = new FakeService({
      ask: (_params, connection) => {
        notify(connection, ['meanwhile']);
        answered.open();
        return 'asked';
      },
    });
    const { client } = await lateReader(service, await startTestServer({}, service));
    client.socket.send(requestText('ask', [], 2));
    await answered.opened;
    client.socket.resume();
    const received = await client.take(4_003);
    expect(received.slice(1, -2)).toHaveLength(4_000);
    expect(received.at(-3)).toMatchObject({ params: [3_999, FILLING] });
    expect(received.at(-2)).toMatchObject({ id: 2, result: 'asked' });
    expect(received.at(-1)).toMatchObject({ params: ['meanwhile'] });
  });

  it('earlier notifications are sent before the server closes the connection', async () => {
    const service = new FakeService();
    const server = await startTestServer({}, service);
    const { client } = await lateReader(service, server);
    const closing = server.close();
    client.socket.resume();
    expect((await client.take(4_001)).at(-1)).toMatchObject({ params: [3_999, FILLING] });
    expect(await client.closed).toMatchObject({ code: 1001 });
    await closing;
  });

  it('notifications that wait for a response count as unread', async () => {
    const never = new Latch();
    const service = new FakeService({
      flood: (_params, connection) => {
        for (let count = 0; count < 90; count += 1) notify(connection, MEGABYTE);
        return never.opened;
      },
    });
    const client = await WebSocketClient.open(await startTestServer({}, service));
    client.socket.send(requestText('flood'));
    expect(await client.closed).toMatchObject({ code: 1013 });
    never.open();
  });

  it('a notification after the close has no effect', async () => {
    const closed = new Latch();
    const service = new FakeService({ m: (_params, connection) => connection.onClose(closed.open) });
    const client = await WebSocketClient.open(await startTestServer({}, service));
    client.socket.send(requestText('m'));
    await client.take(1);
    client.socket.close();
    await closed.opened;
    for (const connection of service.connections) expect(() => notify(connection, 1)).not.toThrow();
  });
});

describe('end of a WebSocket', () => {
  it('onClose listeners run once in order, or immediately after the close', async () => {
    const ends: string[] = [];
    const closed = new Latch();
    const service = new FakeService({
      m: (_params, connection) => {
        connection.onClose(() => ends.push('first'));
        connection.onClose(() => ends.push('second'));
        connection.onClose(closed.open);
      },
    });
    const client = await WebSocketClient.open(await startTestServer({}, service));
    client.socket.send(requestText('m'));
    await client.take(1);
    expect(ends).toEqual([]);
    client.socket.terminate();
    await closed.opened;
    service.connections[0]?.onClose(() => ends.push('late'));
    expect(ends).toEqual(['first', 'second', 'late']);
  });

  it('requests received before the close still run', async () => {
    const first = new Latch();
    const gone = new Latch();
    const last = new Latch();
    const service = new FakeService({
      first: (_params, connection) => {
        connection.onClose(gone.open);
        return first.opened;
      },
      last: () => last.open(),
    });
    const client = await WebSocketClient.open(await startTestServer({}, service));
    client.socket.send(requestText('first'));
    client.socket.send(requestText('last'));
    client.socket.close();
    await gone.opened;
    first.open();
    await last.opened;
    expect(service.calls.map(({ method }) => method)).toEqual(['first', 'last']);
  });

  it('a message above the limit closes the connection with code 1009 and the option', async () => {
    const server = await startTestServer({ bodyLimit: 1_000 });
    const client = await WebSocketClient.open(server);
    client.socket.send(requestText('m', ['x'.repeat(1_000)]));
    const { code, reason } = await client.closed;
    expect(code).toBe(1009);
    expect(reason).toContain('--body-limit');
  });

  it('three unanswered pings close the connection', async () => {
    const server = await startTestServer();
    const mute = await WebSocketClient.open(server, '/', { autoPong: false });
    const lively = await WebSocketClient.open(server);
    for (let round = 1; round <= 3; round += 1) {
      const pinged = once(lively.socket, 'ping');
      expect(mute.socket.readyState).toBe(mute.socket.OPEN);
      server.timers.advance(30_000);
      await pinged;
      lively.socket.send(requestText('m', [], round));
      await lively.take(round);
    }
    expect(await mute.closed).toMatchObject({ code: 1006 });
    expect(lively.socket.readyState).toBe(lively.socket.OPEN);
  });

  it('a closed connection leaves no timer', async () => {
    const server = await startTestServer();
    const client = await WebSocketClient.open(server);
    expect(server.timers.pendingCount).toBe(1);
    client.socket.close();
    await client.closed;
    await server.close();
    expect(server.timers.pendingCount).toBe(0);
  });
});

describe('opening a WebSocket', () => {
  it('a WebSocket opens on the path of an API key', async () => {
    const server = await startTestServer({ apiKeys: ['secret'] });
    const client = await WebSocketClient.open(server, '/secret', {
      headers: { Origin: 'http://localhost:3000' },
    });
    client.socket.send(requestText('m'));
    expect(await client.take(1)).toEqual([answer(1)]);
  });

  it.each([
    ['a wrong key', '/wrong', {}, 401, -32001, '--api-key'],
    ['a deep path', '/secret/deep', {}, 404, -32600, '--api-key'],
    ['a page of elsewhere', '/secret', { Origin: 'https://evil.example' }, 403, -32001, '--allow-origin'],
    ['another host name', '/secret', { Host: 'rebound.example' }, 403, -32001, '--allow-host'],
  ])('a WebSocket is rejected for %s', async (_case, path, headers, status, code, option) => {
    const server = await startTestServer({ apiKeys: ['secret'] });
    const refused = WebSocketClient.open(server, path, { headers });
    await expect(refused).rejects.toBeInstanceOf(UpgradeRejection);
    await expect(refused).rejects.toMatchObject({ status, body: errorAnswer(code, option) });
  });

  it('a WebSocket is rejected without a key header with status 400', async () => {
    const socket = await openSocket(await startTestServer());
    const refusal = receive(socket);
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    expect(await refusal).toMatch(/^HTTP\/1.1 400 /);
  });
});
