// The transport of requests to an upstream, and its implementation over HTTP.

import { percentDecoded } from './mask-url.ts';

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

/** Thrown for a port that `fetch` never calls, since browsers do not either: those of mail, X11 and other protocols. */
export class RefusedPortError extends Error {
  override readonly name = 'RefusedPortError';

  constructor(port: string) {
    super(
      `port ${port} is one that fetch refuses to call, as browsers do (https://fetch.spec.whatwg.org/#port-blocking), so that the node has to listen on another one`,
    );
  }
}

/** Returns true for the error of `fetch` about such a port. */
export function isPortRefused(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof Error && error.cause.message === 'bad port';
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
