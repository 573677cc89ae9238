import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { FakeService } from './fake-service.ts';
import { errorAnswer, openSocket, receive, requestText, send, startTestServer } from './test-server.ts';
import { WebSocketClient } from './websocket-client.ts';

const JSON_HEADERS = { 'Content-Type': 'application/json' };

describe('request paths', () => {
  it.each(['/', '/any-key', '/any-key/', '/?query=1', '/key?a=/b/c', 'http://localhost/key'])(
    '%s is served without API keys',
    async (path) => {
      expect(
        await send(await startTestServer(), requestText('m'), { path, headers: JSON_HEADERS }),
      ).toMatchObject({
        status: 200,
      });
    },
  );

  it.each(['/a/b', '/a/b/c', '//a//b'])('%s is rejected with status 404', async (path) => {
    const { status, json } = await send(await startTestServer(), requestText('m'), {
      path,
      headers: JSON_HEADERS,
    });
    expect(status).toBe(404);
    expect(json).toEqual(errorAnswer(-32600, '--api-key'));
  });

  it.each(['/secret', '/secret/', '/s%65cret', '/other%20key?x'])(
    '%s is served with an API key',
    async (path) => {
      const server = await startTestServer({ apiKeys: ['secret', 'other key'] });
      expect(await send(server, requestText('m'), { path, headers: JSON_HEADERS })).toMatchObject({
        status: 200,
      });
    },
  );

  it.each(['/', '/wrong', '/Secret', '/%', '/?secret'])(
    '%s is rejected with status 401 without a valid API key',
    async (path) => {
      const service = new FakeService();
      const server = await startTestServer({ apiKeys: ['secret', 'other key'] }, service);
      const { status, json } = await send(server, requestText('m'), { path, headers: JSON_HEADERS });
      expect(status).toBe(401);
      expect(json).toEqual(errorAnswer(-32001, '--api-key'));
      expect(service.calls).toEqual([]);
    },
  );
});

describe('requests from web pages', () => {
  const from = (origin: string) => ({ headers: { ...JSON_HEADERS, Origin: origin } });

  it('a local page may call and read the response', async () => {
    const { status, headers } = await send(
      await startTestServer(),
      requestText('m'),
      from('http://localhost:3000'),
    );
    expect(status).toBe(200);
    expect(headers['access-control-allow-origin']).toBe('http://localhost:3000');
    expect(headers.vary).toBe('Origin');
  });

  it('a page of another origin is rejected with status 403 and the option', async () => {
    const service = new FakeService();
    const server = await startTestServer({}, service);
    const { status, json, headers } = await send(server, requestText('m'), from('https://evil.example'));
    expect(status).toBe(403);
    expect(json).toEqual(errorAnswer(-32001, '--allow-origin'));
    expect(service.calls).toEqual([]);
    // The page may read the reason, so that its developer sees it.
    expect(headers['access-control-allow-origin']).toBe('https://evil.example');
  });

  it('--allow-origin allows the listed pages and no local ones', async () => {
    const server = await startTestServer({ allowOrigins: ['https://app.example'] });
    expect(await send(server, requestText('m'), from('https://app.example'))).toMatchObject({ status: 200 });
    expect(await send(server, requestText('m'), from('http://localhost'))).toMatchObject({ status: 403 });
  });

  it('a page may read other rejections', async () => {
    const server = await startTestServer({ apiKeys: ['secret'] });
    const { status, headers } = await send(server, requestText('m'), from('http://localhost'));
    expect(status).toBe(401);
    expect(headers['access-control-allow-origin']).toBe('http://localhost');
  });

  it('a preflight response allows the requested method and headers', async () => {
    const server = await startTestServer({ apiKeys: ['secret'] });
    const { status, headers, text } = await send(server, '', {
      method: 'OPTIONS',
      path: '/secret',
      headers: {
        Origin: 'http://localhost:3000',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type, x-custom',
        'Access-Control-Request-Private-Network': 'true',
      },
    });
    expect({ status, text }).toEqual({ status: 204, text: '' });
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'http://localhost:3000',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type, x-custom',
      'access-control-allow-private-network': 'true',
      vary: 'Origin',
    });
  });

  it('a preflight response allows no unrequested headers or networks', async () => {
    const { headers } = await send(await startTestServer(), '', {
      method: 'OPTIONS',
      headers: { Origin: 'http://localhost' },
    });
    expect(headers['access-control-allow-private-network']).toBeUndefined();
    expect(headers['access-control-allow-headers']).toBeUndefined();
  });

  it('a preflight of another origin is answered, without access to private networks', async () => {
    const { status, headers } = await send(await startTestServer(), '', {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://evil.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type',
        'Access-Control-Request-Private-Network': 'true',
      },
    });
    expect(status).toBe(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'https://evil.example',
      'access-control-allow-headers': 'content-type',
      'access-control-max-age': '0',
    });
    expect(headers['access-control-allow-private-network']).toBeUndefined();
  });

  it('a page may read the rejection of the host', async () => {
    const { status, headers } = await send(await startTestServer(), requestText('m'), {
      headers: { ...JSON_HEADERS, Origin: 'http://localhost:3000', Host: 'node.example' },
    });
    expect(status).toBe(403);
    expect(headers['access-control-allow-origin']).toBe('http://localhost:3000');
  });
});

