// The form of upstream requests and responses on every transport.

import { BlockedUrlError } from './blocked-port.ts';
import { percentDecoded } from './mask-url.ts';
import { ProxyError } from './proxy-error.ts';

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

/** True for a URL of WebSocket, with or without TLS. */
export function isWebSocketUrl(url: string): boolean {
  return /^wss?:/i.test(url);
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

/** Returns true if a retry after the error of a request may succeed. */
export function mayPassError(error: unknown): boolean {
  if (error instanceof ProxyError) return error.mayPass;
  return !(error instanceof BlockedUrlError || error instanceof AnswerTooLongError);
}

/** Returns true for the error of an HTTP or WebSocket request that reached no server. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof BlockedUrlError || error instanceof ProxyError) return true;
  return ('code' in error && UNREACHABLE.has(error.code)) || isUnreachable(error.cause);
}
