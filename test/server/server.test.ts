import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import {
  AddressForbiddenError,
  AddressInUseError,
  listenError,
  ReservedPortError,
  UnknownHostError,
} from '../../src/server/errors.ts';
import { defaultServerOptions } from '../../src/server/options.ts';
import { urlOf } from '../../src/server/server.ts';
import { FakeService } from './fake-service.ts';
import { Latch } from './latch.ts';
import { openSocket, rawPost, receive, requestText, send, startTestServer } from './test-server.ts';
import { WebSocketClient } from './websocket-client.ts';

describe('server start', () => {
  it('port 0 selects a free port, and the URL contains it', async () => {
    const { host, port, url } = await startTestServer();
    expect(host).toBe('127.0.0.1');
    expect(port).toBeGreaterThan(0);
    expect(url).toBe(`http://127.0.0.1:${port}`);
  });

  it('urlOf writes an IPv6 address in brackets', () => {
    expect(urlOf('::1', 8545)).toBe('http://[::1]:8545');
  });

  it('a port in use is reported with the option', async () => {
    const { port } = await startTestServer();
    const second = startTestServer({ port });
    await expect(second).rejects.toBeInstanceOf(AddressInUseError);
    await expect(second).rejects.toMatchObject({
      name: 'AddressInUseError',
      host: '127.0.0.1',
      port,
      message: `port ${port} on 127.0.0.1 is already in use; choose another with --port (0 picks a free one)`,
    });
  });

  it('a foreign host address is reported with the option', async () => {
    const start = startTestServer({ host: '192.0.2.1' });
    await expect(start).rejects.toBeInstanceOf(UnknownHostError);
    await expect(start).rejects.toThrow(/^192\.0\.2\.1 is not .*--host$/);
  });

  it.each([
    ['EACCES', AddressForbiddenError, /^no permission to listen on port 80 of localhost.*--port$/],
    ['ENOTFOUND', UnknownHostError, /^localhost is not .*--host$/],
    ['EINVAL', UnknownHostError, /^localhost is not .*--host$/],
    ['EAFNOSUPPORT', UnknownHostError, /^localhost is not .*--host$/],
  ])('listenError explains the code %s', (code, type, message) => {
    const cause = Object.assign(new Error('listen'), { code });
    const error = listenError(cause, 'localhost', 80);
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ message: expect.stringMatching(message), cause });
  });

  it('listenError names the command that lists the reserved ports of Windows', () => {
    const cause = Object.assign(new Error('listen'), { code: 'EACCES' });

    const error = listenError(cause, '127.0.0.1', 50_000);

    expect(error).toBeInstanceOf(ReservedPortError);
    expect(error.message).toBe(
      'the system reserves port 50000 of 127.0.0.1; choose another with --port (0 picks a free one); Windows lists its ranges with: netsh interface ipv4 show excludedportrange tcp',
    );
  });

  it('listenError returns an unknown error unchanged', () => {
    const cause = Object.assign(new Error('listen'), { code: 'EOTHER' });
    expect(listenError(cause, 'localhost', 80)).toBe(cause);
  });
});

describe('server close', () => {
  it('accepts no new connections', async () => {
    const server = await startTestServer();
    await server.close();
    const [error] = await once(connect(server.port, '127.0.0.1'), 'error');
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('returns the same promise for repeated calls', async () => {
    const server = await startTestServer();
    expect(server.close()).toBe(server.close());
    await server.close();
  });

  it('finishes pending requests and closes their connections', async () => {
    const called = new Latch();
    const finish = new Latch();
    const service = new FakeService({
      slow: () => {
        called.open();
        return finish.opened.then(() => 'done');
      },
    });
    const server = await startTestServer({}, service);
    const socket = await openSocket(server);
    const answers = receive(socket);
    socket.write(rawPost(requestText('slow', [], 1)) + rawPost(requestText('m', [], 2)));
    await called.opened;
    const closed = server.close();
    finish.open();
    expect(await answers).toMatch(/"result":"done".*"id":2,"result":\[\]}$/s);
    await closed;
    expect(server.timers.pendingCount).toBe(0);
  });

  it('sends complete responses to slow clients', async () => {
    const result = 'x'.repeat(30_000_000);
    const server = await startTestServer({}, new FakeService({ big: () => result }));
    const socket = await openSocket(server);
    socket.write(rawPost(requestText('big')));
    const [beginning] = await once(socket, 'data');
    socket.pause();
    const closed = server.close();
    const rest = receive(socket);
    socket.resume();
    expect(`${beginning}${await rest}`.endsWith(`${result}"}`)).toBe(true);
    await closed;
  });

  it('closes idle connections, with or without earlier requests', async () => {
    const server = await startTestServer();
    const silent = await openSocket(server);
    const idle = await openSocket(server);
    const said = receive(idle, (text) => text.includes('result'));
    idle.write(rawPost(requestText('m')));
    await said;
    await Promise.all([once(silent, 'close'), once(idle, 'close'), server.close()]);
    expect(server.timers.pendingCount).toBe(0);
  });

  it('closes WebSockets with code 1001 after their responses', async () => {
    const called = new Latch();
    const finish = new Latch();
    const service = new FakeService({
      slow: () => {
        called.open();
        return finish.opened.then(() => 'done');
      },
    });
    const server = await startTestServer({}, service);
    const busy = await WebSocketClient.open(server);
    const idle = await WebSocketClient.open(server);
    busy.socket.send(requestText('slow'));
    await called.opened;
    const closed = server.close();
    expect(await idle.closed).toEqual({ code: 1001, reason: 'the node is shutting down' });
    finish.open();
    expect(await busy.closed).toMatchObject({ code: 1001 });
    expect(busy.received).toEqual([{ jsonrpc: '2.0', id: 1, result: 'done' }]);
    await closed;
  });

  it('aborts unfinished requests after the grace period', async () => {
    const never = new Latch();
    const calls = { overHttp: new Latch(), overWebSocket: new Latch() };
    const service = new FakeService({
      overHttp: () => {
        calls.overHttp.open();
        return never.opened;
      },
      overWebSocket: () => {
        calls.overWebSocket.open();
        return never.opened;
      },
    });
    const server = await startTestServer({ gracePeriod: 1_000 }, service);
    const overHttp = send(server, requestText('overHttp'));
    const refused = expect(overHttp).rejects.toMatchObject({ code: 'ECONNRESET' });
    const overWebSocket = await WebSocketClient.open(server);
    overWebSocket.socket.send(requestText('overWebSocket'));
    await Promise.all([calls.overHttp.opened, calls.overWebSocket.opened]);
    const closed = server.close();
    server.timers.advance(999);
    expect(overWebSocket.socket.readyState).toBe(overWebSocket.socket.OPEN);
    server.timers.advance(1);
    await closed;
    await refused;
    expect(await overWebSocket.closed).toMatchObject({ code: 1006 });
  });
});

describe('defaultServerOptions', () => {
  it('default options are local and limited', () => {
    expect(defaultServerOptions).toMatchObject({
      host: '127.0.0.1',
      port: 8545,
      bodyLimit: 10_485_760,
      batchLimit: 1_000,
      answerLimit: 2 ** 28,
    });
  });
});
