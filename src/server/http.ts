import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import type { RpcService } from '../rpc/connection.ts';
import type { Answer } from './answer.ts';
import { readBody, refuseBody } from './body.ts';
import { answerMessage, answerWithoutId, type EnvelopeOptions } from './envelope.ts';
import { BodyTooLargeError, type RefusedError, VerbNotAllowedError } from './errors.ts';
import type { Gate } from './gate.ts';
import { HttpConnection } from './http-connection.ts';
import type { ServerHooks } from './options.ts';

/** How the HTTP side of the server is set up. */
export interface HttpOptions extends EnvelopeOptions {
  readonly gate: Gate;
  /** The largest body, in bytes. */
  readonly bodyLimit: number;
  readonly hooks: ServerHooks;
}

/** How long a caller may go on sending a body that was refused, in milliseconds. */
const LINGER = 2_000;

/** How long a browser may remember a preflight answer, in seconds. */
const PREFLIGHT_AGE = 600;

/**
 * Serves JSON-RPC over HTTP: POST on `/` or `/<API_KEY>`. Status 200 for any JSON-RPC answer, 204 when there is
 * nothing to answer, otherwise a refusal with a JSON-RPC error as its body.
 */
export function createHttpListener(service: RpcService, options: HttpOptions): RequestListener {
  const { gate, bodyLimit, hooks } = options;

  function serve(request: IncomingMessage, response: ServerResponse): void {
    const refusal = gate.refuseCaller(request) ?? refuseOtherwise(request, response);
    if (refusal instanceof BodyTooLargeError) refuseAndLinger(request, response, refusal, hooks);
    else if (refusal) refuse(response, refusal, hooks);
    else if (request.method === 'OPTIONS') answerPreflight(request, response);
    else read(request, response);
  }

  /** Why a caller who is welcome is refused all the same; a web page may read why. */
  function refuseOtherwise(request: IncomingMessage, response: ServerResponse): RefusedError | undefined {
    const { method = '', headers } = request;
    if (headers.origin !== undefined) {
      response.setHeader('Access-Control-Allow-Origin', headers.origin);
      response.setHeader('Vary', 'Origin');
    }
    if (method === 'OPTIONS') return undefined;
    if (method !== 'POST') return new VerbNotAllowedError(method);
    return gate.refusePath(request) ?? refuseBody(headers, bodyLimit);
  }

  function read(request: IncomingMessage, response: ServerResponse): void {
    readBody(
      request,
      bodyLimit,
      (text) => void answer(text, request, response),
      (refusal) => refuseAndLinger(request, response, refusal, hooks),
    );
  }

  async function answer(text: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    send(response, 200, await answerMessage(text, service, new HttpConnection(request, response), options));
  }

  return serve;
}

/** Answers a browser that asks whether a page may call (Fetch standard, CORS preflight; Private Network Access). */
function answerPreflight({ headers }: IncomingMessage, response: ServerResponse): void {
  const granted: OutgoingHttpHeaders = {
    Allow: 'POST, OPTIONS',
    'Access-Control-Allow-Methods': 'POST',
    'Access-Control-Max-Age': PREFLIGHT_AGE,
  };
  const requested = headers['access-control-request-headers'];
  if (requested !== undefined) granted['Access-Control-Allow-Headers'] = requested;
  if (headers['access-control-request-private-network'] === 'true') {
    granted['Access-Control-Allow-Private-Network'] = 'true';
  }
  response.writeHead(204, granted).end();
}

function refuse(response: ServerResponse, refusal: RefusedError, hooks: ServerHooks): void {
  if (refusal instanceof VerbNotAllowedError) response.setHeader('Allow', 'POST, OPTIONS');
  send(response, refusal.status, answerWithoutId(refusal, hooks));
}

/**
 * Refuses a body that is on its way. Many callers read the answer only after they have sent everything, and lose it
 * when the connection is cut before; so what still comes is thrown away for a while.
 */
function refuseAndLinger(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: RefusedError,
  hooks: ServerHooks,
): void {
  const body = answerWithoutId(refusal, hooks);
  response.writeHead(refusal.status, { ...headersFor(body), Connection: 'close' });
  response.write(body);
  const cut = hooks.timers.after(LINGER, () => request.socket.destroy());
  request.once('close', () => {
    cut.cancel();
    response.end();
  });
  request.resume();
}

/** Characters or bytes of an answer that the socket takes at once. */
const SHORT_ANSWER = 8_192;

function send(response: ServerResponse, status: number, body: Answer | undefined): void {
  if (body === undefined) {
    response.writeHead(204).end();
    return;
  }
  response.writeHead(status, headersFor(body));
  // Head and body of a short answer leave in one system call.
  if (body.length <= SHORT_ANSWER) {
    response.end(body);
    return;
  }
  // node:http takes an ended response for a finished one, and cuts its connection when the server closes.
  if (response.write(body)) response.end();
  else response.once('drain', () => response.end());
}

function headersFor(body: Answer): OutgoingHttpHeaders {
  return { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
}
