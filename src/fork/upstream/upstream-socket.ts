import type { Agent, ClientRequestArgs, IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { type HttpAnswer, MAX_PUBLIC_ANSWER_LENGTH, withoutCredentials } from './http-post.ts';
import type { ProxyAgents } from './proxy-agents.ts';
import type { ProxyOf } from './proxy-choice.ts';
import type { PublicNetwork } from './public-network.ts';

/** The server of a connection. */
export interface SocketTarget {
  /** A `ws:` or `wss:` URL. It may contain credentials. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the connection. */
  readonly closing: AbortSignal;
  /** The subprotocol. */
  readonly protocol?: string;
}

/** Receives the events of a connection. */
export interface SocketEvents {
  received(text: string): void;
  /** The response to a ping. */
  ponged?(): void;
  /** The server responded with HTTP instead of a connection. The connection ends directly after. */
  refused?(answer: HttpAnswer): void;
  /** Called once. */
  ended(error: Error): void;
}

/** The route to the server. */
export interface SocketRoute {
  /** The allowed hosts; `null` for all. */
  readonly network: PublicNetwork | null;
  /** The agent of a proxy; `null` to connect directly. */
  readonly agent: Agent | null;
}

/** A WebSocket connection to an upstream. */
export class UpstreamSocket {
  readonly #socket: WebSocket;
  readonly #events: SocketEvents;
  #unsent: string[] = [];
  #isOver = false;
  /** Maximum bytes of a response that is no WebSocket. */
  readonly #maxBodyLength: number;

  /** Connects. Throws a `BlockedUrlError` for a host outside of the network. */
  constructor(
    { url, headers: given, closing, protocol }: SocketTarget,
    route: SocketRoute,
    events: SocketEvents,
  ) {
    this.#events = events;
    const { network, agent } = route;
    const { url: address, headers } = withoutCredentials(url);
    // WebSocket rejects a fragment, and HTTP does not send it.
    address.hash = '';
    network?.check(address);
    const options: WebSocket.ClientOptions & ClientRequestArgs = {
      headers: { ...headers, ...given },
      perMessageDeflate: false,
      followRedirects: false,
      // Traces from the user's own upstream can have any size.
      maxPayload: network === null ? 0 : MAX_PUBLIC_ANSWER_LENGTH,
      ...(network === null ? {} : { lookup: network.lookup }),
      ...(agent === null ? {} : { agent }),
    };
    this.#maxBodyLength = network === null ? Number.POSITIVE_INFINITY : MAX_PUBLIC_ANSWER_LENGTH;
    this.#socket = new WebSocket(address, protocol === undefined ? [] : [protocol], options);
    const end = (): void => this.end(new Error('the connection is no longer needed'));
    closing.addEventListener('abort', end);
    this.#socket
      .on('open', () => this.#sendUnsent())
      // A pending request has a timer that keeps the process alive; an idle connection must not.
      .on('upgrade', (response) => void response.socket.unref())
      .on('message', (data) => events.received(data.toString()))
      .on('pong', () => events.ponged?.())
      .on('unexpected-response', (_request, response) => void this.#refused(response))
      .on('error', (error) => this.end(error))
      .on('close', (code) => {
        closing.removeEventListener('abort', end);
        this.end(new Error(`the connection was closed (${code})`));
      });
  }

  /** Sends the text, as soon as the connection is open. */
  send(text: string): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(text);
    else this.#unsent.push(text);
  }

  #sendUnsent(): void {
    for (const text of this.#unsent) this.#socket.send(text);
    this.#unsent = [];
  }

  /** Requests a pong on an open connection. */
  ping(): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.ping();
  }

  async #refused(response: IncomingMessage): Promise<void> {
    const chunks: Buffer[] = [];
    let length = 0;
    try {
      for await (const chunk of response) {
        length += chunk.length;
        if (length > this.#maxBodyLength) break;
        chunks.push(chunk);
      }
    } catch {
      // The status is sufficient without a body.
    }
    const retryAfter = response.headers['retry-after'] ?? null;
    const text = Buffer.concat(chunks).toString();
    this.#events.refused?.({ status: response.statusCode ?? 0, retryAfter, text });
    this.end(new Error('the connection was refused'));
  }

  end(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#events.ended(error);
    this.#socket.terminate();
  }
}

/** Returns the agent of the proxy for a target; `null` to connect directly. */
export type AgentFor = (target: Pick<SocketTarget, 'url' | 'closing'>) => Promise<Agent | null>;

/** Returns agents that targets share. They end when the first target closes. */
export function socketAgents(network: PublicNetwork | null, proxyOf: ProxyOf): AgentFor {
  let proxies: ProxyAgents | undefined;
  return async ({ url, closing }) => {
    const target = new URL(url);
    const proxy = proxyOf(target);
    if (proxy === null) return null;
    const { ProxyAgents } = await import('./proxy-agents.ts');
    if (proxies === undefined) {
      const agents = new ProxyAgents(network ?? undefined);
      closing.addEventListener('abort', () => agents.destroy(), { once: true });
      proxies = agents;
    }
    return proxies.agentFor(proxy, target);
  };
}

/** Opens a connection. Rejects with a `BlockedUrlError` for a host that is not allowed. */
export type OpenUpstreamSocket = (target: SocketTarget, events: SocketEvents) => Promise<UpstreamSocket>;

/** Returns a function that opens connections within the network, through the proxies of the targets. */
export function socketsIn(network: PublicNetwork | null, proxyOf: ProxyOf): OpenUpstreamSocket {
  const agentFor = socketAgents(network, proxyOf);
  return async (target, events) => {
    const agent = await agentFor(target);
    return new UpstreamSocket(target, { network, agent }, events);
  };
}
