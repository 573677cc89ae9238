/** Serves GET requests of the Beacon API. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { CodedError } from '../../primitives/coded-error.ts';
import type { BeaconResponse, RpcService } from '../../rpc/connection.ts';
import { type RejectedError, VerbNotAllowedError } from '../errors.ts';
import { HttpConnection, type HttpOptions, send } from '../http-exchange.ts';
import type { BeaconTarget } from './beacon-target.ts';

const SSZ_TYPE = 'application/octet-stream';
const JSON_TYPE = 'application/json';

/** Returns the weight of a media type in an Accept header; 0 if absent (RFC 9110, section 12.5.1). */
function weightOf(accept: string, type: string): number {
  for (const part of accept.split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    if (name.toLowerCase() !== type) continue;
    const quality = parameters.find((text) => /^q=/i.test(text));
    const weight = quality === undefined ? 1 : Number(quality.slice(2));
    return Number.isNaN(weight) ? 0 : weight;
  }
  return 0;
}

/** True if the client prefers SSZ to JSON. */
export function wantsSsz(accept = ''): boolean {
  return weightOf(accept, SSZ_TYPE) > weightOf(accept, JSON_TYPE);
}

function errorOf(status: number, message: string): BeaconResponse {
  return { status, body: { code: status, message } };
}

/** Serves the Beacon API to clients that passed the checks of host, origin and address. */
export class BeaconEndpoint {
  readonly #service: RpcService;
  readonly #options: HttpOptions;

  constructor(service: RpcService, options: HttpOptions) {
    this.#service = service;
    this.#options = options;
  }

  async serve(request: IncomingMessage, response: ServerResponse, target: BeaconTarget): Promise<void> {
    const { method = '', headers, url = '/' } = request;
    const isRead = method === 'GET' || method === 'HEAD';
    const refusal =
      this.#options.access.rejectLaneKey(target.key) ??
      (isRead ? undefined : new VerbNotAllowedError(method, 'use GET for the Beacon API'));
    if (refusal !== undefined) {
      this.#refuse(request, response, refusal);
      return;
    }
    const start = url.indexOf('?');
    const query = new URLSearchParams(start < 0 ? '' : url.slice(start));
    const asked = { path: target.path, query, wantsSsz: wantsSsz(headers.accept) };
    const connection = new HttpConnection(request, response, target.key);
    write(response, await this.#answer(asked, connection));
  }

  async #answer(
    asked: Parameters<NonNullable<RpcService['getBeacon']>>[0],
    connection: HttpConnection,
  ): Promise<BeaconResponse> {
    try {
      return (await this.#service.getBeacon?.(asked, connection)) ?? errorOf(404, 'not found');
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      return errorOf(400, error.message);
    }
  }

  #refuse(request: IncomingMessage, response: ServerResponse, refusal: RejectedError): void {
    this.#options.hooks.onRejected?.(refusal, request.headers);
    if (refusal instanceof VerbNotAllowedError) response.setHeader('Allow', 'GET, HEAD');
    write(response, errorOf(refusal.status, refusal.message));
  }
}

function write(response: ServerResponse, { status, version, body }: BeaconResponse): void {
  response.setHeader('Cache-Control', 'no-store');
  if (version !== undefined) response.setHeader('Eth-Consensus-Version', version);
  if (body instanceof Uint8Array) {
    response.writeHead(status, { 'Content-Type': SSZ_TYPE, 'Content-Length': body.length }).end(body);
  } else send(response, status, JSON.stringify(body));
}
