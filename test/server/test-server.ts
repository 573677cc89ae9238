import { request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { PeerTable } from '../../src/node/peer-table.ts';
import type { RpcService } from '../../src/rpc/connection.ts';
import { defaultServerOptions, type ServerHooks, type ServerOptions } from '../../src/server/options.ts';
import { type RunningServer, startServer } from '../../src/server/server.ts';
import { FakeService } from './fake-service.ts';
import { ManualTimers } from './manual-timers.ts';

/** A server under test, with its inputs. */
export interface TestServer extends RunningServer {
  readonly timers: ManualTimers;
  readonly internalErrors: readonly unknown[];
}

/** Starts a server on a free port. It is closed at the end of the test, by force if necessary. */
export async function startTestServer(
  options: Partial<ServerOptions> = {},
  service: RpcService = new FakeService(),
  hooks: Partial<ServerHooks> = {},
): Promise<TestServer> {
  const timers = new ManualTimers();
  const internalErrors: unknown[] = [];
  const server = await startServer({ ...defaultServerOptions, port: 0, ...options }, service, {
    timers,
    peers: new PeerTable(() => []),
    onInternalError: (error) => internalErrors.push(error),
    health: () => ({ chainId: 33, blockNumber: 7, lanes: 0, isEnding: false }),
    ...hooks,
  });
  onTestFinished(async () => {
    const closed = server.close();
    timers.advance(defaultServerOptions.gracePeriod);
    await closed;
  });
  return { ...server, timers, internalErrors };
}

/** An HTTP response. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; `undefined` if it is empty. */
  readonly json: unknown;
}

/** Differences of a request from a POST of JSON to `/`. */
export interface HttpRequestOptions {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
}

/** Sends one HTTP request and reads the whole response. */
export function send(
  { port }: RunningServer,
  body: string | Uint8Array,
  { method = 'POST', path = '/', headers = { 'Content-Type': 'application/json' } }: HttpRequestOptions = {},
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          json: text === '' ? undefined : JSON.parse(text),
        });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

export function requestText(method: string, params: unknown = [], id: unknown = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

/** A JSON-RPC error response with this code, and a message that matches `words`. */
export function errorAnswer(code: number, words: string | RegExp, id: unknown = null): unknown {
  return { jsonrpc: '2.0', id, error: { code, message: expect.stringMatching(words) } };
}

/** The text of an HTTP POST request. */
export function rawPost(body: string, headers: readonly string[] = []): string {
  return [
    'POST / HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
    '',
    body,
  ].join('\r\n');
}

export function openSocket({ port }: RunningServer): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.on('error', reject);
    onTestFinished(() => {
      socket.destroy();
    });
  });
}

/** The data that a connection receives until `isEnough` returns true or it closes. */
export function receive(socket: Socket, isEnough: (text: string) => boolean = () => false): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
      if (isEnough(text)) resolve(text);
    });
    socket.on('close', () => resolve(text));
  });
}
