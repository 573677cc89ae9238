import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import type { Timer } from '../primitives/clock.ts';
import { QUIET_CLIENT, type RpcService } from '../rpc/connection.ts';
import { isLocalClient } from './access-control.ts';
import { answerMessage, answerWithoutId } from './envelope.ts';
import { BodyTooLargeError, type RejectedError } from './errors.ts';
import type { HttpOptions } from './http-exchange.ts';
import { type MessageAnswerer, MessageConnection, type UnreadData } from './message-connection.ts';

/** Milliseconds between two pings. */
const PING_INTERVAL = 30_000;

/** Maximum unanswered pings. Two, because a long computation of this process delays the reading of pongs. */
const MISSED_PONGS_LIMIT = 2;

/** The status code of a message over the limit (RFC 6455, section 7.4.1). */
const MESSAGE_TOO_BIG = 1009;

/** The error code of `ws` for that. */
const TOO_LONG = 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';

/** Returns a class that adds the message of the error to the close reason. `ws` sends only the code. */
function explainingWebSocket(bodyLimit: number): typeof WebSocket {
  const { message } = new BodyTooLargeError(bodyLimit);
  return class extends WebSocket {
    override close(code?: number, reason?: string | Buffer): void {
      super.close(code, code === MESSAGE_TOO_BIG ? message : reason);
    }
  };
}

/** Serves JSON-RPC over WebSockets, for the same clients and paths as HTTP. */
export class WebSocketEndpoint {
  readonly #options: HttpOptions;
  readonly #answer: MessageAnswerer;
  readonly #server: WebSocketServer;
  readonly #connections = new Map<WebSocket, MessageConnection>();
  readonly #unread: UnreadData = { held: 0 };
  readonly #unansweredPings = new WeakMap<WebSocket, number>();
  readonly #stopWatchingBans: () => void;
  #nextPing: Timer | undefined;
  #isClosing = false;
  #whenEmpty: (() => void) | undefined;

  constructor(service: RpcService, options: HttpOptions) {
    this.#options = options;
    this.#answer = async (text, connection) => answerMessage(text, service, connection, options);
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: options.bodyLimit,
      WebSocket: explainingWebSocket(options.bodyLimit),
    });
    this.#stopWatchingBans = options.hooks.peers.onBan(() => this.#expelBanned());
  }

  /** Upgrades a request to a WebSocket, or rejects it. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { access, hooks } = this.#options;
    const refusal = access.rejectClient(request) ?? access.rejectPath(request);
    if (refusal) {
      hooks.onRejected?.(refusal, request.headers);
      rejectUpgrade(socket, refusal, answerWithoutId(refusal));
    } else this.#server.handleUpgrade(request, socket, head, (webSocket) => this.#open(webSocket, request));
  }

  /** Closes every connection with 1001 after its pending requests. Resolves when all are closed. */
  close(): Promise<void> {
    this.#isClosing = true;
    this.#stopWatchingBans();
    return new Promise((resolve) => {
      this.#whenEmpty = resolve;
      if (this.#connections.size === 0) resolve();
      for (const connection of this.#connections.values()) connection.leave();
    });
  }

  terminate(): void {
    for (const webSocket of this.#connections.keys()) webSocket.terminate();
  }

  #open(webSocket: WebSocket, { socket, url: target, headers }: IncomingMessage): void {
    const { hooks, bodyLimit } = this.#options;
    const caller = {
      transport: 'websocket',
      remoteAddress: socket.remoteAddress ?? 'unknown',
      target,
      userAgent: headers['user-agent'],
      isQuiet: webSocket.protocol === QUIET_CLIENT,
      isLocal: isLocalClient(headers, socket.remoteAddress),
    } as const;
    const connection = new MessageConnection(webSocket, caller, this.#answer, this.#unread);
    this.#connections.set(webSocket, connection);
    webSocket.on('pong', () => this.#unansweredPings.delete(webSocket));
    // The client violated the protocol or the connection failed. `ws` closes the socket itself, and would
    // throw without a listener.
    webSocket.on('error', (error) => {
      if ('code' in error && error.code === TOO_LONG)
        hooks.onRejected?.(new BodyTooLargeError(bodyLimit), headers);
    });
    webSocket.on('close', () => this.#forget(webSocket));
    if (this.#isClosing) connection.leave();
    this.#nextPing ??= this.#pingLater();
  }

  #expelBanned(): void {
    const { peers } = this.#options.hooks;
    for (const connection of this.#connections.values()) {
      if (peers.isBanned(connection.remoteAddress)) connection.disconnect('banned');
    }
  }

  #forget(webSocket: WebSocket): void {
    this.#connections.delete(webSocket);
    if (this.#connections.size > 0) return;
    this.#nextPing?.cancel();
    this.#nextPing = undefined;
    this.#whenEmpty?.();
  }

  #pingLater(): Timer {
    return this.#options.hooks.timers.after(PING_INTERVAL, () => {
      this.#nextPing = this.#pingLater();
      for (const webSocket of this.#connections.keys()) this.#pingOne(webSocket);
    });
  }

  #pingOne(webSocket: WebSocket): void {
    const unanswered = this.#unansweredPings.get(webSocket) ?? 0;
    if (webSocket.isPaused) return;
    if (unanswered >= MISSED_PONGS_LIMIT) webSocket.terminate();
    else {
      this.#unansweredPings.set(webSocket, unanswered + 1);
      webSocket.ping();
    }
  }
}

function rejectUpgrade(socket: Duplex, { status }: RejectedError, body: string): void {
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Connection: close',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  );
}
