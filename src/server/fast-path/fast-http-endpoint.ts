import type { Socket } from 'node:net';
import { type Awaitable, isPromise } from '../../primitives/awaitable.ts';
import { systemClock, type Timer, type WallClock } from '../../primitives/clock.ts';
import type { RpcService } from '../../rpc/connection.ts';
import { PROXY_HEADERS, rejectBody } from '../access-control.ts';
import { answerMessage } from '../envelope.ts';
import type { HttpOptions } from '../http-exchange.ts';
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
 * Headers that change how a message is read (RFC 9112; RFC 9110, sections 7.6.1, 7.8 and 10.1.1), the access
 * or the response. Excludes `connection`, because most clients send `keep-alive`.
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
  ...PROXY_HEADERS,
]);

/**
 * Parses a head, without its final blank line and with one character per byte. Returns `undefined` for
 * unusual heads, so that node:http, a complete parser, handles them. Both must parse a head equally, because
 * request smuggling exploits differences.
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

/** Milliseconds until an idle connection is closed. Load balancers keep theirs for 60 s. */
export const KEEP_ALIVE = 65_000;

const KEPT = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE / 1_000}\r\n\r\n`;

/** Writes responses in the format of node:http. */
class ResponseWriter {
  readonly #clock: WallClock;
  #second = Number.NaN;
  #date = '';

  constructor(clock: WallClock) {
    this.#clock = clock;
  }

  /** Returns the response with this body, or status 204 without a body. */
  write(body: Answer | undefined): Response {
    if (body === undefined) return `HTTP/1.1 204 No Content\r\n${this.#dateLine()}${KEPT}`;
    const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${this.#dateLine()}${KEPT}`;
    return typeof body === 'string' ? `${head}${body}` : [head, body];
  }

  /** Returns the Date header. Cached, because its resolution is one second (RFC 9110, section 5.6.7). */
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

/** Milliseconds between two checks for idle connections. */
const SWEEP_INTERVAL = 5_000;

/**
 * Serves HTTP connections while they send only ordinary calls that are not rejected. The first other request
 * is handed over to node:http with its connection.
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

  /** Closes every connection after its pending requests. */
  close(): void {
    for (const connection of this.#connections) connection.leave();
  }

  terminate(): void {
    for (const connection of this.#connections) connection.terminate();
  }

  readonly readHead = readRequestHead;

  isRejected({ url, headers }: RequestHead, remoteAddress: string): boolean {
    const { access, bodyLimit } = this.#options;
    const refusal =
      access.rejectClient({ headers, socket: { remoteAddress } }) ??
      access.rejectPath({ url }) ??
      rejectBody(headers, bodyLimit);
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
