// The transport of requests to an upstream, and its implementation over HTTP.

import { isNestedDeeper } from '../../json/json-reader.ts';
import { asObject } from '../../wire/tolerant.ts';
import { percentDecoded } from './mask-url.ts';
import { isPortRefused, RefusedPortError, RefusedUrlError } from './refused-port.ts';
import type { CallAnswer, Refusal } from './upstream-call.ts';

/** A request to the upstream. */
export interface HttpRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Aborts when the answer is no longer needed. */
  readonly signal: AbortSignal;
  /** Aborts when no more requests will follow: open connections are to be closed. */
  readonly closing: AbortSignal;
}

/** The upstream's answer, whatever its status. */
export interface HttpAnswer {
  readonly status: number;
  /** The header Retry-After; `null` for none. */
  readonly retryAfter: string | null;
  readonly text: string;
}

/** Posts a request; rejects when there is no answer, and when the signal aborts. */
export type HttpPost = (request: HttpRequest) => Promise<HttpAnswer>;

/** Returns the URL without credentials, and the header that replaces them. `fetch` refuses URLs with credentials. */
export function withoutCredentials(text: string): {
  readonly url: string;
  readonly headers: Record<string, string>;
} {
  const url = new URL(text);
  if (url.username === '' && url.password === '') return { url: text, headers: {} };
  const credentials = `${percentDecoded(url.username)}:${percentDecoded(url.password)}`;
  url.username = '';
  url.password = '';
  return {
    url: url.href,
    headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
  };
}

/** Thrown for an answer that is longer than the node reads. */
export class AnswerTooLongError extends Error {
  override readonly name = 'AnswerTooLongError';

  /** `limit`: in bytes. */
  constructor(limit: number) {
    super(`its response is longer than ${limit / 2 ** 20} MiB`);
  }
}

/** Errors of the system by which no server was found at an address; a name is not found with the last two. */
const UNREACHABLE: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Returns true for the error of a request, over HTTP or WebSocket, that did not reach any server. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof RefusedUrlError) return true;
  return ('code' in error && UNREACHABLE.has(error.code)) || isUnreachable(error.cause);
}

/** Posts over HTTP or HTTPS with the platform's client. */
export const fetchPost: HttpPost = async ({ url: text, headers: given, body, signal }) => {
  const { url, headers } = withoutCredentials(text);
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers, ...given },
    body,
    signal,
  }).catch((error: unknown) => {
    throw isPortRefused(error) ? new RefusedPortError(new URL(url).port) : error;
  });
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    text: await response.text(),
  };
};

const RATE_LIMITED =
  /rate.?limit|too many requests|compute units|request count|throughput|exceeded.*(capacity|quota)/i;

/** Codes with which providers report too many requests. */
const RATE_LIMIT_CODES: ReadonlySet<number> = new Set([429, -32005, -32097]);

/** True for a refusal that only reports too many requests. */
export function isRateLimit({ code, message }: Refusal): boolean {
  return RATE_LIMIT_CODES.has(code) || RATE_LIMITED.test(message);
}

/** Returns the error of a JSON-RPC answer, however malformed; `undefined` when there is none. */
export function rpcErrorOf(answer: unknown): Refusal | undefined {
  const error = asObject(answer)?.error;
  if (error === undefined || error === null) return undefined;
  const fields = asObject(error);
  if (fields === undefined) return { code: -32000, message: String(error) };
  const { code, message, data } = fields;
  return {
    code: typeof code === 'number' ? code : -32000,
    message: typeof message === 'string' ? message : JSON.stringify(error),
    ...(data === undefined ? {} : { data }),
  };
}

/**
 * True for the answer to the call with that id, and for a refusal without an id, which servers send when they cannot
 * parse a request (JSON-RPC 2.0, response object).
 */
function isOf(answer: unknown, wanted: number): boolean {
  const id = asObject(answer)?.id;
  const isNone = id === undefined || id === null;
  return id === wanted || (isNone && rpcErrorOf(answer) !== undefined);
}

/** The maximum nesting of a result: more than traces of 1024 nested calls have. */
export const NESTING_LIMIT = 2_500;

/** True for a result that is nested too deep for recursion over it, such as that of `JSON.stringify`. */
export function isTooDeep(result: unknown): boolean {
  return isNestedDeeper(result, NESTING_LIMIT);
}

/** Returns the result of the call with that id according to one JSON-RPC answer. */
export function readAnswer(answer: unknown, id: number): CallAnswer {
  if (isTooDeep(asObject(answer)?.result))
    return { kind: 'failed', reason: `its result is nested deeper than ${NESTING_LIMIT} levels` };
  if (!isOf(answer, id)) {
    const own = asObject(answer)?.id;
    const words = own === undefined ? 'no id' : `id ${JSON.stringify(own)}`;
    return { kind: 'failed', reason: `its response belongs to another request (${words})` };
  }
  const refusal = rpcErrorOf(answer);
  if (refusal !== undefined) {
    return isRateLimit(refusal)
      ? { kind: 'failed', reason: `${refusal.message} (${refusal.code})` }
      : { kind: 'refused', refusal };
  }
  const fields = asObject(answer);
  if (fields !== undefined && 'result' in fields) return { kind: 'result', result: fields.result };
  return { kind: 'failed', reason: 'its response has neither result nor error' };
}

/** Returns the results of a batch's calls, whose ids count from 0, from its answers in any order. */
export function readAnswers(answers: readonly unknown[], count: number): CallAnswer[] {
  const byId = new Map<unknown, unknown>();
  for (const answer of answers) byId.set(asObject(answer)?.id, answer);
  return Array.from({ length: count }, (_, id) =>
    byId.has(id)
      ? readAnswer(byId.get(id), id)
      : { kind: 'failed', reason: 'its batch response omits a request' },
  );
}
