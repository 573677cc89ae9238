import { type HttpPost, isWebSocketUrl } from './http-post.ts';
import { httpTransport } from './http-transport.ts';
import type { ProxyOf } from './proxy-choice.ts';
import type { PublicNetwork } from './public-network.ts';
import type { OpenUpstreamSocket } from './upstream-socket.ts';

/** The URLs of the node's user, which may lead anywhere, and the limits of all others. */
export interface UrlTrust {
  readonly isTrusted: (url: string) => boolean;
  /** The hosts of other URLs. Default: the public internet. */
  readonly network?: PublicNetwork;
}

/**
 * Returns a transport over HTTP or WebSocket, depending on the URL. Connections are reused within a fork.
 * Untrusted URLs reach public hosts only; without `trust`, all are trusted. Default: no proxies.
 */
export function upstreamPost(trust: UrlTrust | null = null, proxyOf: ProxyOf = () => null): HttpPost {
  const overHttp = httpTransport({ proxyOf });
  let overWebSocket: Promise<HttpPost> | undefined;
  let untrusted: Promise<HttpPost> | undefined;
  return async (request) => {
    if (trust !== null && !trust.isTrusted(request.url)) {
      untrusted ??= publicUpstreamPost(trust.network, proxyOf);
      const post = await untrusted;
      return post(request);
    }
    if (!isWebSocketUrl(request.url)) return overHttp(request);
    overWebSocket ??= import('./web-socket-post.ts').then(({ webSocketPost }) =>
      webSocketPost(null, proxyOf),
    );
    const post = await overWebSocket;
    return post(request);
  };
}

async function publicUpstreamPost(given: PublicNetwork | undefined, proxyOf: ProxyOf): Promise<HttpPost> {
  const [{ PublicNetwork }, { webSocketPost }] = await Promise.all([
    import('./public-network.ts'),
    import('./web-socket-post.ts'),
  ]);
  const network = given ?? new PublicNetwork();
  const overHttp = httpTransport({ network, proxyOf });
  const overWebSocket = webSocketPost(network, proxyOf);
  return (request) => (isWebSocketUrl(request.url) ? overWebSocket(request) : overHttp(request));
}

/** Returns a function that opens WebSocket connections. It has the rules of {@link upstreamPost}. */
export function upstreamSockets(
  trust: UrlTrust | null = null,
  proxyOf: ProxyOf = () => null,
): OpenUpstreamSocket {
  const openTo = async (network: PublicNetwork | null): Promise<OpenUpstreamSocket> => {
    const { socketsIn } = await import('./upstream-socket.ts');
    return socketsIn(network, proxyOf);
  };
  const publicNetwork = async (): Promise<PublicNetwork> => {
    const { PublicNetwork } = await import('./public-network.ts');
    return trust?.network ?? new PublicNetwork();
  };
  let trusted: Promise<OpenUpstreamSocket> | undefined;
  let untrusted: Promise<OpenUpstreamSocket> | undefined;
  const openFor = (url: string): Promise<OpenUpstreamSocket> => {
    if (trust !== null && !trust.isTrusted(url)) {
      untrusted ??= publicNetwork().then(openTo);
      return untrusted;
    }
    trusted ??= openTo(null);
    return trusted;
  };
  return async (target, events) => {
    const open = await openFor(target.url);
    return open(target, events);
  };
}
