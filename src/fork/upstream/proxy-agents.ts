// Agents of node:http that connect through a proxy. Loaded on demand, because few forks use a proxy.

import { setMaxListeners } from 'node:events';
import type { Agent, ClientRequest } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { HttpProxyAgent } from 'http-proxy-agent';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { maskUrl } from './mask-url.ts';
import { ProxyError } from './proxy-error.ts';
import type { PublicNetwork } from './public-network.ts';

type ConnectOptions = Parameters<HttpsProxyAgent<string>['connect']>[1];

const OK = 200;
const AUTHENTICATION_REQUIRED = 407;

/** Returns the error for an HTTP status of the proxy itself. */
export function proxyStatusError(proxy: URL, status: number): ProxyError {
  const name = `the proxy ${maskUrl(proxy.href)}`;
  if (status === AUTHENTICATION_REQUIRED)
    return new ProxyError(
      `${name} requires other credentials (HTTP 407); set them in the URL of --fork-proxy or the environment`,
      { mayPass: false },
    );
  return new ProxyError(`${name} does not connect to the host (HTTP ${status})`, { mayPass: status >= 500 });
}

function unreachable(proxy: URL, error: unknown): ProxyError {
  const words = error instanceof Error && error.message !== '' ? error.message : 'no connection';
  return new ProxyError(`cannot connect through the proxy ${maskUrl(proxy.href)}: ${words}`, {
    mayPass: true,
    cause: error,
  });
}

/** Sends requests with an absolute URL, for upstreams without TLS (RFC 9112, section 3.2.2). */
class ForwardingAgent extends HttpProxyAgent<string> {
  override async connect(
    request: Parameters<HttpProxyAgent<string>['connect']>[0],
    options: ConnectOptions,
  ): Promise<Socket> {
    try {
      return await super.connect(request, options);
    } catch (error) {
      throw unreachable(this.proxy, error);
    }
  }
}

function checkedAddress(network: PublicNetwork, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    network.lookup(host, { all: false }, (error, address) => {
      if (error === null && typeof address === 'string') resolve(address);
      else reject(error);
    });
  });
}

/** Connects by CONNECT (RFC 9110, section 9.3.6). With a `network`, the proxy gets a checked address. */
class TunnelAgent extends HttpsProxyAgent<string> {
  readonly #network: PublicNetwork | undefined;

  /** `closing` closes all connections, also before the proxy responds. */
  constructor(proxy: URL, network: PublicNetwork | undefined, closing: AbortSignal) {
    super(proxy, { keepAlive: true, signal: closing });
    this.#network = network;
  }

  override async connect(request: ClientRequest, options: ConnectOptions): Promise<Socket> {
    const target = await this.#checked(options);
    let status = OK;
    request.once('proxyConnect', ({ statusCode }: { readonly statusCode: number }) => {
      status = statusCode;
    });
    const socket = await super.connect(request, target).catch((error: unknown) => {
      throw unreachable(this.proxy, error);
    });
    if (status === OK) return socket;
    socket.destroy();
    throw proxyStatusError(this.proxy, status);
  }

  async #checked(options: ConnectOptions): Promise<ConnectOptions> {
    const { host = '' } = options;
    if (this.#network === undefined || isIP(host) !== 0) return options;
    const address = await checkedAddress(this.#network, host);
    const servername = options.secureEndpoint ? { servername: options.servername ?? host } : {};
    return { ...options, ...servername, host: address };
  }
}

/** The agents of a transport by proxy. */
export class ProxyAgents {
  readonly #network: PublicNetwork | undefined;
  readonly #agents = new Map<string, Agent>();
  readonly #closing = new AbortController();

  constructor(network: PublicNetwork | undefined) {
    this.#network = network;
    // Each connection has a listener.
    setMaxListeners(0, this.#closing.signal);
  }

  /**
   * Returns the agent for a target. Proxies often allow CONNECT only for TLS, so http URLs are forwarded. A
   * forwarded request contains the host name, which the proxy would resolve again; with a `network`, a tunnel
   * to the checked address is used instead.
   */
  agentFor(proxy: URL, target: URL): Agent {
    const isForwarded = target.protocol === 'http:' && this.#network === undefined;
    const key = `${isForwarded} ${proxy.href}`;
    const known = this.#agents.get(key);
    if (known !== undefined) return known;
    const agent = isForwarded
      ? new ForwardingAgent(proxy, { keepAlive: true })
      : new TunnelAgent(proxy, this.#network, this.#closing.signal);
    this.#agents.set(key, agent);
    return agent;
  }

  destroy(): void {
    this.#closing.abort();
    for (const agent of this.#agents.values()) agent.destroy();
  }
}
