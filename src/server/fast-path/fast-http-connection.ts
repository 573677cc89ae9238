// An HTTP connection that serves ordinary JSON-RPC calls without node:http.

import type { Socket } from 'node:net';
import { type Awaitable, isPromise } from '../../primitives/awaitable.ts';
import { type Connection, QUIET_CLIENT } from '../../rpc/connection.ts';
import { isLocalClient, keyOfTarget } from '../access-control.ts';
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
  /** The value of Content-Length, in bytes. */
  readonly bodyLength: number;
}

/** A full response as sent: one string, or head and body. */
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
    const actions = this.#closeActions ?? [];
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
  /** True if the request is rejected. node:http then sends the reason. */
  isRejected(head: RequestHead, remoteAddress: string): boolean;
  /** Returns the full response, or a promise of it. Never throws or rejects. */
  answer(body: string, request: FastHttpRequest): Awaitable<Response>;
  /** Hands the connection over to node:http permanently. Unanswered bytes can be read again. */
  handOver(socket: Socket): void;
  /** Called when the connection is closed or handed over. */
  forget(connection: FastHttpConnection): void;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** Maximum bytes of a head that is parsed here. */
const HEAD_LIMIT = 8_192;

/** Maximum number of cached heads per connection. */
const MAX_HEADS = 4;

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
  /** The last parsed heads by text. Most clients repeat a few heads that differ only in Content-Length. */
  #heads: readonly { readonly text: string; readonly head: RequestHead }[] = [];
  #isLeaving = false;
  #isOver = false;
  #sweepsAtRest = 0;

  constructor(socket: Socket, host: FastHttpHost) {
    this.#socket = socket;
    this.#host = host;
    this.#remoteAddress = socket.remoteAddress ?? 'unknown';
    socket.on('data', this.#receive);
    socket.on('drain', this.#goOn);
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
    this.#received.add(chunk, this.#awaitedLength);
    if (this.#received.length >= this.#awaitedLength) this.#goOn();
  };

  /** Serves received requests up to the limits. */
  readonly #goOn = (): void => {
    if (this.#isOver) return;
    if (!this.#mustWait() && this.#received.length > 0) this.#serve();
    if (this.#isUnusual && this.#running.length === 0) this.#handOver();
    else if (this.#mustWait()) this.#socket.pause();
    else if (this.#socket.isPaused()) this.#socket.resume();
    this.#leaveWhenDone();
  };

  #mustWait(): boolean {
    return this.#isUnusual || this.#running.length >= MAX_PENDING || this.#socket.writableNeedDrain;
  }

  #serve(): void {
    const bytes = this.#received.take();
    let position = 0;
    let isCorked = false;
    while (position < bytes.length && !this.#mustWait()) {
      const next = this.#serveAt(bytes, position);
      if (next === undefined) break;
      position = next;
      if (position === bytes.length || isCorked) continue;
      // Responses to requests that arrived together are sent together.
      this.#socket.cork();
      isCorked = true;
    }
    if (isCorked) this.#socket.uncork();
    if (position < bytes.length) this.#received.add(bytes.subarray(position), this.#awaitedLength);
  }

  /**
   * Serves the request at `start` and returns the offset of its end; `undefined` if it cannot be served here.
   */
  #serveAt(bytes: Buffer, start: number): number | undefined {
    this.#awaitedLength = 0;
    const headEnd = bytes.indexOf(HEAD_END, start);
    const isShort = headEnd >= 0 && headEnd - start <= HEAD_LIMIT;
    const head = isShort ? this.#readHead(bytes.toString('latin1', start, headEnd)) : undefined;
    if (head === undefined || this.#host.isRejected(head, this.#remoteAddress)) {
      this.#isUnusual = true;
      return undefined;
    }
    this.#sweepsAtRest = 0;
    const bodyStart = headEnd + HEAD_END.length;
    const end = bodyStart + head.bodyLength;
    if (end > bytes.length) {
      this.#awaitedLength = end - start;
      return undefined;
    }
    this.#answer(bytes.toString('utf8', bodyStart, end), head);
    return end;
  }

  #readHead(text: string): RequestHead | undefined {
    for (const known of this.#heads) if (known.text === text) return known.head;
    const head = this.#host.readHead(text);
    if (head !== undefined) this.#heads = [{ text, head }, ...this.#heads.slice(0, MAX_HEADS - 1)];
    return head;
  }

  #answer(body: string, head: RequestHead): void {
    const request = new FastHttpRequest(this.#remoteAddress, head);
    const answered = this.#host.answer(body, request);
    if (!isPromise(answered) && this.#running.length === 0) {
      this.#send(answered);
      request.close();
      return;
    }
    this.#running.push(request);
    if (!isPromise(answered)) request.response = answered;
    else
      void answered.then((response) => {
        request.response = response;
        if (this.#running[0] === request) this.#sendAnswers();
      });
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
      this.#socket.write(response);
      return;
    }
    this.#socket.cork();
    for (const piece of response) this.#socket.write(piece);
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
    socket.off('drain', this.#goOn);
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
