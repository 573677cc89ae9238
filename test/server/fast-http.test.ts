import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PeerTable } from '../../src/node/peer-table.ts';
import { FakeService } from './fake-service.ts';
import { Latch } from './latch.ts';
import {
  openSocket,
  rawPost,
  receive,
  requestText,
  startTestServer,
  type TestServer,
} from './test-server.ts';

const SWEEP = 5_000;
const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** Waits until data written to one end of a local connection arrives at the other. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await setImmediate();
}

/** The results in a text of responses, in order. */
function resultsIn(text: string): unknown[] {
  return [...text.matchAll(/^(\{.*?\})(?:HTTP|$)/gm)].map(([, json = '']) => JSON.parse(json).result);
}

/** The next `count` responses of a connection. */
function responses(socket: Socket, count: number): Promise<string> {
  return receive(socket, (text) => text.split('HTTP/1.1 ').length > count && /[}\n]$/.test(text));
}

function sweep({ timers }: TestServer, times: number): void {
  for (let time = 0; time < times; time++) timers.advance(SWEEP);
}

describe('HTTP calls in the fast parser', () => {
  it('the response equals the response of node:http', async () => {
    const socket = await openSocket(await startTestServer());
    socket.write(rawPost(requestText('m', ['é'])));
    expect((await responses(socket, 1)).replace(/^Date: .* GMT\r$/m, 'Date: now')).toBe(
      [
        'HTTP/1.1 200 OK\r',
        'Content-Type: application/json\r',
        'Content-Length: 40\r',
        'Date: now',
        'Connection: keep-alive\r',
        'Keep-Alive: timeout=65\r',
        '\r',
        '{"jsonrpc":"2.0","id":1,"result":["é"]}',
      ].join('\n'),
    );
  });

  it('a request may arrive in two parts, split anywhere', async () => {
    const server = await startTestServer();
    const bytes = Buffer.from(rawPost(requestText('m', ['é'])) + rawPost(requestText('m', [2])));
    for (let cut = 1; cut < bytes.length; cut++) {
      const socket = await openSocket(server);
      socket.setNoDelay();
      const answers = responses(socket, 2);
      socket.write(bytes.subarray(0, cut));
      await settle();
      socket.write(bytes.subarray(cut));
      expect(resultsIn(await answers)).toEqual([['é'], [2]]);
      socket.destroy();
    }
  });

  it('a request may arrive byte by byte', async () => {
    const socket = await openSocket(await startTestServer());
    socket.setNoDelay();
    const answers = responses(socket, 1);
    for (const byte of Buffer.from(rawPost(requestText('m', ['é'])))) {
      socket.write(Uint8Array.of(byte));
      await settle();
    }
    expect(resultsIn(await answers)).toEqual([['é']]);
  });

  it('a request body may arrive in many parts', async () => {
    const socket = await openSocket(await startTestServer());
    const text = 'é'.repeat(2_000_000);
    socket.write(rawPost(requestText('m', [text])));
    expect(resultsIn(await receive(socket, (answer) => answer.endsWith('}')))).toEqual([[text]]);
  });

  it('many connections with many requests are served', async () => {
    const server = await startTestServer();
    const sockets = await Promise.all(Array.from({ length: 200 }, () => openSocket(server)));
    const answers = sockets.map(async (socket, index) => {
      const received = responses(socket, 3);
      for (let call = 0; call < 3; call++) socket.write(rawPost(requestText('m', [index, call])));
      return resultsIn(await received);
    });
    const expected = sockets.map((_socket, index) => [0, 1, 2].map((call) => [index, call]));
    expect(await Promise.all(answers)).toEqual(expected);
  });

  it('requests of an address are rejected as soon as it is banned', async () => {
    const peers = new PeerTable(() => []);
    const socket = await openSocket(await startTestServer({}, new FakeService(), { peers }));
    const answers = responses(socket, 2);
    socket.write(rawPost(requestText('m')));
    await settle();
    peers.ban('127.0.0.1');
    socket.write(rawPost(requestText('m')));
    expect(
      [...(await answers).matchAll(/^HTTP\/1.1 (\d+)|HTTP\/1.1 (\d+)/gm)].flatMap(([, a, b]) => a ?? b),
    ).toEqual(['200', '403']);
  });

  it.each([
    ['a longer body', rawPost(requestText('m', ['x'.repeat(100)])), ['200', '413']],
    ['an invalid length', rawPost('{}').replace('Length: 2', 'Length: 2x'), ['200', '400']],
    [
      'another host',
      rawPost(requestText('m', [2])).replace('Host: localhost', 'Host: elsewhere'),
      ['200', '403'],
    ],
    ['another header', rawPost(requestText('m', [2]), ['Content-Encoding: gzip']), ['200', '415']],
    ['a header after another length', rawPost(requestText('m', [200]), ['X-A: b']), ['200', '200']],
  ])('a request is checked like the one before it, with %s', async (_difference, second, expected) => {
    const socket = await openSocket(await startTestServer({ bodyLimit: 100 }));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.write(rawPost(requestText('m', [1])));
    await settle();
    socket.end(second);
    await once(socket, 'close');
    expect([...text.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status)).toEqual(expected);
  });
});

