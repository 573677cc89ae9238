// The JSON-RPC 2.0 envelope: requests, batches, ids and errors.

import { type Awaitable, isPromise, whenReady } from '../primitives/awaitable.ts';
import { CodedError } from '../primitives/coded-error.ts';
import { isRecord } from '../primitives/record.ts';
import type { Batch, Call, Connection, RpcService } from '../rpc/connection.ts';
import { AnswerTooLargeError } from '../rpc/errors.ts';
import { clientCheck } from '../rpc/request-check.ts';
import { runTask, type Task, waitFor } from '../scheduling/task.ts';
import { TimeSlice } from '../scheduling/time-slice.ts';
import { InvalidRequestError } from './errors.ts';
import {
  type Answer,
  batchAnswer,
  errorAnswer,
  isNestedTooDeep,
  nestingFault,
  type RpcMessage,
  readMessage,
  resultAnswer,
  shortErrorAnswer,
} from './message.ts';
import type { CallHooks } from './options.ts';

/** The limits and callbacks for responses. */
export interface EnvelopeOptions {
  /** The maximum number of requests in one batch. */
  readonly batchLimit: number;
  /** Maximum characters of a response, including a whole batch. */
  readonly answerLimit: number;
  readonly hooks: CallHooks;
}

/** A received message, with its client and the limits of its responses. */
class Exchange {
  readonly service: RpcService;
  readonly connection: Connection;
  readonly options: EnvelopeOptions;
  #slice: TimeSlice | undefined;

  constructor(service: RpcService, connection: Connection, options: EnvelopeOptions) {
    this.service = service;
    this.connection = connection;
    this.options = options;
  }

  /** The work budget of the whole message. Most messages are too short to use it. */
  get slice(): TimeSlice {
    this.#slice ??= new TimeSlice(clientCheck(this.connection), undefined, this.service.yielder);
    return this.#slice;
  }

  /** Returns the error response to an invalid message, as JSON. Reports its sender to the hooks. */
  reject(id: string, error: CodedError): string {
    this.options.hooks.onInvalidMessage?.(this.connection, error);
    return shortErrorAnswer(id, error);
  }
}

/** The limits of a request of a batch. */
interface BatchRoom {
  readonly batch: Batch;
  /** True if the earlier responses leave no room for another one. */
  readonly isFull: boolean;
}

/**
 * Returns the response to a JSON-RPC 2.0 request or batch; `undefined` for notifications only. The requests
 * of a batch run one after another and share a time limit. Accepts requests without a `jsonrpc` member, like
 * Ganache. Returns a promise only if necessary. Never throws or rejects because of the message.
 */
export function answerMessage(
  text: string,
  service: RpcService,
  connection: Connection,
  options: EnvelopeOptions,
): Awaitable<Answer | undefined> {
  const exchange = new Exchange(service, connection, options);
  let message: Awaitable<RpcMessage>;
  try {
    message = readMessage(text, exchange);
  } catch (error) {
    return refuse(error, exchange);
  }
  if (!isPromise(message)) return answerRead(message, exchange);
  return message.then(
    (read) => answerRead(read, exchange),
    (error) => refuse(error, exchange),
  );
}

function refuse(error: unknown, exchange: Exchange): string {
  if (error instanceof CodedError) return exchange.reject('null', error);
  throw error;
}

function answerRead(message: RpcMessage, exchange: Exchange): Awaitable<Answer | undefined> {
  const { value, fault } = message;
  if (fault !== undefined) {
    // The id may follow the params in the text. Then it was not read.
    const id = isRecord(value) && value.id !== undefined ? message.writeId(value.id, null) : undefined;
    return exchange.reject(id ?? 'null', fault);
  }
  return Array.isArray(value)
    ? runTask(answerBatch(value, message, exchange), exchange.slice)
    : answerRequest(value, message, null, exchange, null);
}

/** Returns an error response without an id, as JSON. */
export function answerWithoutId(error: CodedError): string {
  return shortErrorAnswer('null', error);
}

/**
 * Minimum free response size, in characters, to start a batch item. Otherwise, an item could change the chain
 * and lose its response. For low limits, the minimum is a sixteenth of the limit.
 */
const MIN_ROOM = 2 ** 16;

/** Work units of a batch item, without its response. */
const REQUEST_WORK = 2_000;

function* answerBatch(
  requests: readonly unknown[],
  message: RpcMessage,
  exchange: Exchange,
): Task<Answer | undefined> {
  const { batchLimit, answerLimit } = exchange.options;
  const fault = faultOfBatch(requests, batchLimit);
  if (fault) return exchange.reject('null', fault);
  const answers: Answer[] = [];
  const batch: Batch = { begunAt: null, answerLimit };
  const minimum = Math.min(MIN_ROOM, answerLimit / 16);
  for (let position = 0; position < requests.length; position++) {
    const isFull = answers.length > 0 && batch.answerLimit < minimum;
    const answered = answerRequest(requests[position], message, position, exchange, { batch, isFull });
    const answer = isPromise(answered) ? yield* waitFor(answered) : answered;
    yield REQUEST_WORK;
    if (answer === undefined) continue;
    answers.push(answer);
    batch.answerLimit -= answer.length;
  }
  return answers.length > 0 ? yield* batchAnswer(answers) : undefined;
}

