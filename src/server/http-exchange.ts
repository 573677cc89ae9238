// The parts of an HTTP exchange with node:http: the connection, the body and the response.

import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type Connection, QUIET_CLIENT } from '../rpc/connection.ts';
import { type AccessControl, isLocalClient } from './access-control.ts';
import { answerWithoutId, type EnvelopeOptions } from './envelope.ts';
import { BodyTooLargeError, type RejectedError } from './errors.ts';
import type { Answer } from './message.ts';
import type { ServerHooks } from './options.ts';
import { ReceivedBytes } from './received-bytes.ts';

export interface HttpOptions extends EnvelopeOptions {
  readonly access: AccessControl;
  /** The maximum size of a body, in bytes. */
  readonly bodyLimit: number;
  /** True to serve the explorer. */
  readonly servesExplorer: boolean;
  /** True to serve only the Bitcoin RPC of the parent chain, on all paths. */
  readonly servesOnlyParent: boolean;
  readonly hooks: ServerHooks;
  /** Aborted when the server closes. Absent if it serves no event streams. */
  readonly closing?: AbortSignal;
}

/** One HTTP request as a connection of the RPC service. */
export class HttpConnection implements Connection {
  readonly transport = 'http';
  readonly notify = null;
  readonly key: string | undefined;
  readonly userAgent: string | undefined;
  readonly isQuiet: boolean;
  readonly isLocal: boolean;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;

  constructor(request: IncomingMessage, response: ServerResponse, key: string | undefined) {
    this.key = key;
    this.userAgent = request.headers['user-agent'];
    this.isQuiet = this.userAgent === QUIET_CLIENT;
    this.isLocal = isLocalClient(request.headers, request.socket.remoteAddress);
    this.#request = request;
    this.#response = response;
  }

  get remoteAddress(): string {
    return this.#request.socket.remoteAddress ?? 'unknown';
  }

  get isClosed(): boolean {
    // A response that is queued behind another one gets no event when the socket closes.
    return this.#response.closed || this.#request.socket.destroyed;
  }

  onClose(action: () => void): () => void {
    if (this.#response.closed) action();
    else this.#response.once('close', action);
    return () => this.#response.removeListener('close', action);
  }
}

/** Milliseconds that a client may continue to send a rejected body. */
const LINGER = 2_000;

/**
 * Rejects a body that is still being sent. Many clients read the response only after sending the whole body,
 * and lose it if the connection closes earlier. So the rest is received and discarded for {@link LINGER}.
 */
export function rejectAndLinger(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: RejectedError,
  hooks: ServerHooks,
): void {
  const body = answerWithoutId(refusal);
  response.writeHead(refusal.status, { ...headersFor(body), Connection: 'close' });
  response.write(body);
  const cut = hooks.timers.after(LINGER, () => request.socket.destroy());
  request.once('close', () => {
    cut.cancel();
    response.end();
  });
  request.resume();
}

/** Maximum length of a response that the socket accepts in one write. */
const SHORT_ANSWER = 8_192;

export function send(response: ServerResponse, status: number, body: Answer | undefined): void {
  if (body === undefined) {
    response.writeHead(204).end();
    return;
  }
  response.writeHead(status, headersFor(body));
  // Head and body of a short response are sent in one system call.
  if (body.length <= SHORT_ANSWER) {
    response.end(body);
    return;
  }
  // node:http treats an ended response as finished, and destroys its connection when the server closes.
  if (response.write(body)) response.end();
  else response.once('drain', () => response.end());
}

function headersFor(body: Answer): OutgoingHttpHeaders {
  return { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
}

/**
 * Reads a body as UTF-8 text for `onText`. If it exceeds `limit` bytes, stops and calls `onTooLarge`. If the
 * connection is lost, calls neither.
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  onText: (text: string) => void,
  onTooLarge: (refusal: RejectedError) => void,
): void {
  const received = new ReceivedBytes();
  // Absent for chunked encoding. A value above the limit has already been rejected.
  const expected = Number(request.headers['content-length'] ?? 0);
  const onData = (chunk: Buffer): void => {
    received.add(chunk, expected);
    if (received.length <= limit) return;
    request.off('data', onData);
    request.off('end', onEnd);
    onTooLarge(new BodyTooLargeError(limit));
  };
  const onEnd = (): void => {
    onText(received.take().toString());
  };
  request.on('data', onData);
  request.on('end', onEnd);
}