describe('pipelined requests', () => {
  it('all pipelined requests are answered in order, even above the concurrency limit', async () => {
    const first = new Latch();
    let atOnce = 0;
    const service = new FakeService({
      first: () => first.opened.then(() => 0),
      next: (params) => {
        atOnce += 1;
        return params;
      },
    });
    const socket = await openSocket(await startTestServer({}, service));
    const answers = responses(socket, 1_000);
    const numbers = Array.from({ length: 999 }, (_, index) => index + 1);
    socket.write(
      rawPost(requestText('first')) +
        numbers.map((number) => rawPost(requestText('next', [number]))).join(''),
    );
    await settle();
    expect(atOnce).toBe(99);
    first.open();
    expect(resultsIn(await answers)).toEqual([0, ...numbers.map((number) => [number])]);
  });

  const PIPELINE = ['é', 'second', '€'.repeat(40), ''].map((text) => rawPost(requestText('m', [text])));
  const PIPELINE_BYTES = Buffer.from(PIPELINE.join(''));
  const PIPELINE_RESULTS = [['é'], ['second'], ['€'.repeat(40)], ['']];

  it('pipelined requests may arrive in several parts, split anywhere', async () => {
    const server = await startTestServer();
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: PIPELINE_BYTES.length - 1 }), {
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(cuts, async (places) => {
        const socket = await openSocket(server);
        socket.setNoDelay();
        const answers = responses(socket, PIPELINE.length);
        const ends = [...places.sort((left, right) => left - right), PIPELINE_BYTES.length];
        let start = 0;
        for (const end of ends) {
          socket.write(PIPELINE_BYTES.subarray(start, end));
          await settle();
          start = end;
        }
        expect(resultsIn(await answers)).toEqual(PIPELINE_RESULTS);
        socket.destroy();
      }),
      { numRuns: 200 },
    );
  });

  it('a pipelined request starts as soon as it arrives, while an earlier one is pending', async () => {
    const first = new Latch();
    const service = new FakeService({ first: () => first.opened.then(() => 'first') });
    const socket = await openSocket(await startTestServer({}, service));
    const answers = responses(socket, 2);
    const second = rawPost(requestText('m', ['second']));
    socket.write(rawPost(requestText('first')) + second.slice(0, -5));
    await settle();
    socket.write(second.slice(-5));
    await settle();
    expect(service.calls.map(({ method }) => method)).toEqual(['first', 'm']);
    first.open();
    expect(resultsIn(await answers)).toEqual(['first', ['second']]);
  });

  it('pipelined requests before an incomplete request are answered, and this one is rejected', async () => {
    const server = await startTestServer();
    const ends = PIPELINE.map((_, index) => Buffer.byteLength(PIPELINE.slice(0, index + 1).join('')));
    for (let cut = 1; cut <= PIPELINE_BYTES.length; cut++) {
      const socket = await openSocket(server);
      const reply = receive(socket);
      socket.end(PIPELINE_BYTES.subarray(0, cut));
      const complete = ends.filter((end) => end <= cut).length;
      const isWhole = cut === ends[complete - 1];
      const text = await reply;
      expect(text.split('HTTP/1.1 200 OK').length - 1).toBe(complete);
      expect(text.endsWith('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')).toBe(!isWhole);
    }
  });

  it('pipelined requests can be mixed with other requests, in order', async () => {
    const first = new Latch();
    const service = new FakeService({ first: () => first.opened.then(() => 'first') });
    const socket = await openSocket(await startTestServer({}, service));
    const answers = responses(socket, 4);
    socket.write(rawPost(requestText('first')) + GET + rawPost(requestText('m', ['third'])));
    await settle();
    socket.write(rawPost(requestText('m', ['fourth'])));
    await settle();
    first.open();
    expect(resultsIn(await answers)).toEqual(['first', undefined, ['third'], ['fourth']]);
  });

  it('pipelined requests wait while the client does not read, and no response is lost', async () => {
    const big = 'x'.repeat(1_000_000);
    const service = new FakeService({ big: () => big });
    const socket = await openSocket(await startTestServer({}, service));
    socket.pause();
    for (let call = 0; call < 150; call++) socket.write(rawPost(requestText('big')));
    await settle();
    await settle();
    // Pending requests, and some whose responses are in the socket buffers.
    expect(service.calls.length).toBeLessThan(120);
    const answers = receive(socket, (text) => text.length > 150 * 1_000_100 && text.endsWith('}'));
    socket.resume();
    expect((await answers).split('HTTP/1.1 200 OK').length - 1).toBe(150);
  });
});

