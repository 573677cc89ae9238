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

/** The context of one request. */
interface AnswerOptions extends Pick<EnvelopeOptions, 'answerLimit' | 'hooks'> {
  /** The work budget of the whole message. */
  readonly slice: TimeSlice;
  /** The batch of the request. */
  readonly batch?: Batch;
  /** True if the earlier responses leave no room for another one. */
  readonly isFull?: boolean;
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
  const refuse = (error: unknown): string => {
    if (error instanceof CodedError) return rejectMessage('null', error, connection, options.hooks);
    throw error;
  };
  const slice = new TimeSlice(clientCheck(connection), undefined, service.yielder);
  let message: Awaitable<RpcMessage>;
  try {
    message = readMessage(text, slice);
  } catch (error) {
    return refuse(error);
  }
  if (!isPromise(message)) return answerRead(message, service, connection, options, slice);
  return message.then((read) => answerRead(read, service, connection, options, slice), refuse);
}

function answerRead(
  message: RpcMessage,
  service: RpcService,
  connection: Connection,
  options: EnvelopeOptions,
  slice: TimeSlice,
): Awaitable<Answer | undefined> {
  const { value, ids, fault } = message;
  const { answerLimit, hooks } = options;
  if (fault !== undefined) {
    // The id may follow the params in the text. Then it was not read.
    const id = isRecord(value) && value.id !== undefined ? ids.write(value.id, null) : undefined;
    return rejectMessage(id ?? 'null', fault, connection, hooks);
  }
  return Array.isArray(value)
    ? runTask(answerBatch(value, message, service, connection, options, slice), slice)
    : answerRequest(value, message, null, service, connection, { answerLimit, hooks, slice });
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
  service: RpcService,
  connection: Connection,
  { batchLimit, answerLimit, hooks }: EnvelopeOptions,
  slice: TimeSlice,
): Task<Answer | undefined> {
  const fault = faultOfBatch(requests, batchLimit);
  if (fault) return rejectMessage('null', fault, connection, hooks);
  const answers: Answer[] = [];
  const batch: Batch = { begunAt: null, answerLimit };
  let length = 0;
  for (let position = 0; position < requests.length; position++) {
    const left = answerLimit - length;
    batch.answerLimit = left;
    const isFull = length > 0 && left < Math.min(MIN_ROOM, answerLimit / 16);
    const room = { answerLimit: left, isFull, hooks, slice, batch };
    const request = requests[position];
    const answered = answerRequest(request, message, position, service, connection, room);
    const answer = isPromise(answered) ? yield* waitFor(answered) : answered;
    yield REQUEST_WORK;
    if (answer === undefined) continue;
    answers.push(answer);
    length += answer.length;
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
  service: RpcService,
  connection: Connection,
  options: AnswerOptions,
): Awaitable<Answer | undefined> {
  const { hooks } = options;
  if (options.isFull === true) {
    const id =
      isRecord(request) && request.id !== undefined ? message.ids.write(request.id, position) : undefined;
    if (id !== undefined)
      return rejectMessage(
        id ?? 'null',
        new AnswerTooLargeError(options.answerLimit, false),
        connection,
        hooks,
      );
  }
  if (!isRecord(request)) {
    return rejectMessage('null', new InvalidRequestError('a request must be an object'), connection, hooks);
  }
  const isNotification = request.id === undefined;
  const id = isNotification ? null : message.ids.write(request.id, position);
  if (id === undefined) {
    const fault = new InvalidRequestError('id must be a string, a number or null');
    return rejectMessage('null', fault, connection, hooks);
  }
  if (!isCall(request, message))
    return rejectMessage(id ?? 'null', faultOfRequest(request), connection, hooks);
  const { method, params } = request;
  const call: Call = { method, connection, batch: options.batch, isLogged: true, isAnswered: false };
  return new PendingRpcCall(call, id, options).answer(service, params);
}

/** A call until its response is written. */
class PendingRpcCall {
  readonly #call: Call;
  /** As JSON; `null` for a notification, which gets no response. */
  readonly #id: string | null;
  readonly #options: AnswerOptions;
  readonly #startedAt: number | undefined;

  constructor(call: Call, id: string | null, options: AnswerOptions) {
    this.#call = call;
    this.#id = id;
    this.#options = options;
    this.#startedAt = options.hooks.clock?.now();
  }

  answer(service: RpcService, params: unknown): Awaitable<Answer | undefined> {
    try {
      const { method, connection } = this.#call;
      const result = service.call(method, params, connection, this.#call);
      const answer = isPromise(result) ? result.then((settled) => this.#write(settled)) : this.#write(result);
      if (isPromise(answer)) {
        return answer.then(
          (written) => this.#succeed(written),
          (error) => this.#fail(error),
        );
      }
      return this.#succeed(answer);
    } catch (error) {
      return this.#fail(error);
    }
  }

  #write(result: unknown): Awaitable<Answer | undefined> {
    const { answerLimit, slice } = this.#options;
    return this.#id === null ? undefined : resultAnswer(this.#id, result, answerLimit, slice);
  }

  #succeed(answer: Answer | undefined): Answer | undefined {
    this.#report(undefined);
    return answer;
  }

  #fail(error: unknown): Awaitable<Answer | undefined> {
    const { hooks, slice } = this.#options;
    const refusal = answerError(this.#id ?? 'null', error, this.#call.method, hooks, slice);
    return whenReady(refusal, (answer) => {
      this.#report(error);
      return this.#id === null ? undefined : answer;
    });
  }

  #report(error: unknown): void {
    const { onRequest, clock } = this.#options.hooks;
    this.#call.isAnswered = true;
    if (onRequest === undefined) return;
    const report = {
      method: this.#call.method,
      ...(clock && this.#startedAt !== undefined && { durationMs: clock.now() - this.#startedAt }),
      ...(error !== undefined && { error }),
    };
    onRequest(report, this.#call);
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

/** Returns the error response to an invalid message, as JSON. Reports its sender to the hooks. */
function rejectMessage(id: string, error: CodedError, connection: Connection, hooks: CallHooks): string {
  hooks.onInvalidMessage?.(connection, error);
  return shortErrorAnswer(id, error);
}

/**
 * Returns the error response as JSON. Writes a long one in time slices. Reports internal errors to the hooks.
 * Never rejects.
 */
function answerError(
  id: string,
  error: unknown,
  method: string,
  hooks: CallHooks,
  slice: TimeSlice,
): Awaitable<Answer> {
  const answerBug = (bug: unknown): string => {
    // The client may have disconnected during the writing.
    if (bug instanceof CodedError) return shortErrorAnswer(id, bug);
    hooks.onInternalError(bug, method);
    return shortErrorAnswer(id, { code: -32603, message: `internal error: ${messageOf(bug)}` });
  };
  if (!(error instanceof CodedError)) return answerBug(error);
  try {
    const answer = errorAnswer(id, error, slice);
    return isPromise(answer) ? answer.catch(answerBug) : answer;
  } catch (unserializable) {
    return answerBug(unserializable);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