describe('Host header', () => {
  const to = (host: string) => ({ headers: { ...JSON_HEADERS, Host: host } });

  it('an unknown host is rejected with status 403 and the option', async () => {
    const service = new FakeService();
    const server = await startTestServer({}, service);
    const { status, json } = await send(server, requestText('m'), to('rebound.example:8545'));
    expect(status).toBe(403);
    expect(json).toEqual(errorAnswer(-32001, /rebound\.example.*--allow-host/));
    expect(service.calls).toEqual([]);
  });

  it('a host of --allow-host is served', async () => {
    const server = await startTestServer({ allowHosts: ['chain'] });
    expect(await send(server, requestText('m'), to('chain:8545'))).toMatchObject({ status: 200 });
    expect(await send(server, requestText('m'), to('localhost'))).toMatchObject({ status: 200 });
  });

  it('a preflight with an unknown host is rejected', async () => {
    const server = await startTestServer();
    expect(await send(server, '', { method: 'OPTIONS', headers: { Host: 'rebound.example' } })).toMatchObject(
      { status: 403 },
    );
  });

  it('an unknown host in an absolute request target is rejected', async () => {
    const server = await startTestServer();
    const target = { ...to('localhost'), path: 'http://rebound.example/' };
    expect(await send(server, requestText('m'), target)).toMatchObject({ status: 403 });
  });

  it.each([
    ['POST / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n'],
    ['POST / HTTP/1.1\r\nHost: localhost\r\nhost: evil.example\r\n'],
    ['POST / HTTP/1.1\r\nHost: evil.example\r\nHOST: localhost\r\n'],
    ['GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n'],
    [
      'GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n',
    ],
  ])('a repeated Host header is rejected with status 400 (%j)', async (head) => {
    const service = new FakeService();
    const socket = await openSocket(await startTestServer({}, service));
    const body = requestText('m');
    const answered = receive(socket, (text) => text.includes('}}'));
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    const text = await answered;
    expect(text).toMatch(/^HTTP\/1.1 400 /);
    expect(text).toContain('more than one Host header');
    expect(service.calls).toEqual([]);
  });
});

describe('rejection hooks', () => {
  it('onRejected and onInvalidMessage receive each rejection with its headers', async () => {
    const told: string[] = [];
    const server = await startTestServer({ apiKeys: ['secret'], bodyLimit: 100 }, new FakeService(), {
      onRejected: (refusal, { host, origin }) => told.push(`${refusal.status} ${host} ${origin}`),
      onInvalidMessage: ({ remoteAddress }, error) => told.push(`${error.code} ${remoteAddress}`),
    });
    const post = (headers: Record<string, string>, body = '{}', path = '/secret'): Promise<unknown> =>
      send(server, body, { path, headers: { ...JSON_HEADERS, Host: 'localhost', ...headers } });
    await post({ Origin: 'https://evil.example' });
    await post({ Host: 'evil.example' });
    await post({}, '{}', '/wrong');
    await post({ 'Content-Type': 'text/plain' });
    await post({}, 'x'.repeat(101));
    await post({}, 'x');
    const client = await WebSocketClient.open(server, '/secret', { headers: { Host: 'localhost' } });
    const closed = once(client.socket, 'close');
    client.socket.send('x'.repeat(101));
    await closed;
    const refused = WebSocketClient.open(server, '/secret', { headers: { Host: 'evil.example' } });
    await expect(refused).rejects.toThrow();
    expect(told).toEqual([
      '403 localhost https://evil.example',
      '403 evil.example undefined',
      '401 localhost undefined',
      '415 localhost undefined',
      '413 localhost undefined',
      '-32700 127.0.0.1',
      '413 localhost undefined',
      '403 evil.example undefined',
    ]);
  });
});
