import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FakeService, SampleError } from './fake-service.ts';
import { Latch } from './latch.ts';
import {
  errorAnswer,
  openSocket,
  rawPost,
  receive,
  requestText,
  send,
  startTestServer,
} from './test-server.ts';

const JSON_HEADERS = { 'Content-Type': 'application/json' };

describe('HTTP calls', () => {
  it('a call returns status 200, JSON and its length', async () => {
    const server = await startTestServer();
    const { status, headers, json, text } = await send(server, requestText('m', ['é']));
    expect(status).toBe(200);
    expect(json).toEqual({ jsonrpc: '2.0', id: 1, result: ['é'] });
    expect(headers['content-type']).toBe('application/json');
    expect(headers['content-length']).toBe(String(Buffer.byteLength(text)));
  });

  it.each([
    [requestText('fail'), errorAnswer(-32015, 'reverted', 1)],
    ['nonsense', errorAnswer(-32700, 'parse error')],
    ['', errorAnswer(-32700, 'parse error')],
    ['[]', errorAnswer(-32600, 'batch is empty')],
  ])('a failed call returns status 200 (%s)', async (body, answer) => {
    const service = new FakeService({ fail: () => Promise.reject(new SampleError('reverted')) });
    const server = await startTestServer({}, service);
    expect(await send(server, body)).toMatchObject({ status: 200, json: answer });
  });

  it('a notification returns status 204 without a body', async () => {
    const service = new FakeService();
    const server = await startTestServer({}, service);
    const { status, text } = await send(server, '{"jsonrpc":"2.0","method":"m"}');
    expect({ status, text }).toEqual({ status: 204, text: '' });
    expect(service.calls).toHaveLength(1);
  });

  it('a batch above the limit is rejected with the option', async () => {
    const server = await startTestServer({ batchLimit: 1 });
    const { json } = await send(server, `[${requestText('m')},${requestText('m')}]`);
    expect(json).toEqual(errorAnswer(-32600, '--batch-limit'));
  });

  it('the service gets the client address and its disconnect', async () => {
    const closed = new Latch();
    const service = new FakeService({ m: (_params, connection) => connection.onClose(closed.open) });
    const server = await startTestServer({}, service);
    await send(server, requestText('m'));
    await closed.opened;
    expect(service.connections).toMatchObject([
      { transport: 'http', notify: null, remoteAddress: '127.0.0.1' },
    ]);
    let calledAtOnce = 0;
    service.connections[0]?.onClose(() => {
      calledAtOnce += 1;
    });
    expect(calledAtOnce).toBe(1);
  });

  it('an internal error is reported', async () => {
    const server = await startTestServer({}, new FakeService({ m: () => Promise.reject(new Error('bug')) }));
    const { json } = await send(server, requestText('m'));
    expect(json).toEqual(errorAnswer(-32603, 'internal error: bug', 1));
    expect(server.internalErrors).toEqual([new Error('bug')]);
  });
});

describe('HTTP connections', () => {
  it('a connection is kept alive, also after a rejected request', async () => {
    const server = await startTestServer();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const reused: boolean[] = [];
    for (const contentType of ['application/json', 'text/plain', 'application/json']) {
      const request = httpRequest({
        agent,
        port: server.port,
        host: '127.0.0.1',
        method: 'POST',
        headers: { 'Content-Type': contentType },
      });
      request.end(requestText('m'));
      const [response] = await once(request, 'response');
      response.resume();
      await once(response, 'end');
      reused.push(request.reusedSocket);
    }
    expect(reused).toEqual([false, true, true]);
  });

  it('pipelined responses are in order', async () => {
    const slow = new Latch();
    const service = new FakeService({
      slow: () => slow.opened,
      fast: () => {
        slow.open();
        return 'fast';
      },
    });
    const server = await startTestServer({}, service);
    const socket = await openSocket(server);
    const answers = receive(socket, (text) => text.split('HTTP/1.1').length === 4 && text.endsWith('}'));
    socket.write(
      rawPost(requestText('slow', [], 1)) +
        rawPost(requestText('fast', [], 2)) +
        rawPost(requestText('x', [], 3)),
    );
    const ids = [...(await answers).matchAll(/"id":(\d)/g)].map(([, id]) => id);
    expect(ids).toEqual(['1', '2', '3']);
  });

  it('an upgrade to another protocol than WebSocket is ignored', async () => {
    const server = await startTestServer();
    const socket = await openSocket(server);
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => {
      process.off('warning', onWarning);
    });
    const offer = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'];
    for (let id = 0; id < 20; id += 1) {
      const text = rawPost(requestText('m', ['h2c?'], id), offer);
      socket.write(text.slice(0, -5));
      socket.write(text.slice(-5));
      const [answer] = await once(socket, 'data');
      expect(String(answer)).toMatch(/^HTTP\/1.1 200 OK/);
      expect(String(answer)).toContain(`"id":${id},"result":["h2c?"]}`);
    }
    expect(warnings).toEqual([]);
  });

  it('a disconnect within a body or before the response has no other effect', async () => {
    const called = new Latch();
    const gone = new Latch();
    const service = new FakeService({
      wait: (_params, connection) => {
        connection.onClose(gone.open);
        called.open();
        return gone.opened;
      },
    });
    const server = await startTestServer({}, service);
    const half = await openSocket(server);
    half.end(rawPost(requestText('m')).slice(0, -10));
    await receive(half);
    const waiting = await openSocket(server);
    waiting.write(rawPost(requestText('wait')));
    await called.opened;
    waiting.destroy();
    await gone.opened;
    expect(await send(server, requestText('m'))).toMatchObject({ status: 200 });
    expect(service.calls.map(({ method }) => method)).toEqual(['wait', 'm']);
  });
});

