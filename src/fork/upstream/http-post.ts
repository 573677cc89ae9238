// The form of upstream requests and responses on every transport.

import { isNestedDeeper } from '../../json/json-reader.ts';
import { asObject } from '../../wire/tolerant.ts';
import { BlockedUrlError } from './blocked-port.ts';
import { percentDecoded } from './mask-url.ts';
import type { CallAnswer, Rejection } from './upstream-call.ts';

export interface HttpRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Aborts if the response is no longer needed, also after the last request. */
  readonly signal: AbortSignal;
  /** Aborts after the last request, to close idle connections. */
  readonly closing: AbortSignal;
}

/** The upstream's response with any status. */
export interface HttpAnswer {
  readonly status: number;
  /** The header Retry-After, or `null`. */
  readonly retryAfter: string | null;
  readonly text: string;
}

/** Posts a request. Rejects without a response, or if the signal aborts. */
export type HttpPost = (request: HttpRequest) => Promise<HttpAnswer>;

/** Returns the URL without credentials, and the header that contains them. */
export function withoutCredentials(text: string): {
  readonly url: URL;
  readonly headers: Record<string, string>;
} {
  const url = new URL(text);
  if (url.username === '' && url.password === '') return { url, headers: {} };
  const credentials = `${percentDecoded(url.username)}:${percentDecoded(url.password)}`;
  url.username = '';
  url.password = '';
  return {
    url,
    headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
  };
}

/** Maximum bytes of a response from an untrusted URL, to protect the memory. */
export const MAX_PUBLIC_ANSWER_LENGTH = 16 * 1024 * 1024;

/** Thrown for a response above the maximum length. */
export class AnswerTooLongError extends Error {
  override readonly name = 'AnswerTooLongError';

  /** `limit` is in bytes. */
  constructor(limit: number) {
    super(`its response is longer than ${limit / 2 ** 20} MiB`);
  }
}

/** System errors for an unreachable address. The last two are failed name lookups. */
const UNREACHABLE: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Returns true for the error of an HTTP or WebSocket request that reached no server. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof BlockedUrlError) return true;
  return ('code' in error && UNREACHABLE.has(error.code)) || isUnreachable(error.cause);
}

const RATE_LIMITED =
  /rate.?limit|too many requests|compute units|request count|throughput|exceeded.*(capacity|quota)/i;

/** Error codes of providers for too many requests. */
const RATE_LIMIT_CODES: ReadonlySet<number> = new Set([429, -32005, -32097]);

/** True for an error that only reports too many requests. */
export function isRateLimit({ code, message }: Rejection): boolean {
  return RATE_LIMIT_CODES.has(code) || RATE_LIMITED.test(message);
}

/** Returns the error of a JSON-RPC response, even if malformed; `undefined` without an error. */
export function rpcErrorOf(answer: unknown): Rejection | undefined {
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
 * True for the response with this id. Errors without an id match too, because servers send them if they
 * cannot parse a request (JSON-RPC 2.0, response object).
 */
function isOf(answer: unknown, wanted: number): boolean {
  const id = asObject(answer)?.id;
  const isNone = id === undefined || id === null;
  return id === wanted || (isNone && rpcErrorOf(answer) !== undefined);
}

/** The maximum nesting of a result: deeper than traces of 1024 nested calls. */
export const NESTING_LIMIT = 2_500;

/** True if the result is nested too deep for recursive functions such as `JSON.stringify`. */
export function isTooDeep(result: unknown): boolean {
  return isNestedDeeper(result, NESTING_LIMIT);
}

/** Returns the result of the call with this id from a JSON-RPC response. */
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

/** Returns the results of a batch from its responses in any order. The calls' ids count from 0. */
export function readAnswers(answers: readonly unknown[], count: number): CallAnswer[] {
  const byId = new Map<unknown, unknown>();
  for (const answer of answers) byId.set(asObject(answer)?.id, answer);
  return Array.from({ length: count }, (_, id) =>
    byId.has(id)
      ? readAnswer(byId.get(id), id)
      : { kind: 'failed', reason: 'its batch response omits a request' },
  );
}
