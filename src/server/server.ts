// The TCP server for HTTP and WebSocket on one port.

import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RpcService } from '../rpc/connection.ts';
import { AccessControl } from './access-control.ts';
import { listenError } from './errors.ts';
import { FastHttpEndpoint, KEEP_ALIVE } from './fast-path/fast-http-endpoint.ts';
import { createHttpListener } from './http.ts';
import type { HttpOptions } from './http-exchange.ts';
import type { ServerHooks, ServerOptions } from './options.ts';
import type { WebSocketEndpoint } from './websocket.ts';

export interface RunningServer {
  readonly host: string;
  /** The TCP port; the chosen one if port 0 was requested. */
  readonly port: number;
  /** The URL of the server, such as `http://127.0.0.1:8545`. WebSockets use the scheme `ws:`. */
  readonly url: string;
  /** Lets the process exit while the server listens, even with idle connections. Call it before the first one. */
  unref(): void;
  /**
   * Stops accepting, finishes pending requests, and closes idle connections and WebSockets (1001). Resolves
   * when all are closed. Aborts pending requests after `gracePeriod` (milliseconds).
   */
  close(gracePeriod?: number): Promise<void>;
}

/** Limits of one HTTP exchange, in milliseconds. */
const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 60_000, keepAliveTimeout: KEEP_ALIVE };

/**
 * Serves JSON-RPC over HTTP and WebSocket on one port. Rejects with an `AddressInUseError`,
 * `AddressForbiddenError`, `ReservedPortError` or `UnknownHostError`.
 */
export async function startServer(
  options: ServerOptions,
  service: RpcService,
  givenHooks: ServerHooks,
): Promise<RunningServer> {
  const { bodyLimit, batchLimit, answerLimit, servesExplorer, servesOnlyParent } = options;
  const { peers } = givenHooks;
  const hooks: ServerHooks = {
    ...givenHooks,
    onInvalidMessage(connection, error) {
      peers.count(connection.remoteAddress, 'invalidMessages');
      givenHooks.onInvalidMessage?.(connection, error);
    },
  };
  const access = new AccessControl(options, peers, hooks.rejectsLane);
  const limits = { bodyLimit, batchLimit, answerLimit };
  const closing = new AbortController();
  const served = { servesExplorer, servesOnlyParent };
  const httpOptions: HttpOptions = { access, ...limits, ...served, hooks, closing: closing.signal };
  const listener = createHttpListener(service, httpOptions);
  /** Connections with a partial first request. node:http does not count them as idle. */
  const unheard = new Set<Duplex>();
  let webSockets: Promise<WebSocketEndpoint> | undefined;
  let closed: Promise<void> | undefined;

  /** Loads the WebSocket code with the first client, because loading takes some ten milliseconds. */
  async function loadWebSockets(): Promise<WebSocketEndpoint> {
    const { WebSocketEndpoint } = await import('./websocket.ts');
    return new WebSocketEndpoint(service, httpOptions);
  }

  async function openWebSocket(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    webSockets ??= loadWebSockets();
    const endpoint = await webSockets;
    endpoint.upgrade(request, socket, head);
  }

  const server = createServer(TIMEOUTS, (request, response) => {
    unheard.delete(request.socket);
    response.once('close', () => {
      if (closed) server.closeIdleConnections();
    });
    listener(request, response);
  });
  // Node 24.9 and later ignores other protocols itself. Node 26 would also read the body before the event.
  Object.assign(server, { shouldUpgradeCallback: offersWebSocket });
  const serveByNode = takeConnectionListener(server);
  const fastHttp = new FastHttpEndpoint(service, httpOptions, (socket) => {
    unheard.add(socket);
    socket.once('close', () => unheard.delete(socket));
    serveByNode(socket);
  });
  server.on('connection', (socket) => {
    service.yielder?.connectionOpened?.();
    fastHttp.open(socket);
  });
  server.on('upgrade', (request, socket, head) => {
    unheard.delete(socket);
    if (closed) socket.destroy();
    else if (offersWebSocket(request)) void openWebSocket(request, socket, head);
    else serveWithoutUpgrade(serveByNode, request, socket, head);
  });

  const port = await listen(server, options);
  server.on('error', (error) => hooks.onInternalError(error, null));

  async function closeAll(gracePeriod: number): Promise<void> {
    const grace = hooks.timers.after(gracePeriod, () => {
      server.closeAllConnections();
      fastHttp.terminate();
      void webSockets?.then((endpoint) => endpoint.terminate());
    });
    const stopped = new Promise((resolve) => server.close(resolve));
    closing.abort();
    for (const socket of unheard) socket.destroy();
    fastHttp.close();
    await Promise.all([stopped, webSockets?.then((endpoint) => endpoint.close())]);
    grace.cancel();
  }

  return {
    host: options.host,
    port,
    url: urlOf(options.host, port),
    unref() {
      server.unref();
      server.on('connection', (socket) => socket.unref());
    },
    close(gracePeriod = options.gracePeriod) {
      closed ??= closeAll(gracePeriod);
      return closed;
    },
  };
}

/** Returns the URL of a server, with brackets for an IPv6 address (RFC 3986, section 3.2.2). */
export function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function listen(server: Server, { host, port, servesOnlyParent }: ServerOptions): Promise<number> {
  const option = servesOnlyParent ? '--parent-port' : '--port';
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => reject(listenError(error, host, port, option));
    server.once('error', onError);
    server.listen(port, host, () => {
      server.off('error', onError);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/**
 * Takes the connection listener away from a node:http server, which then serves no new connections itself.
 */
function takeConnectionListener(server: Server): (socket: Duplex) => void {
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  return (socket) => {
    for (const listener of listeners) Reflect.apply(listener, server, [socket]);
  };
}

function offersWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Serves a request that offers a protocol other than WebSocket, before Node 24.9. Java's HTTP client offers h2c with every
 * request. The offer must be ignored (RFC 9110, section 7.8), but node:http stops serving the connection. So
 * the request is put back without the offer, and the connection is served again.
 */
function serveWithoutUpgrade(
  serve: (socket: Duplex) => void,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (!/^(?:upgrade|connection|http2-settings)$/i.test(name))
      lines.push(`${name}: ${rawHeaders[index + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  serve(socket);
}
