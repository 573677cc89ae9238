import type { Socket } from 'node:net';
import type { Awaitable } from '../../primitives/awaitable.ts';
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
  let lineAt = 0;
  const url = REQUEST_LINE.exec(lines[0] ?? '')?.[1];
  if (url === undefined) return undefined;
  let host: string | undefined;
  let type: string | undefined;
  let length: string | undefined;
  let lengthAt = 0;
  let userAgent: string | undefined;
  for (let index = 1; index < lines.length; index++) {
    lineAt += (lines[index - 1] ?? '').length + 2;
    const line = lines[index] ?? '';
    const [, name, value] = HEADER.exec(line) ?? [];
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
        lengthAt = lineAt + line.length - value.length;
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
    before: text.slice(0, lengthAt),
    after: `${text.slice(lengthAt + length.length)}\r\n\r\n`,
  };
}

/** Milliseconds until an idle connection is closed. Load balancers keep theirs for 60 s. */
export const KEEP_ALIVE = 65_000;

const KEPT = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE / 1_000}\r\n\r\n`;

/** Writes responses in the format of node:http. */
class ResponseWriter {
  readonly #clock: WallClock;
  /** The end of the second of the last lines, in milliseconds. */
  #nextSecond = 0;
  #lastLines = '';

  constructor(clock: WallClock) {
    this.#clock = clock;
  }

  /** Returns the response with this body, or status 204 without a body. */
  write(body: Answer | undefined): Response {
    const now = this.#clock.now();
    if (now >= this.#nextSecond || now < this.#nextSecond - 1_000) this.#writeLastLines(now);
    if (body === undefined) return `HTTP/1.1 204 No Content\r\n${this.#lastLines}`;
    const length = Buffer.byteLength(body);
    const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${this.#lastLines}`;
    if (typeof body !== 'string') return [head, body];
    return length === body.length ? `${head}${body}` : [head, Buffer.from(body)];
  }

  /** Writes the Date header with the lines after it, because its resolution is one second (RFC 9110, section 5.6.7). */
  #writeLastLines(now: number): void {
    this.#nextSecond = Math.floor(now / 1_000) * 1_000 + 1_000;
    this.#lastLines = `Date: ${new Date(now).toUTCString()}\r\n${KEPT}`;
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

  stillServes({ url }: RequestHead, remoteAddress: string, bodyLength: number): boolean {
    const { access, bodyLimit } = this.#options;
    return bodyLength <= bodyLimit && access.stillServes(url, remoteAddress);
  }

  answer(body: string, request: FastHttpRequest): Awaitable<Answer | undefined> {
    return answerMessage(body, this.#service, request, this.#options);
  }

  write(body: Answer | undefined): Response {
    return this.#writer.write(body);
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
