// The transport over HTTP and HTTPS, with connections that stay open.

import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
  request as requestHttp,
} from 'node:http';
import { request as requestHttps, Agent as SecureAgent } from 'node:https';
import { checkPort } from './blocked-port.ts';
import { decodedText } from './content-encoding.ts';
import {
  AnswerTooLongError,
  type HttpAnswer,
  type HttpPost,
  MAX_PUBLIC_ANSWER_LENGTH,
  withoutCredentials,
} from './http-post.ts';
import { maskUrl } from './mask-url.ts';
import type { ProxyAgents } from './proxy-agents.ts';
import type { ProxyOf } from './proxy-choice.ts';
import type { PublicNetwork } from './public-network.ts';

interface TransportOptions {
  /** The reachable hosts. Default: every host, and responses of any length. */
  readonly network?: PublicNetwork;
  /** Default: no proxies. */
  readonly proxyOf?: ProxyOf;
  /**
   * False to open a connection for each request. On a kept connection, a request can be sent twice. Default:
   * true.
   */
  readonly keepsConnections?: boolean;
}

/** A received response. */
interface Received {
  readonly response: IncomingMessage;
  readonly body: Buffer;
}

/** Statuses that ask for the same request at another URL (RFC 9110, 15.4.8 and 15.4.9). */
const REDIRECTS: ReadonlySet<number> = new Set([307, 308]);
const MAX_REDIRECTS = 5;

/** Only proxies send it. */
const PROXY_AUTHENTICATION_REQUIRED = 407;

/** `fetch` sends the same headers. Some servers reject requests without them. */
const COMMON_HEADERS = {
  accept: '*/*',
  'accept-encoding': 'gzip, deflate, br',
  'content-type': 'application/json',
  'user-agent': 'node',
} as const;

/** Returns the first error of a connection that was tried at several addresses. */
function firstError(error: Error): Error {
  const [first = error] = error instanceof AggregateError ? error.errors : [];
  return first;
}

/** True if the server closed an idle connection at the time of the request. */
function isStale(request: ClientRequest, error: Error): boolean {
  return request.reusedSocket && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

/** Sends a request on a connection of the agent. A failed idle connection is replaced once. */
function send(
  target: URL,
  options: RequestOptions & { readonly agent: Agent },
  body: string,
  signal: AbortSignal,
  limit: number,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    let request: ClientRequest;
    const fail = (error: Error): void => {
      signal.removeEventListener('abort', abort);
      reject(firstError(error));
    };
    // A request emits no error while its agent connects to a proxy.
    const abort = (): void => {
      request.destroy(signal.reason);
      fail(signal.reason);
    };
    const receive = (response: IncomingMessage): void => {
      const chunks: Buffer[] = [];
      let length = 0;
      response
        .on('data', (chunk: Buffer) => {
          length += chunk.length;
          if (length > limit) response.destroy(new AnswerTooLongError(limit));
          else chunks.push(chunk);
        })
        .on('error', (error) => fail(signal.aborted ? signal.reason : error))
        .on('end', () => {
          signal.removeEventListener('abort', abort);
          resolve({ response, body: Buffer.concat(chunks) });
        });
    };
    const begin = (isRepeated: boolean): void => {
      request = (target.protocol === 'https:' ? requestHttps : requestHttp)(target, options, receive);
      request.on('error', (error) => {
        if (isRepeated || signal.aborted || !isStale(request, error)) return fail(error);
        // The other idle connections may have ended, too.
        for (const sockets of Object.values(options.agent.freeSockets))
          for (const socket of sockets ?? []) socket.destroy();
        begin(true);
      });
      request.end(body);
    };
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener('abort', abort);
    begin(false);
  });
}

/** Returns the URL of a redirect; `null` for any other response. */
function redirectOf({ statusCode = 0, headers: { location } }: IncomingMessage, from: URL): URL | null {
  if (!REDIRECTS.has(statusCode) || location === undefined || !URL.canParse(location, from.href)) return null;
  const url = new URL(location, from);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : null;
}

/**
 * Returns a transport over HTTP and HTTPS. Connections stay open until `closing` aborts; idle ones do not
 * keep the process alive. Redirects are followed if they do not send headers to another origin. With a
 * `network`, the port and every resolved address are checked first, and no redirect is followed.
 */
export function httpTransport({
  network,
  proxyOf = () => null,
  keepsConnections = true,
}: TransportOptions = {}): HttpPost {
  const agentOptions = { keepAlive: keepsConnections };
  const agents = { 'http:': new Agent(agentOptions), 'https:': new SecureAgent(agentOptions) };
  const limit = network === undefined ? Number.POSITIVE_INFINITY : MAX_PUBLIC_ANSWER_LENGTH;
  const closings = new WeakSet<AbortSignal>();
  let proxies: ProxyAgents | undefined;
  const destroy = (): void => {
    for (const agent of Object.values(agents)) agent.destroy();
    proxies?.destroy();
  };
  const proxyAgent = async (proxy: URL, target: URL): Promise<Agent> => {
    const { ProxyAgents } = await import('./proxy-agents.ts');
    proxies ??= new ProxyAgents(network);
    return proxies.agentFor(proxy, target);
  };

  /** `secrets` are the headers for the origin of the first URL only. */
  const post = async (
    target: URL,
    secrets: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
    redirects: number,
  ): Promise<HttpAnswer> => {
    if (network === undefined) checkPort(target);
    else network.check(target);
    const proxy = proxyOf(target);
    const directAgent = target.protocol === 'https:' ? agents['https:'] : agents['http:'];
    const options = {
      method: 'POST',
      headers: { ...COMMON_HEADERS, 'content-length': Buffer.byteLength(body), ...secrets },
      agent: proxy === null ? directAgent : await proxyAgent(proxy, target),
      ...(network === undefined ? {} : { lookup: network.lookup }),
    };
    const { response, body: bytes } = await send(target, options, body, signal, limit);
    const status = response.statusCode ?? 0;
    const retryAfter = response.headers['retry-after'] ?? null;
    if (proxy !== null && status === PROXY_AUTHENTICATION_REQUIRED) {
      const { proxyStatusError } = await import('./proxy-agents.ts');
      throw proxyStatusError(proxy, status);
    }
    const next = network === undefined ? redirectOf(response, target) : null;
    if (next !== null) {
      const isAllowed = next.origin === target.origin || Object.keys(secrets).length === 0;
      if (isAllowed && redirects < MAX_REDIRECTS) return post(next, secrets, body, signal, redirects + 1);
      return { status, retryAfter, text: `redirect to ${maskUrl(next.href)}; use this URL instead` };
    }
    return {
      status,
      retryAfter,
      text: await decodedText(bytes, response.headers['content-encoding'], limit),
    };
  };

  return async ({ url: text, headers: given, body, signal, closing }) => {
    const { url, headers } = withoutCredentials(text);
    if (!closings.has(closing)) closing.addEventListener('abort', destroy, { once: true });
    closings.add(closing);
    return post(url, { ...headers, ...given }, body, signal, 0);
  };
}
