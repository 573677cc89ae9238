import type { IncomingMessage, ServerResponse } from 'node:http';
import { CodedError } from '../../primitives/coded-error.ts';
import type { Connection, RpcService } from '../../rpc/connection.ts';
import { decoded, rejectBody } from '../access-control.ts';
import { answerWithoutId } from '../envelope.ts';
import { BodyTooLargeError, type RejectedError, VerbNotAllowedError, WrongApiKeyError } from '../errors.ts';

import { HttpConnection, type HttpOptions, readBody, rejectAndLinger, send } from '../http-exchange.ts';
import { BitcoinEnvelope } from './bitcoin-envelope.ts';
import { type ParentTarget, walletOf } from './parent-target.ts';

/** The first segment of Blockbook's paths. */
const BLOCKBOOK = 'api';

/** The differences between the paths of the node's port and the own port of a parent chain. */
export interface ParentEndpointRules {
  /** True to serve requests without the header Content-Type, as bitcoind does. */
  readonly acceptsMissingType: boolean;
}

/** Returns the password of HTTP's basic authentication; `undefined` without one. */
function passwordOf(authorization = ''): string | undefined {
  const [, encoded] = /^basic ([\w+/=-]+)$/i.exec(authorization) ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : text.slice(colon + 1);
}

/** Serves the Bitcoin RPC of parent chains to clients that passed the checks of host, origin and address. */
export class ParentEndpoint {
  readonly #options: HttpOptions;
  readonly #rules: ParentEndpointRules;
  readonly #service: RpcService;
  readonly #envelope: BitcoinEnvelope;

  constructor(service: RpcService, options: HttpOptions, rules: ParentEndpointRules) {
    this.#service = service;
    this.#options = options;
    this.#rules = rules;
    this.#envelope = new BitcoinEnvelope(service, options);
  }

  serve(request: IncomingMessage, response: ServerResponse, target: ParentTarget): void {
    const { access, bodyLimit, hooks } = this.#options;
    const key = target.key ?? (access.needsKey ? passwordOf(request.headers.authorization) : undefined);
    const wallet = walletOf(target.rest);
    const isBlockbook = request.method === 'GET' && target.rest[0] === BLOCKBOOK;
    const refusal = access.rejectLaneKey(key) ?? (isBlockbook ? undefined : this.#rejectRequest(request));
    if (refusal !== undefined) {
      this.#refuse(request, response, refusal);
      return;
    }
    if (isBlockbook) {
      const query = /\?.*$/s.exec(request.url ?? '')?.[0] ?? '';
      const path = `/${target.rest.map(decoded).join('/')}${query}`;
      this.#getBlockbook(path, new HttpConnection(request, response, key), response).catch(
        (error: unknown) => {
          hooks.onInternalError(error, null);
          response.destroy();
        },
      );
      return;
    }
    if (wallet === undefined) {
      response.writeHead(404).end();
      return;
    }
    const connection = new HttpConnection(request, response, key);
    const answer = async (text: string): Promise<void> => {
      const { status, body } = await this.#envelope.answer(text, wallet, connection);
      send(response, status, body);
    };
    readBody(
      request,
      bodyLimit,
      (text) =>
        void answer(text).catch((error: unknown) => {
          hooks.onInternalError(error, null);
          response.destroy();
        }),
      (tooLarge) => this.#refuse(request, response, tooLarge),
    );
  }

  async #getBlockbook(path: string, connection: Connection, response: ServerResponse): Promise<void> {
    const answer = await this.#service.getBlockbook?.(path, connection).catch((error: unknown) => {
      if (!(error instanceof CodedError)) throw error;
      return { status: 400, body: { error: error.message } };
    });
    if (answer === undefined || answer === null) response.writeHead(404).end();
    else send(response, answer.status, JSON.stringify(answer.body));
  }

  #rejectRequest({ method = '', headers }: IncomingMessage): RejectedError | undefined {
    if (method !== 'POST') return new VerbNotAllowedError(method);
    const isTypeless = headers['content-type'] === undefined && this.#rules.acceptsMissingType;
    return rejectBody(
      isTypeless ? { ...headers, 'content-type': 'application/json' } : headers,
      this.#options.bodyLimit,
    );
  }

  #refuse(request: IncomingMessage, response: ServerResponse, refusal: RejectedError): void {
    const { hooks } = this.#options;
    hooks.onRejected?.(refusal, request.headers);
    if (refusal instanceof BodyTooLargeError) {
      rejectAndLinger(request, response, refusal, hooks);
      return;
    }
    if (refusal instanceof WrongApiKeyError) response.setHeader('WWW-Authenticate', 'Basic realm="jsonrpc"');
    if (refusal instanceof VerbNotAllowedError) response.setHeader('Allow', 'POST, OPTIONS');
    send(response, refusal.status, answerWithoutId(refusal));
  }
}
