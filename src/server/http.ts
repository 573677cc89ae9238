// Serves HTTP requests with node:http.

import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { type Connection, QUIET_CLIENT, type RpcService } from '../rpc/connection.ts';
import { type AccessControl, isLocalClient, keyOfTarget, pathOf, rejectBody } from './access-control.ts';
import { answerMessage, answerWithoutId, type EnvelopeOptions } from './envelope.ts';
import {
  BannedAddressError,
  BodyTooLargeError,
  HostNotAllowedError,
  OriginNotAllowedError,
  type RejectedError,
  VerbNotAllowedError,
} from './errors.ts';
import type { Page } from './explorer.ts';
import {
  healthStatus,
  healthText,
  isExplorerRequest,
  isHealthRequest,
  pagePath,
  showsPages,
} from './get-requests.ts';
import type { Answer } from './message.ts';
import { isMetricsRequest, METRICS_TYPE } from './metrics.ts';
import type { ServerHooks } from './options.ts';
import { ReceivedBytes } from './received-bytes.ts';

/** One HTTP request as a connection of the RPC service. */
class HttpConnection implements Connection {
  readonly transport = 'http';
  readonly notify = null;
  readonly key: string | undefined;
  readonly userAgent: string | undefined;
  readonly isQuiet: boolean;
  readonly isLocal: boolean;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.key = keyOfTarget(request.url);
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

export interface HttpOptions extends EnvelopeOptions {
  readonly access: AccessControl;
  /** The maximum size of a body, in bytes. */
  readonly bodyLimit: number;
  /** True to serve the explorer. */
  readonly servesExplorer: boolean;
  readonly hooks: ServerHooks;
}

/** Milliseconds that a client may continue to send a rejected body. */
const LINGER = 2_000;

/** Seconds that a browser may cache a preflight response. */
const PREFLIGHT_AGE = 600;

/**
 * Serves JSON-RPC (POST on `/` or `/<API_KEY>`), health (GET on `/health`) and the explorer. The status is
 * 200 for any JSON-RPC response, 204 for none. A rejection has another status and a JSON-RPC error.
 */
export function createHttpListener(service: RpcService, options: HttpOptions): RequestListener {
  const { access, bodyLimit, servesExplorer, hooks } = options;
  let page: Promise<Page> | null = null;

  /** Serves a file of the explorer, or the reason to reject it. Loads the code with the first request. */
  async function servePage(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    clientRejection: RejectedError | undefined,
  ): Promise<void> {
    page ??= import('./explorer.ts').then(({ Page }) => new Page());
    const loaded = await page;
    if (clientRejection === undefined) await loaded.serve(request, response, path, access);
    else {
      hooks.onRejected?.(clientRejection, request.headers);
      loaded.refuse(request, response, clientRejection);
    }
  }

  function serve(request: IncomingMessage, response: ServerResponse): void {
    const clientRejection = access.rejectClient(request);
    // A rejection reveals nothing about the chain. A page can show the reason to its developer.
    if (request.headers.origin !== undefined && !(clientRejection instanceof BannedAddressError)) {
      response.setHeader('Access-Control-Allow-Origin', request.headers.origin);
      response.setHeader('Vary', 'Origin');
    }
    if (request.method === 'OPTIONS' && mayAskFirst(request, clientRejection)) {
      answerPreflight(request, response, clientRejection === undefined);
      return;
    }
    if (clientRejection === undefined && isHealthRequest(request.method, pathOf(request.url ?? '/'))) {
      response.setHeader('Cache-Control', 'no-store');
      const health = hooks.health();
      send(response, healthStatus(health), healthText(health, access.needsKey));
      return;
    }
    if (
      clientRejection === undefined &&
      hooks.metrics !== undefined &&
      isMetricsRequest(request.method, pathOf(request.url ?? '/'))
    ) {
      serveMetrics(request, response, hooks.metrics);
      return;
    }
    // Browsers get a rejection as a page, other clients as JSON.
    if (servesExplorer && (clientRejection === undefined || showsPages(request.headers))) {
      const target = request.url ?? '/';
      const path = pagePath(target, pathOf(target));
      if (isExplorerRequest(request, path)) {
        servePage(request, response, path, clientRejection).catch((error: unknown) => {
          hooks.onInternalError(error, null);
          response.destroy();
        });
        return;
      }
    }
    const refusal = clientRejection ?? rejectOtherwise(request);
    if (refusal === undefined) read(request, response);
    else refuse(request, response, refusal);
  }

  /** Serves the metrics. They reveal activity of other clients, so they require an API key if clients do. */
  function serveMetrics(request: IncomingMessage, response: ServerResponse, metrics: () => string): void {
    const [scheme, key = ''] = (request.headers.authorization ?? '').split(' ');
    if (access.needsKey && (scheme?.toLowerCase() !== 'bearer' || !access.hasKey(key))) {
      response.setHeader('WWW-Authenticate', 'Bearer');
      send(response, 401, '');
      return;
    }
    response.setHeader('Cache-Control', 'no-store');
    response.writeHead(200, { 'Content-Type': METRICS_TYPE }).end(metrics());
  }

  /** Returns the reason to reject a request of an allowed client. */
  function rejectOtherwise(request: IncomingMessage): RejectedError | undefined {
    const { method = '', headers } = request;
    if (method !== 'POST') return new VerbNotAllowedError(method);
    return access.rejectPath(request) ?? rejectBody(headers, bodyLimit);
  }

  function refuse(request: IncomingMessage, response: ServerResponse, refusal: RejectedError): void {
    hooks.onRejected?.(refusal, request.headers);
    if (refusal instanceof BodyTooLargeError) {
      rejectAndLinger(request, response, refusal, hooks);
      return;
    }
    if (refusal instanceof VerbNotAllowedError) response.setHeader('Allow', 'POST, OPTIONS');
    send(response, refusal.status, answerWithoutId(refusal));
  }

  function read(request: IncomingMessage, response: ServerResponse): void {
    readBody(
      request,
      bodyLimit,
      (text) => void answer(text, request, response),
      (refusal) => refuse(request, response, refusal),
    );
  }

  async function answer(text: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    send(response, 200, await answerMessage(text, service, new HttpConnection(request, response), options));
  }

  return serve;
}

/**
 * True if the client gets a response to a preflight request. A page with a rejected origin gets one, too, so
 * that it can read the reason from the response to its call.
 */
function mayAskFirst({ headers }: IncomingMessage, refusal: RejectedError | undefined): boolean {
  const isOfPage = refusal instanceof OriginNotAllowedError || refusal instanceof HostNotAllowedError;
  return refusal === undefined || (isOfPage && headers.origin !== undefined);
}

/** Answers a preflight request (Fetch standard, CORS preflight; Private Network Access). */
function answerPreflight({ headers }: IncomingMessage, response: ServerResponse, isWelcome: boolean): void {
  const granted: OutgoingHttpHeaders = {
    Allow: 'POST, OPTIONS',
    'Access-Control-Allow-Methods': 'POST',
    'Access-Control-Max-Age': isWelcome ? PREFLIGHT_AGE : 0,
  };
  const requested = headers['access-control-request-headers'];
  if (requested !== undefined) granted['Access-Control-Allow-Headers'] = requested;
  if (isWelcome && headers['access-control-request-private-network'] === 'true') {
    granted['Access-Control-Allow-Private-Network'] = 'true';
  }
  response.writeHead(204, granted).end();
}

/**
 * Rejects a body that is still being sent. Many clients read the response only after sending the whole body,
 * and lose it if the connection closes earlier. So the rest is received and discarded for {@link LINGER}.
 */
function rejectAndLinger(
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

function send(response: ServerResponse, status: number, body: Answer | undefined): void {
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
function readBody(
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
