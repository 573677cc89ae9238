import type { Socket } from 'node:net';
import { systemClock, type Timer, type WallClock } from '../../primitives/clock.ts';
import type { RpcService } from '../../rpc/connection.ts';
import type { Answer } from '../answer.ts';
import { refuseBody } from '../body.ts';
import { answerMessage } from '../envelope.ts';
import type { HttpOptions } from '../http.ts';
import {
  FastHttpConnection,
  type FastHttpHost,
  type FastHttpRequest,
  type Response,
} from './fast-http-connection.ts';
import type { RequestHead } from './request-head.ts';

/** How long an idle connection is kept, in milliseconds. Load balancers keep theirs 60 s. */
export const KEEP_ALIVE = 65_000;

const KEPT = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE / 1_000}\r\n\r\n`;

/** Writes responses as node:http does, for connections that node:http does not serve. */
class ResponseWriter {
  readonly #clock: WallClock;
  #second = Number.NaN;
  #date = '';

  constructor(clock: WallClock) {
    this.#clock = clock;
  }

  /** Returns the response with this answer as its body, 204 when there is none. */
  write(body: Answer | undefined): Response {
    if (body === undefined) return [`HTTP/1.1 204 No Content\r\n${this.#dateLine()}${KEPT}`];
    const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${this.#dateLine()}${KEPT}`;
    return typeof body === 'string' ? [`${head}${body}`] : [head, body];
  }

  /** Returns the Date header, computed once per second because it has no finer resolution (RFC 9110, section 5.6.7). */
  #dateLine(): string {
    const now = this.#clock.now();
    const second = Math.floor(now / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#date = `Date: ${new Date(now).toUTCString()}\r\n`;
    }
    return this.#date;
  }
}

/** The interval in milliseconds at which idle connections are looked for. */
const SWEEP_INTERVAL = 5_000;

/**
 * Serves JSON-RPC over HTTP on connections as long as they send only ordinary calls that are not refused; the first
 * other request is handed over to node:http together with its connection.
 */
export class FastHttpEndpoint implements FastHttpHost {
  readonly #service: RpcService;
  readonly #options: HttpOptions;
  readonly #writer = new ResponseWriter(systemClock);
  readonly #connections = new Set<FastHttpConnection>();
  #nextSweep: Timer | undefined;
  /** Hands a connection over to node:http. */
  readonly handOver: (socket: Socket) => void;

  constructor(service: RpcService, options: HttpOptions, handOver: (socket: Socket) => void) {
    this.#service = service;
    this.#options = options;
    this.handOver = handOver;
  }

  /** Serves a new connection. */
  open(socket: Socket): void {
    this.#connections.add(new FastHttpConnection(socket, this));
    this.#nextSweep ??= this.#sweepLater();
  }

  /** Closes every connection after answering its pending requests. */
  close(): void {
    for (const connection of this.#connections) connection.leave();
  }

  /** Destroys every connection. */
  terminate(): void {
    for (const connection of this.#connections) connection.terminate();
  }

  isServed({ url, headers }: RequestHead, socket: Socket): boolean {
    const { gate, bodyLimit } = this.#options;
    return (
      gate.refuseCaller({ headers, socket }) === undefined &&
      gate.refusePath({ url }) === undefined &&
      refuseBody(headers, bodyLimit) === undefined
    );
  }

  async answer(body: string, request: FastHttpRequest): Promise<Response> {
    return this.#writer.write(await answerMessage(body, this.#service, request, this.#options));
  }

  forget(connection: FastHttpConnection): void {
    this.#connections.delete(connection);
    if (this.#connections.size > 0) return;
    this.#nextSweep?.cancel();
    this.#nextSweep = undefined;
  }

  #sweepLater(): Timer {
    return this.#options.hooks.timers.after(SWEEP_INTERVAL, () => {
      this.#nextSweep = this.#sweepLater();
      for (const connection of this.#connections) connection.sweep(KEEP_ALIVE / SWEEP_INTERVAL);
    });
  }
}
