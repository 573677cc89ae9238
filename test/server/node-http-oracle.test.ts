import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { PeerTable } from '../../src/node/peer-table.ts';
import { AccessControl } from '../../src/server/access-control.ts';
import { createHttpListener } from '../../src/server/http.ts';
import { defaultServerOptions, type ServerOptions } from '../../src/server/options.ts';
import { FakeService } from './fake-service.ts';
import { ManualTimers } from './manual-timers.ts';
import { requestText, startTestServer } from './test-server.ts';

const OPTIONS: ServerOptions = { ...defaultServerOptions, port: 0, bodyLimit: 200, apiKeys: ['key', ''] };

/**
 * The same service behind node:http alone. It reads the first bytes like a stream, because its response to a
 * broken pipelined request depends on it.
 */
async function startNodeHttp(): Promise<number> {
  const peers = new PeerTable(() => []);
  const hooks = {
    timers: new ManualTimers(),
    peers,
    onInternalError: () => undefined,
    health: () => ({ chainId: 33, blockNumber: 7, lanes: 0, isEnding: false }),
  };
  const options = { ...OPTIONS, access: new AccessControl(OPTIONS, peers), hooks };
  const server = createServer({ keepAliveTimeout: 65_000 }, createHttpListener(new FakeService(), options));
  const [serve] = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket) => {
    socket.once('data', (bytes) => {
      socket.pause();
      socket.unshift(bytes);
      serve?.call(server, socket);
      socket.resume();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/** The reply to these bytes, without further data. */
function replyTo(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes, 'latin1'));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', (error) => {
      text += error.message;
    });
    socket.on('close', () => resolve(text.replace(/^Date: .*$/gm, 'Date: now')));
  });
}

const REFUSAL = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n';

/**
 * Fails unless the replies are equal. node:http drops a response if a broken request follows in the same
 * data.
 */
function checkReply(actual: string, expected: string): void {
  const mayForget = [actual, expected].every((reply) => reply.endsWith(REFUSAL));
  const answers = (reply: string) => (mayForget ? reply.slice(0, -REFUSAL.length) : reply);
  expect(answers(actual).slice(0, mayForget ? answers(expected).length : undefined)).toBe(answers(expected));
}

const usual = (weight: number, value: string) => ({ weight, arbitrary: fc.constant(value) });

const requestLine = fc.oneof(
  usual(20, 'POST / HTTP/1.1'),
  usual(4, 'POST /key HTTP/1.1'),
  { weight: 1, arbitrary: fc.webPath().map((path) => `POST /${path} HTTP/1.1`) },
  fc.constantFrom(
    'POST /%6bey HTTP/1.1',
    'POST /wrong HTTP/1.1',
    'POST /a/b HTTP/1.1',
    'POST /?key HTTP/1.1',
    'POST / HTTP/1.0',
    'POST  / HTTP/1.1',
    'POST * HTTP/1.1',
    'POST http://localhost/ HTTP/1.1',
    'POST / HTTP/1.1 ',
    'post / HTTP/1.1',
    'GET / HTTP/1.1',
    'OPTIONS / HTTP/1.1',
    '',
  ),
);

const host = fc.oneof(
  usual(20, 'Host: localhost:8545'),
  fc.constantFrom(
    'Host: 127.0.0.1',
    'host:[::1]:80',
    'Host: evil.example',
    'Host:',
    'X-Host: none',
    'Host: evil.example\r\nHost: localhost',
  ),
);

const contentType = fc.oneof(
  usual(20, 'Content-Type: application/json'),
  fc.constantFrom(
    'content-type: application/json; charset=utf-8',
    'Content-Type: text/plain',
    'Content-Type: text/plain\r\nContent-Type: application/json',
    'Content-Type: application/json\r\nContent-Encoding: gzip',
    'X-Type: none',
  ),
);

