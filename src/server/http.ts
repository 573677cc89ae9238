// Serves HTTP requests with node:http.

import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import type { RpcService } from '../rpc/connection.ts';
import { keyOfTarget, pathOf, rejectBody } from './access-control.ts';
import type { BeaconEndpoint } from './beacon/beacon-endpoint.ts';
import { type BeaconTarget, beaconTargetOf } from './beacon/beacon-target.ts';
import { answerMessage, answerWithoutId } from './envelope.ts';
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
  isStreamRequest,
  pagePath,
  showsPages,
} from './get-requests.ts';
import type { HintsEndpoint } from './hints/hints-endpoint.ts';
import { HttpConnection, type HttpOptions, readBody, rejectAndLinger, send } from './http-exchange.ts';
import { isMetricsRequest, METRICS_TYPE } from './metrics-request.ts';
import type { ParentEndpoint } from './parent/parent-endpoint.ts';
import { ownPortTarget, type ParentTarget, parentTargetOf } from './parent/parent-target.ts';

/** Seconds that a browser may cache a preflight response. */
const PREFLIGHT_AGE = 600;

/**
 * Serves JSON-RPC (POST on `/` or `/<API_KEY>`), health (GET on `/health`) and the explorer. The status is
 * 200 for any JSON-RPC response, 204 for none. A rejection has another status and a JSON-RPC error.
 */
export function createHttpListener(service: RpcService, options: HttpOptions): RequestListener {
  const { access, bodyLimit, servesExplorer, servesOnlyParent, hooks } = options;
  let page: Promise<Page> | null = null;
  let parentEndpoint: Promise<ParentEndpoint> | null = null;
  let beaconEndpoint: Promise<BeaconEndpoint> | null = null;
  let hintsEndpoint: Promise<HintsEndpoint> | null = null;

  /** Returns the target on the parent chain; `null` for other requests. */
  function parentTarget(url: string): ParentTarget | null {
    if (service.callParent === undefined) return null;
    return servesOnlyParent ? ownPortTarget(url) : parentTargetOf(url);
  }

  /** Serves the Bitcoin RPC of a parent chain. Loads the code with the first request. */
  async function serveParent(
    request: IncomingMessage,
    response: ServerResponse,
    target: ParentTarget,
  ): Promise<void> {
    parentEndpoint ??= import('./parent/parent-endpoint.ts').then(
      (module) => new module.ParentEndpoint(service, options, { acceptsMissingType: servesOnlyParent }),
    );
    (await parentEndpoint).serve(request, response, target);
  }

  /** Serves the Beacon API. Loads the code with the first request. */
  async function serveBeacon(
    request: IncomingMessage,
    response: ServerResponse,
    target: BeaconTarget,
  ): Promise<void> {
    beaconEndpoint ??= import('./beacon/beacon-endpoint.ts').then(
      (module) => new module.BeaconEndpoint(service, options),
    );
    await (await beaconEndpoint).serve(request, response, target);
  }

  /** Serves the event stream of MEV-Share. Loads the code with the first client. */
  async function serveHints(request: IncomingMessage, response: ServerResponse): Promise<void> {
    hintsEndpoint ??= import('./hints/hints-endpoint.ts').then(
      (module) => new module.HintsEndpoint(service, options),
    );
    await (await hintsEndpoint).serve(request, response);
  }

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
    const { origin } = access.hasCors ? request.headers : {};
    if (origin !== undefined && !(clientRejection instanceof BannedAddressError)) {
      response.setHeader('Access-Control-Allow-Origin', origin);
      response.setHeader('Vary', 'Origin');
    }
    if (request.method === 'OPTIONS' && mayAskFirst(request, clientRejection)) {
      answerPreflight(request, response, clientRejection === undefined);
      return;
    }
    const parent = parentTarget(request.url ?? '/');
    if (clientRejection === undefined && parent !== null) {
      serveParent(request, response, parent).catch((error: unknown) => {
        hooks.onInternalError(error, null);
        response.destroy();
      });
      return;
    }
    const beacon = servesOnlyParent ? null : beaconTargetOf(request.url ?? '/');
    if (clientRejection === undefined && beacon !== null) {
      serveBeacon(request, response, beacon).catch((error: unknown) => {
        hooks.onInternalError(error, null);
        response.destroy();
      });
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
    if (clientRejection === undefined && isStreamRequest(request)) {
      const refusal = access.rejectPath(request);
      if (refusal !== undefined) refuse(request, response, refusal);
      else
        serveHints(request, response).catch((error: unknown) => {
          hooks.onInternalError(error, null);
          response.destroy();
        });
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
    send(
      response,
      200,
      await answerMessage(
        text,
        service,
        new HttpConnection(request, response, keyOfTarget(request.url)),
        options,
      ),
    );
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
