// The JSON-RPC envelope of bitcoind: versions 1.0, 1.1 and 2.0, with its HTTP statuses.

import { CodedError } from '../../primitives/coded-error.ts';
import { isRecord } from '../../primitives/record.ts';
import { BitcoinRpcError } from '../../rootstock/parent-chain/rpc/rpc-error.ts';
import type { Batch, Call, Connection, RpcService } from '../../rpc/connection.ts';
import { AnswerTooLargeError } from '../../rpc/errors.ts';
import { clientCheck } from '../../rpc/request-check.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import type { EnvelopeOptions } from '../envelope.ts';
import { isNestedTooDeep, type RpcMessage, readMessage } from '../message.ts';

/** An HTTP response. */
export interface BitcoinAnswer {
  readonly status: number;
  /** JSON with a line break, as bitcoind sends it; `undefined` for no body. */
  readonly body: string | undefined;
}

interface BitcoinError {
  readonly code: number;
  readonly message: string;
}

/** The codes of bitcoind for messages that are not calls. */
const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;
const INTERNAL_ERROR = -32_603;
const PARSE_ERROR = -32_700;

/** Prefix of the calls of the parent chain in logs. */
const LOGGED_AS = 'parent:';

/** Returns the HTTP status of an error, as on bitcoind. */
function statusOf({ code }: BitcoinError): number {
  if (code === INVALID_REQUEST) return 400;
  return code === METHOD_NOT_FOUND ? 404 : 500;
}

/** The version of a request: 2.0, or the versions before it, which have both members in each response. */
type Version = 'legacy' | '2.0';

/** A request of a message. */
interface BitcoinRequest {
  readonly version: Version;
  /** As JSON; `null` for a notification. */
  readonly id: string | null;
  readonly method: string;
  readonly params: readonly unknown[] | object;
}

interface Reply {
  readonly version: Version;
  /** `undefined` for a notification. */
  readonly text: string | undefined;
  readonly error: BitcoinError | null;
}

function replyText(version: Version, id: string, result: string | null, error: BitcoinError | null): string {
  const failure = error === null ? 'null' : JSON.stringify({ code: error.code, message: error.message });
  if (version === 'legacy') return `{"result":${result ?? 'null'},"error":${failure},"id":${id}}`;
  const outcome = error === null ? `"result":${result ?? 'null'}` : `"error":${failure}`;
  return `{"jsonrpc":"2.0",${outcome},"id":${id}}`;
}

function versionOf(request: Readonly<Record<string, unknown>>): Version | BitcoinError {
  const { jsonrpc } = request;
  if (jsonrpc === undefined || jsonrpc === null || jsonrpc === '1.0' || jsonrpc === '1.1') return 'legacy';
  if (typeof jsonrpc !== 'string')
    return { code: INVALID_REQUEST, message: 'jsonrpc field must be a string' };
  return jsonrpc === '2.0' ? '2.0' : { code: INVALID_REQUEST, message: 'JSON-RPC version not supported' };
}

/** Returns the fault of the method or the parameters. */
function faultOf(method: unknown, params: unknown, message: RpcMessage): string | undefined {
  if (method === undefined || method === null) return 'Missing method';
  if (typeof method !== 'string') return 'Method must be a string';
  if (params !== undefined && typeof params !== 'object') return 'Params must be an array or object';
  return isNestedTooDeep(message, params) ? 'The parameters are nested too deep' : undefined;
}

/** Serves messages of Bitcoin clients. */
export class BitcoinEnvelope {
  readonly #service: RpcService;
  readonly #options: EnvelopeOptions;

  constructor(service: RpcService, options: EnvelopeOptions) {
    this.#service = service;
    this.#options = options;
  }