describe('HTTP methods', () => {
  it.each(['GET', 'PUT', 'DELETE', 'PATCH'])('%s is rejected with status 405', async (method) => {
    const { status, headers, json } = await send(await startTestServer(), '', { method });
    expect(status).toBe(405);
    expect(headers.allow).toBe('POST, OPTIONS');
    expect(json).toEqual(errorAnswer(-32600, `${method} is not supported`));
  });

  it('HEAD is rejected without a body', async () => {
    const { status, text } = await send(await startTestServer(), '', { method: 'HEAD' });
    expect({ status, text }).toEqual({ status: 405, text: '' });
  });
});

describe('content types', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/json-rpc',
    'application/vnd.api+json;x=y',
  ])('%s is accepted', async (type) => {
    const server = await startTestServer();
    expect(await send(server, requestText('m'), { headers: { 'Content-Type': type } })).toMatchObject({
      status: 200,
    });
  });

  it.each([
    undefined,
    'text/plain',
    'application/jsonx',
    'text/html; x=application/json',
    'application/x-json',
  ])('%s is rejected with status 415', async (type) => {
    const server = await startTestServer();
    const headers = type === undefined ? {} : { 'Content-Type': type };
    const { status, json } = await send(server, requestText('m'), { headers });
    expect(status).toBe(415);
    expect(json).toEqual(errorAnswer(-32600, 'Content-Type: application/json'));
  });

  it.each(['gzip', 'deflate', 'br'])(
    'a body compressed with %s is rejected with status 415',
    async (encoding) => {
      const server = await startTestServer();
      const headers = { ...JSON_HEADERS, 'Content-Encoding': encoding };
      const { status, json } = await send(server, requestText('m'), { headers });
      expect(status).toBe(415);
      expect(json).toEqual(errorAnswer(-32600, 'compressed'));
    },
  );
});

describe('body limit', () => {
  const body = requestText('m', ['x'.repeat(3_000_000)]);

  it('a declared length above the limit is rejected with status 413 and the option', async () => {
    const service = new FakeService();
    const server = await startTestServer({ bodyLimit: 1_000 }, service);
    const { status, json, headers } = await send(server, body, {
      headers: { ...JSON_HEADERS, 'Content-Length': body.length },
    });
    expect(status).toBe(413);
    expect(json).toEqual(errorAnswer(-32600, /limit of 1000 bytes.*--body-limit/));
    expect(headers.connection).toBe('close');
    expect(service.calls).toEqual([]);
  });

  it('a chunked body above the limit is rejected with status 413', async () => {
    const server = await startTestServer({ bodyLimit: 1_000 });
    const headers = { ...JSON_HEADERS, 'Transfer-Encoding': 'chunked' };
    expect(await send(server, body, { headers })).toMatchObject({
      status: 413,
      json: errorAnswer(-32600, '--body-limit'),
    });
  });

  it('a rejected body is still read, for clients that read the response afterwards', async () => {
    const server = await startTestServer({ bodyLimit: 1_000 });
    const socket = await openSocket(server);
    socket.pause();
    await new Promise((resolve) => socket.write(rawPost(body), resolve));
    const answer = receive(socket);
    socket.resume();
    expect(await answer).toMatch(/^HTTP\/1.1 413 .*--body-limit/s);
  });

  it('a rejected body is read for at most 2 seconds', async () => {
    const server = await startTestServer({ bodyLimit: 1_000 });
    const socket = await openSocket(server);
    const refused = receive(socket, (text) => text.includes('--body-limit'));
    const closed = receive(socket);
    socket.write(rawPost(body).slice(0, 5_000));
    await refused;
    server.timers.advance(2_000);
    expect(await closed).toMatch(/^HTTP\/1.1 413 /);
  });

  it('a body of exactly the limit is accepted', async () => {
    const exact = requestText('m', ['é']);
    const server = await startTestServer({ bodyLimit: Buffer.byteLength(exact) });
    expect(await send(server, exact)).toMatchObject({ status: 200 });
    expect(await send(server, `${exact} `)).toMatchObject({ status: 413 });
  });
});
