import { CodedError } from '../primitives/coded-error.ts';
import type { Batch, Connection, RpcService } from '../rpc/connection.ts';
import { type Answer, batchAnswer, resultAnswer } from './answer.ts';
import { InvalidRequestError, ParseError } from './errors.ts';
import { isNestedDeeper } from './nesting.ts';
import type { CallHooks } from './options.ts';
import { RequestIds } from './request-ids.ts';

/** How deep params may be nested: far beyond what any method takes, and far below where recursion ends. */
const NESTING_LIMIT = 100;

/** What answering a message needs beside the service. */
export interface EnvelopeOptions {
  /** The most requests in one batch. */
  readonly batchLimit: number;
  /** The most characters of an answer, that of a whole batch included. */
  readonly answerLimit: number;
  readonly hooks: CallHooks;
}

interface AnswerOptions extends Pick<EnvelopeOptions, 'answerLimit' | 'hooks'> {
  /** What the request is part of. */
  readonly batch?: Batch;
}

/**
 * The answer to one JSON-RPC 2.0 message, a request or a batch; `undefined` when there is nothing to answer because it
 * held notifications only. The requests of a batch run one after the other, and
 * share the time that an answer may take. A request without a `jsonrpc` member is
 * accepted, as Ganache did. Never rejects for anything in the message.
 */
export function answerMessage(
  text: string,
  service: RpcService,
  connection: Connection,
  options: EnvelopeOptions,
): Promise<Answer | undefined> {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch (error) {
    return Promise.resolve(
      refuseMessage('null', new ParseError(messageOf(error)), connection, options.hooks),
    );
  }
  const ids = new RequestIds(text);
  return Array.isArray(message)
    ? answerBatch(message, ids, service, connection, options)
    : answerRequest(message, ids, null, service, connection, options);
}

/** The answer to a request that has no id or whose id cannot be told, as JSON text. */
export function answerWithoutId(error: CodedError, hooks: CallHooks): string {
  return answerError('null', error, null, hooks);
}

async function answerBatch(
  requests: readonly unknown[],
  ids: RequestIds,
  service: RpcService,
  connection: Connection,
  { batchLimit, answerLimit, hooks }: EnvelopeOptions,
): Promise<Answer | undefined> {
  const fault = faultOfBatch(requests, batchLimit);
  if (fault) return refuseMessage('null', fault, connection, hooks);
  const answers: Answer[] = [];
  const batch: Batch = { begunAt: null };
  let length = 0;
  for (const [position, request] of requests.entries()) {
    const room = { answerLimit: answerLimit - length, hooks, batch };
    const answer = await answerRequest(request, ids, position, service, connection, room);
    if (answer === undefined) continue;
    answers.push(answer);
    length += answer.length;
  }
  return answers.length > 0 ? batchAnswer(answers) : undefined;
}

function faultOfBatch(requests: readonly unknown[], limit: number): InvalidRequestError | undefined {
  if (requests.length === 0) return new InvalidRequestError('the batch is empty');
  if (requests.length <= limit) return undefined;
  return new InvalidRequestError(
    `the batch of ${requests.length} exceeds the limit of ${limit} requests; raise it with --batch-limit`,
  );
}

async function answerRequest(
  request: unknown,
  ids: RequestIds,
  position: number | null,
  service: RpcService,
  connection: Connection,
  { answerLimit, hooks, batch }: AnswerOptions,
): Promise<Answer | undefined> {
  if (!isObject(request)) {
    return refuseMessage('null', new InvalidRequestError('a request must be an object'), connection, hooks);
  }
  const isNotification = request.id === undefined;
  const id = isNotification ? 'null' : ids.write(request.id, position);
  if (id === undefined) {
    const fault = new InvalidRequestError('id must be a string, a number or null');
    return refuseMessage('null', fault, connection, hooks);
  }
  if (!isCall(request)) return refuseMessage(id, faultOfRequest(request), connection, hooks);

  const { method } = request;
  const startedAt = hooks.clock?.now();
  let answer: Answer | undefined;
  let failure: unknown;
  try {
    const result = await service.call(method, request.params, connection, batch);
    if (!isNotification) answer = resultAnswer(id, result, answerLimit);
  } catch (error) {
    failure = error;
    const refusal = answerError(id, error, method, hooks);
    if (!isNotification) answer = refusal;
  }
  hooks.onRequest?.({
    method,
    ...(hooks.clock && startedAt !== undefined && { durationMs: hooks.clock.now() - startedAt }),
    ...(failure !== undefined && { error: failure }),
  });
  return answer;
}

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCall(request: JsonObject): request is { readonly method: string; readonly params: unknown } {
  return (
    typeof request.method === 'string' &&
    (request.jsonrpc === '2.0' || request.jsonrpc === undefined) &&
    (request.params === undefined || typeof request.params === 'object') &&
    !isNestedDeeper(request.params, NESTING_LIMIT)
  );
}

function faultOfRequest({ jsonrpc, method, params }: JsonObject): InvalidRequestError {
  if (jsonrpc !== '2.0' && jsonrpc !== undefined) return new InvalidRequestError('jsonrpc must be "2.0"');
  if (typeof method !== 'string') return new InvalidRequestError('method must be a string');
  if (typeof params !== 'object') return new InvalidRequestError('params must be an array or an object');
  return new InvalidRequestError(`params are nested deeper than ${NESTING_LIMIT} levels`);
}

/** The answer to what is not a call, as JSON text; tells who sent it. */
function refuseMessage(id: string, error: CodedError, connection: Connection, hooks: CallHooks): string {
  hooks.onInvalidMessage?.(connection, error);
  return answerError(id, error, null, hooks);
}

/** The failed answer as JSON text; tells of errors that are the node's own. */
function answerError(id: string, error: unknown, method: string | null, hooks: CallHooks): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${errorObject(error, method, hooks)}}`;
}

function errorObject(error: unknown, method: string | null, hooks: CallHooks): string {
  let bug = error;
  if (error instanceof CodedError) {
    try {
      return JSON.stringify({ code: error.code, message: error.message, data: error.data });
    } catch (unserializable) {
      bug = unserializable;
    }
  }
  hooks.onInternalError(bug, method);
  return JSON.stringify({ code: -32603, message: `internal error: ${messageOf(bug)}` });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
