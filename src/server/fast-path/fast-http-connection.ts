// An HTTP connection that serves ordinary JSON-RPC calls without node:http.

import type { Socket } from 'node:net';
import { type Awaitable, isPromise } from '../../primitives/awaitable.ts';
import { type Connection, QUIET_CLIENT } from '../../rpc/connection.ts';
import { isLocalClient, keyOfTarget } from '../access-control.ts';
import type { Answer } from '../message.ts';
import { ReceivedBytes } from '../received-bytes.ts';

/** The head of an ordinary call: an HTTP/1.1 POST with a Content-Length on a keep-alive connection. */
export interface RequestHead {
  /** The request target: a plain path. */
  readonly url: string;
  /** The headers that affect access and the response. The first user agent counts, as in node:http. */
  readonly headers: {
    readonly host: string;
    readonly 'content-type': string | undefined;
    readonly 'content-length': string;
    readonly 'user-agent': string | undefined;
  };
  /** The text before and after the value of Content-Length, with the final blank line. */
  readonly before: string;
  readonly after: string;
}

const DIGITS = /\d{1,15}/y;

/**
 * Returns the index after the value of Content-Length; -1 unless the head at `start` differs from the known
 * one only in this value. Most clients repeat their head.
 */
function lengthEndIn(text: string, start: number, { before, after }: RequestHead): number {
  if (!text.startsWith(before, start)) return -1;
  DIGITS.lastIndex = start + before.length;
  if (!DIGITS.test(text)) return -1;
  const end = DIGITS.lastIndex;
  return text.startsWith(after, end) ? end : -1;
}

/** A full response as sent: ASCII text, or head and body. */
export type Response = string | readonly [head: string, body: Buffer];

/** A request of a fast connection. Stores its response until earlier ones are sent. */
export class FastHttpRequest implements Connection {
  readonly transport = 'http';
  readonly notify = null;
  readonly remoteAddress: string;
  readonly key: string | undefined;
  readonly userAgent: string | undefined;
  readonly isQuiet: boolean;
  readonly #host: string;
  /** The whole response as bytes on the wire. */
  response: Response | undefined;
  #isClosed = false;
  #closeActions: Set<() => void> | undefined;

  constructor(remoteAddress: string, { url: target, headers }: Pick<RequestHead, 'url' | 'headers'>) {
    const { host, 'user-agent': userAgent } = headers;
    this.remoteAddress = remoteAddress;
    this.key = keyOfTarget(target);
    this.userAgent = userAgent;
    this.isQuiet = userAgent === QUIET_CLIENT;
    this.#host = host;
  }