function faultOfBatch(requests: readonly unknown[], limit: number): InvalidRequestError | undefined {
  if (requests.length === 0) return new InvalidRequestError('the batch is empty');
  if (requests.length <= limit) return undefined;
  return new InvalidRequestError(
    `the batch of ${requests.length} exceeds the limit of ${limit} requests; raise it with --batch-limit`,
  );
}

function answerRequest(
  request: unknown,
  message: RpcMessage,
  position: number | null,
  exchange: Exchange,
  room: BatchRoom | null,
): Awaitable<Answer | undefined> {
  if (!isRecord(request))
    return exchange.reject('null', new InvalidRequestError('a request must be an object'));
  const isNotification = request.id === undefined;
  const id = isNotification ? null : message.writeId(request.id, position);
  if (room?.isFull === true && typeof id === 'string')
    return exchange.reject(id, new AnswerTooLargeError(room.batch.answerLimit, false));
  if (id === undefined)
    return exchange.reject('null', new InvalidRequestError('id must be a string, a number or null'));
  if (!isCall(request, message)) return exchange.reject(id ?? 'null', faultOfRequest(request));
  return new PendingRpcCall(request.method, id, exchange, room?.batch).answer(request.params);
}

/** A call until its response is written. */
class PendingRpcCall implements Call {
  readonly method: string;
  readonly connection: Connection;
  readonly batch: Batch | undefined;
  isLogged = true;
  isAnswered = false;
  /** As JSON; `null` for a notification, which gets no response. */
  readonly #id: string | null;
  readonly #exchange: Exchange;
  readonly #startedAt: number;

  constructor(method: string, id: string | null, exchange: Exchange, batch: Batch | undefined) {
    this.method = method;
    this.connection = exchange.connection;
    this.batch = batch;
    this.#id = id;
    this.#exchange = exchange;
    this.#startedAt = exchange.options.hooks.clock?.now() ?? 0;
  }

  answer(params: unknown): Awaitable<Answer | undefined> {
    let answer: Awaitable<Answer | undefined>;
    try {
      const result = this.#exchange.service.call(this.method, params, this.connection, this);
      answer = isPromise(result) ? result.then((settled) => this.#write(settled)) : this.#write(result);
    } catch (error) {
      return this.#fail(error);
    }
    if (isPromise(answer)) {
      return answer.then(
        (written) => {
          this.#report(undefined);
          return written;
        },
        (error) => this.#fail(error),
      );
    }
    this.#report(undefined);
    return answer;
  }

  #write(result: unknown): Awaitable<Answer | undefined> {
    if (this.#id === null) return undefined;
    const limit = this.batch?.answerLimit ?? this.#exchange.options.answerLimit;
    return resultAnswer(this.#id, result, limit, this.#exchange);
  }

  #fail(error: unknown): Awaitable<Answer | undefined> {
    const refusal = answerError(this.#id ?? 'null', error, this.method, this.#exchange);
    return whenReady(refusal, (answer) => {
      this.#report(error);
      return this.#id === null ? undefined : answer;
    });
  }

  #report(error: unknown): void {
    const { onRequest, clock } = this.#exchange.options.hooks;
    this.isAnswered = true;
    if (onRequest === undefined) return;
    const durationMs = clock === undefined ? undefined : clock.now() - this.#startedAt;
    onRequest({ method: this.method, durationMs, error }, this);
  }
}

type JsonObject = Readonly<Record<string, unknown>>;

function isCall(
  request: JsonObject,
  message: RpcMessage,
): request is { readonly method: string; readonly params: unknown } {
  return (
    typeof request.method === 'string' &&
    (request.jsonrpc === '2.0' || request.jsonrpc === undefined) &&
    (request.params === undefined || typeof request.params === 'object') &&
    !isNestedTooDeep(message, request.params)
  );
}

function faultOfRequest({ jsonrpc, method, params }: JsonObject): InvalidRequestError {
  if (jsonrpc !== '2.0' && jsonrpc !== undefined) return new InvalidRequestError('jsonrpc must be "2.0"');
  if (typeof method !== 'string') return new InvalidRequestError('method must be a string');
  if (typeof params !== 'object') return new InvalidRequestError('params must be an array or an object');
  return nestingFault();
}

/**
 * Returns the error response as JSON. Writes a long one in time slices. Reports internal errors to the hooks.
 * Never rejects.
 */
function answerError(id: string, error: unknown, method: string, exchange: Exchange): Awaitable<Answer> {
  const answerBug = (bug: unknown): string => {
    // The client may have disconnected during the writing.
    if (bug instanceof CodedError) return shortErrorAnswer(id, bug);
    exchange.options.hooks.onInternalError(bug, method);
    return shortErrorAnswer(id, { code: -32603, message: `internal error: ${messageOf(bug)}` });
  };
  if (!(error instanceof CodedError)) return answerBug(error);
  try {
    const answer = errorAnswer(id, error, exchange);
    return isPromise(answer) ? answer.catch(answerBug) : answer;
  } catch (unserializable) {
    return answerBug(unserializable);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