  /** Returns the response to a message. `wallet` is the wallet of the path; `null` for none. */
  async answer(text: string, wallet: string | null, connection: Connection): Promise<BitcoinAnswer> {
    const slice = new TimeSlice(clientCheck(connection), undefined, this.#service.yielder);
    let message: RpcMessage;
    try {
      message = await readMessage(text, { slice });
    } catch {
      return failed({ code: PARSE_ERROR, message: 'Parse error' });
    }
    if (message.fault !== undefined) return failed(message.fault);
    const { value } = message;
    if (Array.isArray(value)) return this.#batch(value, message, wallet, connection);
    if (!isRecord(value)) return failed({ code: PARSE_ERROR, message: 'Top-level object parse error' });
    const reply = await this.#reply(value, message, null, wallet, connection);
    if (reply.text === undefined) return { status: 204, body: undefined };
    const status = reply.error === null || reply.version === '2.0' ? 200 : statusOf(reply.error);
    return { status, body: `${reply.text}\n` };
  }

  async #batch(
    requests: readonly unknown[],
    message: RpcMessage,
    wallet: string | null,
    connection: Connection,
  ): Promise<BitcoinAnswer> {
    const { batchLimit, answerLimit } = this.#options;
    if (requests.length > batchLimit) {
      const limit = `the batch of ${requests.length} exceeds the limit of ${batchLimit} requests; raise it with --batch-limit`;
      return failed({ code: INVALID_REQUEST, message: limit });
    }
    const texts: string[] = [];
    const batch: Batch = { begunAt: null, answerLimit };
    for (const [position, request] of requests.entries()) {
      const { text } = await this.#reply(request, message, position, wallet, connection, batch);
      if (text === undefined) continue;
      texts.push(text);
      batch.answerLimit -= text.length;
    }
    // bitcoind answers an empty batch with an empty array.
    const isSilent = texts.length === 0 && requests.length > 0;
    return isSilent ? { status: 204, body: undefined } : { status: 200, body: `[${texts.join(',')}]\n` };
  }

  async #reply(
    request: unknown,
    message: RpcMessage,
    position: number | null,
    wallet: string | null,
    connection: Connection,
    batch?: Batch,
  ): Promise<Reply> {
    if (!isRecord(request)) {
      const error = { code: INVALID_REQUEST, message: 'Invalid Request object' };
      return { version: 'legacy', text: replyText('legacy', 'null', null, error), error };
    }
    const { id: given = null, method, params } = request;
    const id = message.writeId(given, position) ?? JSON.stringify(given);
    const version = versionOf(request);
    const fault = faultOf(method, params, message);
    if (typeof version !== 'string' || fault !== undefined) {
      const form = typeof version === 'string' ? version : 'legacy';
      const error = typeof version === 'string' ? { code: INVALID_REQUEST, message: fault ?? '' } : version;
      return { version: form, text: replyText(form, id, null, error), error };
    }
    const isNotification = version === '2.0' && request.id === undefined;
    const call: BitcoinRequest = {
      version,
      id: isNotification ? null : id,
      method: method as string,
      params: (params as readonly unknown[] | object | null | undefined) ?? [],
    };
    return this.#run(call, wallet, connection, batch);
  }

  async #run(
    { version, id, method, params }: BitcoinRequest,
    wallet: string | null,
    connection: Connection,
    batch: Batch | undefined,
  ): Promise<Reply> {
    const { hooks, answerLimit } = this.#options;
    const startedAt = hooks.clock?.now() ?? 0;
    const token: Call = {
      method: `${LOGGED_AS}${method}`,
      connection,
      batch,
      isLogged: connection.isQuiet !== true,
      isAnswered: false,
    };
    let result: string | null = null;
    let failure: unknown;
    try {
      const value = await this.#service.callParent?.({ method, params, wallet }, connection, token);
      result = JSON.stringify(value) ?? 'null';
      if (result.length > (batch?.answerLimit ?? answerLimit)) throw new AnswerTooLargeError(answerLimit);
    } catch (error) {
      failure = error;
      result = null;
    }
    token.isAnswered = true;
    hooks.onRequest?.(
      {
        method: token.method,
        durationMs: hooks.clock === undefined ? undefined : hooks.clock.now() - startedAt,
        error: failure,
      },
      token,
    );
    const error = failure === undefined ? null : this.#errorOf(failure, method);
    return { version, text: id === null ? undefined : replyText(version, id, result, error), error };
  }

  /** Reports a bug of the node. */
  #errorOf(error: unknown, method: string): BitcoinError {
    if (error instanceof BitcoinRpcError || error instanceof CodedError) return error;
    this.#options.hooks.onInternalError(error, method);
    const reason = error instanceof Error ? error.message : String(error);
    return { code: INTERNAL_ERROR, message: `internal error: ${reason}` };
  }
}

/** Returns the response to a message that is not a call. */
function failed({ code, message }: BitcoinError): BitcoinAnswer {
  const error = { code, message };
  return { status: statusOf(error), body: `${replyText('legacy', 'null', null, error)}\n` };
}
