import type { Socket } from 'node:net';
import { systemClock, type Timer, type WallClock } from '../../primitives/clock.ts';
import type { RpcService } from '../../rpc/connection.ts';
import { type Awaitable, isPromise } from '../../scheduling/task.ts';
import { refuseBody } from '../access-control.ts';
import { answerMessage } from '../envelope.ts';
import type { HttpOptions } from '../http.ts';
import type { Answer } from '../message.ts';
import {
  FastHttpConnection,
  type FastHttpHost,
  type FastHttpRequest,
  type RequestHead,
  type Response,
} from './fast-http-connection.ts';

const REQUEST_LINE = /^POST (\/[\w.~%/-]*) HTTP\/1\.1$/;
const HEADER = /^([\w-]+): ?([!-~](?:[ -~]*[!-~])?)$/;
const LENGTH = /^\d{1,15}$/;

/**
 * Headers that change how a message or its connection is read (RFC 9112; RFC 9110, sections 7.6.1, 7.8 and 10.1.1), or
 * that make the call refused or its answer different. `connection` is not among them: most clients send `keep-alive`.
 */
const UNUSUAL_HEADERS: ReadonlySet<string> = new Set([
  'content-encoding',
  'expect',
  'origin',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Reads a head, given without the blank line at its end and with one character for each byte. Returns `undefined` for
 * anything but an ordinary call written in the usual way: such a head is left to node:http, a complete HTTP parser.
 * Nothing may be read differently here than there, because request smuggling relies on such differences.
 */
export function readRequestHead(text: string): RequestHead | undefined {
  const lines = text.split('\r\n');
  const url = REQUEST_LINE.exec(lines[0] ?? '')?.[1];
  if (url === undefined) return undefined;
  let host: string | undefined;
  let type: string | undefined;
  let length: string | undefined;
  let userAgent: string | undefined;
  for (let index = 1; index < lines.length; index++) {
    const [, name, value] = HEADER.exec(lines[index] ?? '') ?? [];
    if (name === undefined || value === undefined) return undefined;
    switch (name.toLowerCase()) {
      case 'host':
        if (host !== undefined) return undefined;
        host = value;
        break;
      case 'content-type':
        if (type !== undefined) return undefined;
        type = value;
        break;
      case 'content-length':
        if (length !== undefined || !LENGTH.test(value)) return undefined;
        length = value;
        break;
      case 'user-agent':
        userAgent ??= value;
        break;
      case 'connection':
        if (value.toLowerCase() !== 'keep-alive') return undefined;
        break;
      default:
        if (UNUSUAL_HEADERS.has(name.toLowerCase())) return undefined;
    }
  }
  if (host === undefined || length === undefined) return undefined;
  return {
    url,
    headers: { host, 'content-type': type, 'content-length': length, 'user-agent': userAgent },
    bodyLength: Number(length),
  };
}

/** The time for which an idle connection is kept, in milliseconds. Load balancers keep theirs 60 s. */
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
    if (body === undefined) return `HTTP/1.1 204 No Content\r\n${this.#dateLine()}${KEPT}`;
    const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${this.#dateLine()}${KEPT}`;
    return typeof body === 'string' ? `${head}${body}` : [head, body];
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

  readonly readHead = readRequestHead;

  isRefused({ url, headers }: RequestHead, remoteAddress: string): boolean {
    const { access, bodyLimit } = this.#options;
    const refusal =
      access.refuseCaller({ headers, socket: { remoteAddress } }) ??
      access.refusePath({ url }) ??
      refuseBody(headers, bodyLimit);
    return refusal !== undefined;
  }

  answer(body: string, request: FastHttpRequest): Awaitable<Response> {
    const answer = answerMessage(body, this.#service, request, this.#options);
    return isPromise(answer) ? answer.then(this.#write) : this.#writer.write(answer);
  }

  readonly #write = (answer: Answer | undefined): Response => this.#writer.write(answer);

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
