import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HttpAnswer } from '../../../src/fork/upstream/http-post.ts';
import { httpTransport } from '../../../src/fork/upstream/http-transport.ts';
import { PublicNetwork } from '../../../src/fork/upstream/public-network.ts';
import { nextIteration } from '../../../src/scheduling/cancel-check.ts';

const ANSWER = JSON.stringify({ jsonrpc: '2.0', id: 0, result: '0x21' });
const KEPT_ANSWER = `HTTP/1.1 200 OK\r\ncontent-length: ${ANSWER.length}\r\n\r\n${ANSWER}`;

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => server.closeAllConnections());
  return `http://127.0.0.1:${await portOf(server)}/`;
}

interface Scene {
  post(url: string, headers?: Readonly<Record<string, string>>): Promise<HttpAnswer>;
  /** Aborts pending requests. */
  readonly ending: AbortController;
  readonly closing: AbortController;
}

function scene(network?: PublicNetwork): Scene {
  const transport = httpTransport(network === undefined ? {} : { network });
  const ending = new AbortController();
  const closing = new AbortController();
  onTestFinished(() => closing.abort());
  return {
    ending,
    closing,
    post: (url, headers = {}) =>
      transport({ url, headers, body: '{"method":"é"}', signal: ending.signal, closing: closing.signal }),
  };
}

describe('httpTransport', () => {
  it('sends the body, the headers and the credentials of the URL', async () => {
    const received: unknown[] = [];
    const url = await serve((request, response) => {
      const { authorization, 'x-team': team, 'content-type': type } = request.headers;
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        received.push({ authorization, team, type, url: request.url, body: String(Buffer.concat(chunks)) });
        response.end(ANSWER);
      });
    });

    await scene().post(`${url.replace('//', '//user:p%40ss@')}v3?key=1#part`, { 'x-team': 'blue' });

    expect(received).toEqual([
      {
        authorization: `Basic ${Buffer.from('user:p@ss').toString('base64')}`,
        team: 'blue',
        type: 'application/json',
        url: '/v3?key=1',
        body: '{"method":"é"}',
      },
    ]);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', Buffer.from],
  ] as const)('decodes the content encoding %s', async (encoding, encode) => {
    const url = await serve((_request, response) => {
      response.setHeader('content-encoding', encoding).end(encode(Buffer.from(ANSWER)));
    });

    expect(await scene().post(url)).toEqual({ status: 200, retryAfter: null, text: ANSWER });
  });

  it('removes a byte order mark', async () => {
    const url = await serve((_request, response) => response.end(`\uFEFF${ANSWER}`));

    expect((await scene().post(url)).text).toBe(ANSWER);
  });

  it('returns status and Retry-After of an error response', async () => {
    const url = await serve((_request, response) =>
      response.writeHead(429, { 'retry-after': '7' }).end('slow down'),
    );

    expect(await scene().post(url)).toEqual({ status: 429, retryAfter: '7', text: 'slow down' });
  });

  it('sends requests in sequence on one connection, until closing aborts', async () => {
    let connections = 0;
    const server = createServer((_request, response) => response.end(ANSWER));
    server.on('connection', () => connections++);
    const url = `http://127.0.0.1:${await portOf(server)}/`;
    const { post, closing } = scene();
    for (let count = 0; count < 5; count++) await post(url);
    const isClosed = new Promise((resolve) => server.close(resolve));

    closing.abort();

    await isClosed;
    expect(connections).toBe(1);
  });

  it('repeats a request once if its idle connection ended', async () => {
    const requests: number[] = [];
    const server = createSocketServer((socket) => {
      const connection = requests.push(0) - 1;
      socket.on('error', () => {});
      socket.on('data', () => {
        requests[connection] = (requests[connection] ?? 0) + 1;
        // The first two connections fail at their second request.
        if (connection < 2 && requests[connection] === 2) socket.resetAndDestroy();
        else socket.write(KEPT_ANSWER);
      });
    });
    const url = `http://127.0.0.1:${await portOf(server)}/`;
    const { post } = scene();
    await Promise.all([post(url), post(url)]);

    expect((await post(url)).text).toBe(ANSWER);
    expect(requests.reduce((sum, count) => sum + count)).toBe(4);
    expect(requests).toHaveLength(3);
  });

  it('rejects if a new connection is reset', async () => {
    const server = createSocketServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.resetAndDestroy());
    });

    await expect(scene().post(`http://127.0.0.1:${await portOf(server)}/`)).rejects.toMatchObject({
      code: 'ECONNRESET',
    });
  });

  it('rejects if the connection ends within the response', async () => {
    const server = createSocketServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'));
    });

    await expect(scene().post(`http://127.0.0.1:${await portOf(server)}/`)).rejects.toThrow('aborted');
  });

  it('rejects with the system error of an unused port', async () => {
    const server = createSocketServer();
    const port = await portOf(server);
    await new Promise((resolve) => server.close(resolve));

    await expect(scene().post(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({
      code: 'ECONNREFUSED',
      message: `connect ECONNREFUSED 127.0.0.1:${port}`,
    });
    await expect(scene().post(`http://localhost:${port}/`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('rejects a port that fetch blocks', async () => {
    await expect(scene().post('http://127.0.0.1:6666/')).rejects.toThrow('fetch() blocks it');
  });

  it.each(['before the response', 'within the response'])('aborts a request %s', async (moment) => {
    let reach: () => void = () => {};
    const reached = new Promise<void>((resolve) => {
      reach = resolve;
    });
    const url = await serve((_request, response) => {
      if (moment === 'within the response') response.write('half');
      reach();
    });
    const { post, ending } = scene();
    const answer = post(url);
    answer.catch(() => {});
    await reached;
    await nextIteration();

    ending.abort(new Error('too late'));

    await expect(answer).rejects.toThrow('too late');
    await expect(post(url)).rejects.toThrow('too late');
  });

  it('follows a redirect within an origin, with all headers', async () => {
    const keys: unknown[] = [];
    const url = await serve((request, response) => {
      keys.push(request.headers['x-key']);
      if (request.url === '/') response.writeHead(308, { location: '/rpc' }).end();
      else response.end(ANSWER);
    });

    expect((await scene().post(url, { 'x-key': 'secret' })).text).toBe(ANSWER);
    expect(keys).toEqual(['secret', 'secret']);
  });

  it('follows a redirect to another origin only without headers', async () => {
    let requests = 0;
    const other = await serve((_request, response) => {
      requests++;
      response.end(ANSWER);
    });
    const url = await serve((_request, response) =>
      response.writeHead(307, { location: `${other}v3/abcdef0123456789abcd` }).end(),
    );

    expect(await scene().post(url, { 'x-key': 'secret' })).toEqual({
      status: 307,
      retryAfter: null,
      text: `redirect to ${other}v3/***; use this URL instead`,
    });
    expect(requests).toBe(0);
    expect((await scene().post(url)).text).toBe(ANSWER);
  });

  it('stops after five redirects', async () => {
    let requests = 0;
    const url = await serve((_request, response) => {
      requests++;
      response.writeHead(307, { location: '/again' }).end();
    });

    expect(await scene().post(url)).toMatchObject({ status: 307 });
    expect(requests).toBe(6);
  });

  it('limits the decoded length of a response from the public internet', async () => {
    const bomb = gzipSync(Buffer.alloc(17 * 1024 * 1024));
    const url = await serve((_request, response) => {
      response.setHeader('content-encoding', 'gzip').end(bomb);
    });
    const network = new PublicNetwork(undefined, () => true);

    await expect(scene(network).post(url)).rejects.toThrow('its response is longer than 16 MiB');
  });
});
