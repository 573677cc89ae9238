import type { Socket } from 'node:net';
import type { Connection } from '../../rpc/connection.ts';
import { keyOfTarget } from '../access-control.ts';
import type { Response } from '../response-writer.ts';
import { type RequestHead, readRequestHead } from './request-head.ts';

/** One HTTP request of a fast connection as the RPC side sees it, and its answer until that can be sent. */
export class FastHttpRequest implements Connection {
  readonly transport = 'http';
  readonly notify = null;
  readonly remoteAddress: string;
  readonly key: string | undefined;
  readonly userAgent: string | undefined;
  /** The whole response as it goes over the wire. */
  response: Response | undefined;
  #isClosed = false;
  #closeActions: Set<() => void> | undefined;

  /** `target` is the request's: the path with the key. */
  constructor(remoteAddress: string, target: string, userAgent: string | undefined) {
    this.remoteAddress = remoteAddress;
    this.key = keyOfTarget(target);
    this.userAgent = userAgent;
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

  /** The answer is sent, or nobody is there to read it. */
  close(): void {
    this.#isClosed = true;
    const actions = this.#closeActions ?? [];
    this.#closeActions = undefined;
    for (const action of actions) action();
  }
}

/** What serves the requests of fast connections. */
export interface FastHttpHost {
  /** False for a request that would be refused, of which node:http says why. */
  isServed(head: RequestHead, socket: Socket): boolean;
  /** Resolves with the whole response to a call. Never rejects. */
  answer(body: string, request: FastHttpRequest): Promise<Response>;
  /** Returns the connection to node:http, for good. What it has received and not been answered can be read again. */
  handOver(socket: Socket): void;
  /** The connection is closed or handed over. */
  forget(connection: FastHttpConnection): void;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** The longest head that is read here, in bytes. */
const HEAD_LIMIT = 8_192;

/** Requests that may be in hand before no more are read. */
const IN_HAND_LIMIT = 100;

/** What node:http answers to a caller who has no more to say in the middle of a request. */
const BAD_REQUEST = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n';

/**
 * One connection whose requests are ordinary calls, most of which cost less than node:http would to serve them. Requests
 * run at the same time and are answered in the order they came. At the first that is anything else, or does not begin
 * with a whole head, the connection is handed over to node:http as if nobody had read from it.
 */
export class FastHttpConnection {
  readonly #socket: Socket;
  readonly #host: FastHttpHost;
  readonly #remoteAddress: string;
  readonly #inHand: FastHttpRequest[] = [];
  /** What was received and is not in hand. */
  #received: Buffer[] = [];
  #receivedLength = 0;
  /** The length of the request that has come in part, in bytes; 0 when there is none. */
  #awaitedLength = 0;
  /** What is received next is for node:http, when all that is in hand has been answered. */
  #isUnusual = false;
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

  /** Answers what has come so far, and closes the connection. */
  leave(): void {
    this.#isLeaving = true;
    this.#leaveWhenDone();
  }

  /** Cuts the connection. */
  terminate(): void {
    this.#socket.destroy();
  }

  /**
   * Must be called now and then: closes a connection that rests for `limit` calls, and leaves one that waits for the
   * rest of a request to the clocks of node:http.
   */
  sweep(limit: number): void {
    if (this.#inHand.length > 0 || this.#socket.writableLength > 0) return;
    this.#sweepsAtRest += 1;
    if (this.#awaitedLength === 0) {
      if (this.#sweepsAtRest > limit) this.#socket.destroy();
    } else if (this.#sweepsAtRest > 1) {
      this.#handOver();
    }
  }

  readonly #receive = (chunk: Buffer): void => {
    if (this.#isOver) return;
    this.#received.push(chunk);
    this.#receivedLength += chunk.length;
    if (this.#receivedLength >= this.#awaitedLength) this.#goOn();
  };

  /** Takes in hand what it may of what was received. */
  readonly #goOn = (): void => {
    if (this.#isOver) return;
    if (!this.#mustWait() && this.#receivedLength > 0) this.#serve();
    if (this.#isUnusual && this.#inHand.length === 0) this.#handOver();
    else if (this.#mustWait()) this.#socket.pause();
    else if (this.#socket.isPaused()) this.#socket.resume();
    this.#leaveWhenDone();
  };

  #mustWait(): boolean {
    return this.#isUnusual || this.#inHand.length >= IN_HAND_LIMIT || this.#socket.writableNeedDrain;
  }

  #serve(): void {
    const bytes = this.#take();
    let position = 0;
    while (position < bytes.length && !this.#mustWait()) {
      const next = this.#serveAt(bytes, position);
      if (next === undefined) break;
      position = next;
    }
    if (position < bytes.length) {
      this.#received.push(bytes.subarray(position));
      this.#receivedLength = bytes.length - position;
    }
  }

  #take(): Buffer {
    const [first] = this.#received;
    const bytes = this.#received.length === 1 && first ? first : Buffer.concat(this.#received);
    this.#received = [];
    this.#receivedLength = 0;
    return bytes;
  }

  /**
   * Takes the request that begins at `start` in hand. Returns where it ends; returns `undefined` when it cannot be
   * taken.
   */
  #serveAt(bytes: Buffer, start: number): number | undefined {
    this.#awaitedLength = 0;
    const headEnd = bytes.indexOf(HEAD_END, start);
    const isShort = headEnd >= 0 && headEnd - start <= HEAD_LIMIT;
    const head = isShort ? readRequestHead(bytes.toString('latin1', start, headEnd)) : undefined;
    if (head === undefined || !this.#host.isServed(head, this.#socket)) {
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

  #answer(body: string, { url, headers }: RequestHead): void {
    const request = new FastHttpRequest(this.#remoteAddress, url, headers['user-agent']);
    this.#inHand.push(request);
    void this.#host.answer(body, request).then((response) => {
      request.response = response;
      if (this.#inHand[0] === request) this.#sendAnswers();
    });
  }

  #sendAnswers(): void {
    for (let [first] = this.#inHand; first?.response !== undefined; [first] = this.#inHand) {
      this.#inHand.shift();
      this.#send(first.response);
      first.close();
    }
    this.#goOn();
  }

  /** Head and body of a long answer leave in one system call. */
  #send(response: Response): void {
    if (response.length > 1) this.#socket.cork();
    for (const piece of response) this.#socket.write(piece);
    if (response.length > 1) this.#socket.uncork();
  }

  /** The caller has nothing more to say: as node:http does, take it for gone. */
  readonly #end = (): void => {
    const isInMiddle = this.#awaitedLength > 0;
    this.#stop();
    if (isInMiddle) this.#socket.end(BAD_REQUEST);
    else this.#socket.end();
  };

  readonly #stop = (): void => {
    this.#isOver = true;
    for (const request of this.#inHand.splice(0)) request.close();
  };

  readonly #close = (): void => {
    this.#stop();
    this.#host.forget(this);
  };

  #leaveWhenDone(): void {
    if (!this.#isLeaving || this.#isOver || this.#inHand.length > 0 || this.#receivedLength > 0) return;
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
    // A stream that flows would not give what is put back to those who listen from now on.
    socket.pause();
    socket.unshift(this.#take());
    this.#host.handOver(socket);
    socket.resume();
    this.#host.forget(this);
  }
}