describe('disconnecting HTTP clients', () => {
  it('a disconnect within a body leaves no call and no timer', async () => {
    const service = new FakeService();
    const server = await startTestServer({}, service);
    const half = rawPost(requestText('m')).slice(0, -5);
    const rude = await openSocket(server);
    rude.write(half);
    await settle();
    rude.resetAndDestroy();
    const polite = await openSocket(server);
    polite.end(half);
    expect(await receive(polite)).toMatch(/^HTTP\/1.1 400 Bad Request/);
    await settle();
    expect(service.calls).toEqual([]);
    expect(server.timers.pendingCount).toBe(0);
  });

  it('a disconnect before the responses closes all its calls', async () => {
    const never = new Latch();
    const service = new FakeService({ wait: () => never.opened });
    const server = await startTestServer({}, service);
    const socket = await openSocket(server);
    socket.write(rawPost(requestText('wait')) + rawPost(requestText('wait')));
    await settle();
    const [one, other] = service.connections;
    const closed = Promise.all([one, other].map((call) => new Promise<void>((gone) => call?.onClose(gone))));
    expect([one?.isClosed, other?.isClosed]).toEqual([false, false]);
    socket.destroy();
    await closed;
    expect([one?.isClosed, other?.isClosed]).toEqual([true, true]);
  });
});

describe('idle HTTP connections', () => {
  it('an idle connection is closed after 65 seconds', async () => {
    const server = await startTestServer();
    const silent = (await openSocket(server)).resume();
    const idle = await openSocket(server);
    for (let call = 0; call < 2; call++) {
      const answer = responses(idle, 1);
      idle.write(rawPost(requestText('m')));
      await answer;
      sweep(server, 13);
    }
    const closed = once(idle, 'close');
    await settle();
    expect([silent.closed, idle.closed]).toEqual([true, false]);
    sweep(server, 1);
    await closed;
    expect(server.timers.pendingCount).toBe(0);
  });

  it('a connection that waits for the rest of a body is not closed', async () => {
    const server = await startTestServer();
    const socket = await openSocket(server);
    const answers = responses(socket, 2);
    const text = rawPost(requestText('m', ['slow']));
    socket.write(text.slice(0, -20));
    await settle();
    sweep(server, 2);
    // The sweep ignores connections of node:http.
    expect(server.timers.pendingCount).toBe(0);
    sweep(server, 20);
    socket.write(text.slice(-20) + rawPost(requestText('m', ['next'])));
    expect(resultsIn(await answers)).toEqual([['slow'], ['next']]);
  });

  it('a connection with a pending request is not closed', async () => {
    const slow = new Latch();
    const server = await startTestServer({}, new FakeService({ slow: () => slow.opened.then(() => 'done') }));
    const socket = await openSocket(server);
    const answer = responses(socket, 1);
    socket.write(rawPost(requestText('slow')));
    await settle();
    sweep(server, 30);
    slow.open();
    expect(resultsIn(await answer)).toEqual(['done']);
  });
});

describe('a closing HTTP server', () => {
  it('closes idle connections, and waits for incomplete requests and their responses', async () => {
    const server = await startTestServer();
    const resting = await Promise.all(Array.from({ length: 50 }, () => openSocket(server)));
    const answered = resting.slice(25).map((socket) => {
      socket.write(rawPost(requestText('m')));
      return responses(socket, 1);
    });
    await Promise.all(answered);
    const half = await openSocket(server);
    const answer = receive(half);
    const text = rawPost(requestText('m', ['half']));
    half.write(text.slice(0, -5));
    await settle();
    const ended = Promise.all(resting.map((socket) => receive(socket)));
    const closed = server.close();
    await ended;
    half.write(text.slice(-5));
    expect(resultsIn(await answer)).toEqual([['half']]);
    await closed;
    expect(server.timers.pendingCount).toBe(0);
  });

  it('aborts an incomplete body after the grace period', async () => {
    const server = await startTestServer({ gracePeriod: 1_000 });
    const socket = await openSocket(server);
    socket.write(rawPost(requestText('m')).slice(0, -5));
    await settle();
    const closed = server.close();
    server.timers.advance(1_000);
    expect(await receive(socket)).toBe('');
    await closed;
  });

  it('serves the request after a pending one, even if it is not a call', async () => {
    const slow = new Latch();
    const server = await startTestServer({}, new FakeService({ slow: () => slow.opened.then(() => 'slow') }));
    const socket = await openSocket(server);
    const answers = receive(socket);
    socket.write(rawPost(requestText('slow')) + GET);
    await settle();
    const closed = server.close();
    slow.open();
    expect(await answers).toMatch(/"result":"slow"}HTTP\/1.1 405 /);
    await closed;
  });
});