/** How the body length is declared. */
const framing = fc.oneof<fc.MaybeWeightedArbitrary<(length: number) => string>[]>(
  { weight: 20, arbitrary: fc.constant((length: number) => `Content-Length: ${length}`) },
  fc.constantFrom(
    (length: number) => `Content-Length: ${length + 1}`,
    (length: number) => `Content-Length: ${Math.max(0, length - 1)}`,
    (length: number) => `Content-Length: 0${length}`,
    (length: number) => `Content-Length: ${length} `,
    (length: number) => `Content-Length:   ${length}`,
    (length: number) => `Content-Length: +${length}`,
    (length: number) => `Content-Length: ${length}\r\nContent-Length: ${length}`,
    (length: number) => `Content-Length: ${length}, ${length}`,
    (length: number) => `Content-Length: ${length}\r\nTransfer-Encoding: chunked`,
    () => 'Transfer-Encoding: chunked',
    () => 'Content-Length: 1000',
    () => 'X-Length: none',
  ),
);

const otherHeader = fc.oneof(
  fc.constantFrom(
    'Accept: */*',
    'Connection: keep-alive',
    'Connection: Keep-Alive',
    'Connection: close',
    'Connection: foo',
    'Proxy-Connection: close',
    'Keep-Alive: timeout=1',
    'Expect: 100-continue',
    'Expect: something',
    'Origin: http://localhost:3000',
    'Origin: http://evil.example',
    'X-Folded: a\r\n b',
    'X-Feed: a\nX-Other: b',
    'X-Return: a\rb',
    'X-Space : a',
    'X-Empty:',
    'X-High: \u00e9',
    'X\u00e9: a',
    ' X: a',
  ),
  fc
    .tuple(fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 }))
    .map(([name, value]) => `${name}:${value}`),
);

const body = fc.oneof(
  usual(5, requestText('m')),
  fc.string({ maxLength: 20 }).map((text) => Buffer.from(requestText('m', [text])).toString('latin1')),
  fc.constantFrom(
    '',
    '{"method":"notified"}',
    '{',
    '\xff"\xc3',
    '0\r\n\r\n',
    requestText('m', ['x'.repeat(200)]),
  ),
);

const request = fc
  .tuple(requestLine, host, contentType, framing, fc.array(otherHeader, { maxLength: 2 }), fc.nat(), body)
  .map(([line, hostLine, type, lengthOf, others, seed, text]) => {
    const headers = [hostLine, type, lengthOf(text.length)];
    for (const other of others) headers.splice(seed % (headers.length + 1), 0, other);
    return [line, ...headers, '', text].join('\r\n');
  });

/** Bytes with one byte removed, inserted or replaced. */
const damaged = fc
  .tuple(
    request,
    fc.nat(),
    fc.nat({ max: 1 }),
    fc.constantFrom('', ' ', '\r', '\n', '\r\n', '\0', ':', 'x', '\t'),
  )
  .map(([text, position, removed, inserted]) => {
    const start = position % (text.length + 1);
    return text.slice(0, start) + inserted + text.slice(start + removed);
  });

const ordinary = body
  .filter((text) => text.length <= 200)
  .map((text) =>
    [
      'POST /key HTTP/1.1',
      'Host: localhost',
      'Content-Type: application/json',
      `Content-Length: ${text.length}`,
      '',
      text,
    ].join('\r\n'),
  );

it('the server responds to random requests like node:http', async () => {
  const { port } = await startTestServer(OPTIONS);
  const nodePort = await startNodeHttp();
  const before = fc.array(ordinary, { maxLength: 3 });
  const last = fc.oneof(request, damaged);
  await fc.assert(
    fc.asyncProperty(before, last, async (calls, bytes) => {
      const expected = await Promise.all([...calls, bytes].map((each) => replyTo(nodePort, each)));
      checkReply(await replyTo(port, calls.join('') + bytes), expected.join(''));
    }),
    { numRuns: 2_000 },
  );
});