  /** Requests with an origin or the header of a proxy do not use the fast path. */
  get isLocal(): boolean {
    return isLocalClient({ host: this.#host }, this.remoteAddress);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  onClose(action: () => void): () => void {
    if (this.#isClosed) action();
    else {
      this.#closeActions ??= new Set();
      this.#closeActions.add(action);
    }
    return () => this.#closeActions?.delete(action);
  }

  /** Called when the response is sent or the connection is lost. */
  close(): void {
    this.#isClosed = true;
    const actions = this.#closeActions;
    if (actions === undefined) return;
    this.#closeActions = undefined;
    for (const action of actions) action();
  }
}

/** The owner of fast connections. It answers their requests. */
export interface FastHttpHost {
  /**
   * Parses a head, without its final blank line and with one character per byte. Returns `undefined` for an
   * unusual head, which node:http then parses.
   */
  readHead(text: string): RequestHead | undefined;
  /** True if requests with this head are rejected. node:http then sends the reason. */
  isRejected(head: RequestHead, remoteAddress: string): boolean;
  /** False if another request with an accepted head is rejected. */
  stillServes(head: RequestHead, remoteAddress: string, bodyLength: number): boolean;
  /** Returns the result as JSON, or a promise of it; `undefined` for none. Never throws or rejects. */
  answer(body: string, request: FastHttpRequest): Awaitable<Answer | undefined>;
  /** Returns the response with this body. */
  write(body: Answer | undefined): Response;
  /** Hands the connection over to node:http permanently. Unanswered bytes can be read again. */
  handOver(socket: Socket): void;
  /** Called when the connection is closed or handed over. */
  forget(connection: FastHttpConnection): void;
}

const HEAD_END = '\r\n\r\n';

/** Maximum bytes of a head that is parsed here. */
const HEAD_LIMIT = 8_192;

/** Maximum bytes that are decoded together, the heads with the bodies. */
const MAX_AT_ONCE = 2 ** 16;

/** Returns the bytes as text if they are few, and if each is a character. */
function shortTextOf(bytes: Buffer): string | undefined {
  if (bytes.length > MAX_AT_ONCE) return undefined;
  const text = bytes.toString();
  return text.length === bytes.length ? text : undefined;
}

/** Maximum pending requests before reading pauses. */
const MAX_PENDING = 100;

/** The response of node:http to a client that half-closes in the middle of a request. */
const BAD_REQUEST = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n';

/**
 * A connection for ordinary calls. It is faster than node:http for them. Requests run concurrently and are
 * answered in order. At the first other request or incomplete head, the connection is handed over to
 * node:http as if unread.
 */
export class FastHttpConnection {
  readonly #socket: Socket;
  readonly #host: FastHttpHost;
  readonly #remoteAddress: string;
  readonly #running: FastHttpRequest[] = [];
  /** Received bytes that are not yet served. */
  readonly #received = new ReceivedBytes();
  /** Bytes of the partly received request; 0 if there is none. */
  #awaitedLength = 0;
  /** True if node:http must serve the next bytes, after all pending requests. */
  #isUnusual = false;
  /** The head of the last request. */
  #head: RequestHead | undefined;
  /** True while the client does not read its responses. */
  #isBlocked = false;
  #isLeaving = false;
  #isOver = false;
  #sweepsAtRest = 0;

  constructor(socket: Socket, host: FastHttpHost) {
    this.#socket = socket;
    this.#host = host;
    this.#remoteAddress = socket.remoteAddress ?? 'unknown';
    socket.on('data', this.#receive);
    socket.on('drain', this.#drain);
    socket.on('end', this.#end);
    socket.on('error', this.#stop);
    socket.on('close', this.#close);
  }

  /** Answers the pending requests, then closes the connection. */
  leave(): void {
    this.#isLeaving = true;
    this.#leaveWhenDone();
  }

  /** Destroys the connection. */
  terminate(): void {
    this.#socket.destroy();
  }

  /**
   * Must be called periodically. Closes a connection that is idle for `limit` calls. Hands a connection with
   * a partial request over to node:http and its timeouts.
   */
  sweep(limit: number): void {
    if (this.#running.length > 0 || this.#socket.writableLength > 0) return;
    this.#sweepsAtRest += 1;
    if (this.#awaitedLength === 0) {
      if (this.#sweepsAtRest > limit) this.#socket.destroy();
    } else if (this.#sweepsAtRest > 1) {
      this.#handOver();
    }
  }

  readonly #receive = (chunk: Buffer): void => {
    if (this.#isOver) return;
    // Most requests arrive as a whole.
    if (this.#received.length === 0 && !this.#mustWait()) {
      this.#serve(chunk);
      this.#flow();
      return;
    }
    this.#received.add(chunk, this.#awaitedLength);
    if (this.#received.length >= this.#awaitedLength) this.#goOn();
  };

  readonly #drain = (): void => {
    this.#isBlocked = false;
    this.#goOn();
  };

  /** Serves received requests up to the limits. */
  #goOn(): void {
    if (this.#isOver) return;
    if (this.#received.length > 0 && !this.#mustWait()) this.#serve(this.#received.take());
    this.#flow();
  }

  /** Reads from the socket unless the received requests must wait. */
  #flow(): void {
    if (this.#isUnusual && this.#running.length === 0) {
      this.#handOver();
      return;
    }
    if (this.#mustWait()) this.#socket.pause();
    else if (this.#socket.isPaused()) this.#socket.resume();
    if (this.#isLeaving) this.#leaveWhenDone();
  }

  #mustWait(): boolean {
    return this.#isUnusual || this.#isBlocked || this.#running.length >= MAX_PENDING;
  }

  #serve(bytes: Buffer): void {
    const text = shortTextOf(bytes);
    let position = 0;
    let isCorked = false;
    do {
      const next = this.#serveAt(bytes, text, position);
      if (next === undefined) break;
      position = next;
      if (position === bytes.length || isCorked) continue;
      // Responses to requests that arrived together are sent together.
      this.#socket.cork();
      isCorked = true;
    } while (position < bytes.length && !this.#mustWait());
    if (isCorked) this.#socket.uncork();
    if (position < bytes.length) this.#received.add(bytes.subarray(position), this.#awaitedLength);
  }

  /**
   * Serves the request at `start` and returns the offset of its end; `undefined` if it cannot be served here.
   * `text` is the text of all bytes, if available.
   */
  #serveAt(bytes: Buffer, text: string | undefined, start: number): number | undefined {
    this.#awaitedLength = 0;
    const seen = text ?? bytes.toString('latin1', start, start + HEAD_LIMIT + HEAD_END.length);
    const seenFrom = text === undefined ? start : 0;
    const at = start - seenFrom;
    let head = this.#head;
    let lengthEnd = head === undefined ? -1 : lengthEndIn(seen, at, head);
    if (lengthEnd < 0) {
      head = this.#parseHead(seen, at);
      this.#head = head;
      lengthEnd = head === undefined ? -1 : lengthEndIn(seen, at, head);
    }
    if (head === undefined) return this.#leave();
    const bodyLength = Number(seen.slice(at + head.before.length, lengthEnd));
    if (!this.#host.stillServes(head, this.#remoteAddress, bodyLength)) return this.#leave();
    this.#sweepsAtRest = 0;
    const bodyStart = seenFrom + lengthEnd + head.after.length;
    const end = bodyStart + bodyLength;
    if (end > bytes.length) {
      this.#awaitedLength = end - start;
      return undefined;
    }
    this.#answer(text?.slice(bodyStart, end) ?? bytes.toString('utf8', bodyStart, end), head);
    return end;
  }

  /** Leaves the rest of the connection to node:http. */
  #leave(): undefined {
    this.#isUnusual = true;
  }

  /** Returns the head at `start`; `undefined` if node:http must serve it. */
  #parseHead(seen: string, start: number): RequestHead | undefined {
    const end = seen.indexOf(HEAD_END, start);
    if (end < 0 || end - start > HEAD_LIMIT) return undefined;
    const head = this.#host.readHead(seen.slice(start, end));
    return head !== undefined && this.#host.isRejected(head, this.#remoteAddress) ? undefined : head;
  }

  #answer(body: string, head: RequestHead): void {
    const request = new FastHttpRequest(this.#remoteAddress, head);
    const answered = this.#host.answer(body, request);
    if (isPromise(answered)) {
      this.#running.push(request);
      void answered.then((answer) => {
        request.response = this.#host.write(answer);
        if (this.#running[0] === request) this.#sendAnswers();
      });
    } else if (this.#running.length === 0) {
      this.#send(this.#host.write(answered));
      request.close();
    } else {
      this.#running.push(request);
      request.response = this.#host.write(answered);
    }
  }

  #sendAnswers(): void {
    for (let [first] = this.#running; first?.response !== undefined; [first] = this.#running) {
      this.#running.shift();
      this.#send(first.response);
      first.close();
    }
    this.#goOn();
  }

  /** Head and body of a long response are sent in one system call. */
  #send(response: Response): void {
    if (typeof response === 'string') {
      // node:net copies a UTF-8 string of more than five thousand characters to the heap first.
      this.#isBlocked = !this.#socket.write(response, 'latin1');
      return;
    }
    this.#socket.cork();
    for (const piece of response) this.#isBlocked = !this.#socket.write(piece);
    this.#socket.uncork();
  }

  /** Called when the client half-closes. Like node:http, treats the connection as lost. */
  readonly #end = (): void => {
    const isInMiddle = this.#awaitedLength > 0;
    this.#stop();
    if (isInMiddle) this.#socket.end(BAD_REQUEST);
    else this.#socket.end();
  };

  readonly #stop = (): void => {
    this.#isOver = true;
    for (const request of this.#running.splice(0)) request.close();
  };

  readonly #close = (): void => {
    this.#stop();
    this.#host.forget(this);
  };

  #leaveWhenDone(): void {
    if (!this.#isLeaving || this.#isOver || this.#running.length > 0 || this.#received.length > 0) return;
    this.#isOver = true;
    this.#socket.destroySoon();
  }

  #handOver(): void {
    this.#isOver = true;
    const socket = this.#socket;
    socket.off('data', this.#receive);
    socket.off('drain', this.#drain);
    socket.off('end', this.#end);
    socket.off('error', this.#stop);
    socket.off('close', this.#close);
    // A flowing stream would not deliver the unshifted bytes to listeners that are added later.
    socket.pause();
    socket.unshift(this.#received.take());
    this.#host.handOver(socket);
    socket.resume();
    this.#host.forget(this);
  }
}
