// The HTTP side of the server, on top of node:http.

import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { type Connection, QUIET_CLIENT, type RpcService } from '../rpc/connection.ts';
import { type AccessControl, keyOfTarget, pathOf, refuseBody } from './access-control.ts';
import { answerMessage, answerWithoutId, type EnvelopeOptions } from './envelope.ts';
import {
  BannedAddressError,
  BodyTooLargeError,
  HostNotAllowedError,
  OriginNotAllowedError,
  type RefusedError,
  VerbNotAllowedError,
} from './errors.ts';
import {
  asksForHealth,
  asksForPage,
  healthStatus,
  healthText,
  pagePath,
  showsPages,
} from './get-requests.ts';
import type { Answer } from './message.ts';
import { asksForMetrics, METRICS_TYPE } from './metrics.ts';
import type { ServerHooks } from './options.ts';
import type { Page } from './page.ts';
import { ReceivedBytes } from './received-bytes.ts';

/** One HTTP request as a connection of the RPC service. */
class HttpConnection implements Connection {
  readonly transport = 'http';
  readonly notify = null;
  readonly key: string | undefined;
  readonly userAgent: string | undefined;
  readonly isQuiet: boolean;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.key = keyOfTarget(request.url);
    this.userAgent = request.headers['user-agent'];
    this.isQuiet = this.userAgent === QUIET_CLIENT;
    this.#request = request;
    this.#response = response;
  }

  get remoteAddress(): string {
    return this.#request.socket.remoteAddress ?? 'unknown';
  }

  get isClosed(): boolean {
    // A response that is queued behind another one of its socket is not notified when the socket is gone.
    return this.#response.closed || this.#request.socket.destroyed;
  }

  onClose(action: () => void): () => void {
    if (this.#response.closed) action();
    else this.#response.once('close', action);
    return () => this.#response.removeListener('close', action);
  }
}

/** The options of the HTTP side of the server. */
export interface HttpOptions extends EnvelopeOptions {
  readonly access: AccessControl;
  /** The maximum size of a body, in bytes. */
  readonly bodyLimit: number;
  /** True to serve the page to browsers. */
  readonly servesPage: boolean;
  readonly hooks: ServerHooks;
}

/** The time for which a caller may continue to send a body that was refused, in milliseconds. */
const LINGER = 2_000;

/** The time for which a browser may cache a preflight answer, in seconds. */
const PREFLIGHT_AGE = 600;

/**
 * Serves JSON-RPC over HTTP: POST on `/` or `/<API_KEY>`, the health of the node: GET on `/health`, and the page to
 * browsers. Status 200 for any JSON-RPC answer, 204 when there is nothing to answer, otherwise a refusal with a JSON-RPC error as its body.
 */
export function createHttpListener(service: RpcService, options: HttpOptions): RequestListener {
  const { access, bodyLimit, servesPage, hooks } = options;
  let page: Promise<Page> | null = null;

  /** Serves a file of the page, or says why not; its code is loaded with the first request. */
  async function servePage(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    callerRefusal: RefusedError | undefined,
  ): Promise<void> {
    page ??= import('./page.ts').then(({ Page }) => new Page());
    const loaded = await page;
    if (callerRefusal === undefined) await loaded.serve(request, response, path, access, hooks.lanes);
    else {
      hooks.onRefused?.(callerRefusal, request.headers);
      loaded.refuse(request, response, callerRefusal);
    }
  }

  function serve(request: IncomingMessage, response: ServerResponse): void {
    const callerRefusal = access.refuseCaller(request);
    // A refusal discloses nothing of the chain, and a page that may read the reason can show it to its developer.
    if (request.headers.origin !== undefined && !(callerRefusal instanceof BannedAddressError)) {
      response.setHeader('Access-Control-Allow-Origin', request.headers.origin);
      response.setHeader('Vary', 'Origin');
    }
    if (request.method === 'OPTIONS' && mayAskFirst(request, callerRefusal)) {
      answerPreflight(request, response, callerRefusal === undefined);
      return;
    }
    if (callerRefusal === undefined && asksForHealth(request.method, pathOf(request.url ?? '/'))) {
      response.setHeader('Cache-Control', 'no-store');
      const health = hooks.health();
      send(response, healthStatus(health), healthText(health, access.needsKey));
      return;
    }
    if (
      callerRefusal === undefined &&
      hooks.metrics !== undefined &&
      asksForMetrics(request.method, pathOf(request.url ?? '/'))
    ) {
      serveMetrics(request, response, hooks.metrics);
      return;
    }
    // A caller that is refused gets the reason as a page where a browser shows it, and as JSON otherwise.
    if (servesPage && (callerRefusal === undefined || showsPages(request.headers))) {
      const target = request.url ?? '/';
      const path = pagePath(target, pathOf(target));
      if (asksForPage(request, path)) {
        servePage(request, response, path, callerRefusal).catch((error: unknown) => {
          hooks.onInternalError(error, null);
          response.destroy();
        });
        return;
      }
    }
    const refusal = callerRefusal ?? refuseOtherwise(request);
    if (refusal === undefined) read(request, response);
    else refuse(request, response, refusal);
  }

  /** Answers the metrics. Where callers need a key, so do those who ask for these, as they show what others do. */
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

  /** Returns why a request is refused although its caller is allowed. */
  function refuseOtherwise(request: IncomingMessage): RefusedError | undefined {
    const { method = '', headers } = request;
    if (method !== 'POST') return new VerbNotAllowedError(method);
    return access.refusePath(request) ?? refuseBody(headers, bodyLimit);
  }

  function refuse(request: IncomingMessage, response: ServerResponse, refusal: RefusedError): void {
    hooks.onRefused?.(refusal, request.headers);
    if (refusal instanceof BodyTooLargeError) {
      refuseAndLinger(request, response, refusal, hooks);
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
 * True for a browser that may send a preflight request. A page whose origin is refused may send one too: it learns the
 * reason from the answer to its call, which the browser would not show it otherwise.
 */
function mayAskFirst({ headers }: IncomingMessage, refusal: RefusedError | undefined): boolean {
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
 * Refuses a body that is still being sent. Many callers read the answer only after they have sent everything, and lose
 * it when the connection is closed earlier; so the rest is received and discarded for a while.
 */
function refuseAndLinger(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: RefusedError,
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

/** Characters or bytes of an answer that the socket accepts at once. */
const SHORT_ANSWER = 8_192;

function send(response: ServerResponse, status: number, body: Answer | undefined): void {
  if (body === undefined) {
    response.writeHead(204).end();
    return;
  }
  response.writeHead(status, headersFor(body));
  // Head and body of a short answer are sent in one system call.
  if (body.length <= SHORT_ANSWER) {
    response.end(body);
    return;
  }
  // node:http takes an ended response for a finished one, and destroys its connection when the server closes.
  if (response.write(body)) response.end();
  else response.once('drain', () => response.end());
}

function headersFor(body: Answer): OutgoingHttpHeaders {
  return { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
}

/**
 * Reads a body as UTF-8 text and passes it to `onText`. A body over `limit` bytes is not read further, and `onTooLarge`
 * is called instead; neither is called when the connection is lost.
 */
function readBody(
  request: IncomingMessage,
  limit: number,
  onText: (text: string) => void,
  onTooLarge: (refusal: RefusedError) => void,
): void {
  const received = new ReceivedBytes();
  // Absent in a request with chunked encoding; one above the limit was refused already.
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
