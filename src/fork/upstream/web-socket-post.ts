import type { Agent, ClientRequestArgs, IncomingMessage } from 'node:http';
import { type RawData, WebSocket } from 'ws';
import { asObject } from '../../wire/tolerant.ts';
import {
  type HttpAnswer,
  type HttpPost,
  type HttpRequest,
  MAX_PUBLIC_ANSWER_LENGTH,
  withoutCredentials,
} from './http-post.ts';
import type { ProxyAgents } from './proxy-agents.ts';
import type { ProxyOf } from './proxy-choice.ts';
import type { PublicNetwork } from './public-network.ts';
import { idOf, isTooDeep } from './rpc-answer.ts';

/** A pending request. */
interface Exchange {
  readonly firstId: number;
  readonly ids: readonly number[];
  resolve(answer: HttpAnswer): void;
  reject(error: Error): void;
}

const OK = 200;

/** One connection to the upstream, with any number of pending requests. */
class Connection {
  readonly #socket: WebSocket;
  readonly #onEnd: () => void;
  /** The pending requests by each of their ids, oldest first. */
  readonly #exchanges = new Map<number, Exchange>();
  #unsent: string[] = [];
  #nextId = 1;
  #isOver = false;
  /** Maximum bytes of a response that is no WebSocket. */
  readonly #maxBodyLength: number;

  constructor(
    { url: text, headers: given, closing }: HttpRequest,
    network: PublicNetwork | null,
    agent: Agent | null,
    onEnd: () => void,
  ) {
    this.#onEnd = onEnd;
    const { url: address, headers } = withoutCredentials(text);
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
    this.#socket = new WebSocket(address, options);
    const end = (): void => this.end(new Error('the connection is no longer needed'));
    closing.addEventListener('abort', end);
    this.#socket
      .on('open', () => this.#sendUnsent())
      // A pending request has a timer that keeps the process alive; an idle connection must not.
      .on('upgrade', (response) => void response.socket.unref())
      .on('message', (data) => this.#receive(data))
      .on('unexpected-response', (_request, response) => void this.#refused(response))
      .on('error', (error) => this.end(error))
      .on('close', (code) => {
        closing.removeEventListener('abort', end);
        this.end(new Error(`the connection was closed (${code})`));
      });
  }

  /** Returns the response to a JSON-RPC request or batch. Rejects if the connection ends before. */
  ask(body: string, signal: AbortSignal): Promise<HttpAnswer> {
    const request: unknown = JSON.parse(body);
    const calls: readonly unknown[] = Array.isArray(request) ? request : [request];
    // Each request numbers its calls from 0. On a shared connection the ids must differ.
    const firstId = this.#nextId;
    this.#nextId += calls.length;
    const numbered = calls.map((call, index) => ({ ...asObject(call), id: firstId + index }));
    return new Promise((resolve, reject) => {
      // After a timeout, the connection may be dead without an error.
      const giveUp = (): void => this.end(new Error('the request was cancelled'));
      const settled = (): void => signal.removeEventListener('abort', giveUp);
      const exchange: Exchange = {
        firstId,
        ids: numbered.map(({ id }) => id),
        resolve(answer) {
          settled();
          resolve(answer);
        },
        reject(error) {
          settled();
          reject(error);
        },
      };
      for (const id of exchange.ids) this.#exchanges.set(id, exchange);
      signal.addEventListener('abort', giveUp);
      const text = JSON.stringify(Array.isArray(request) ? numbered : numbered[0]);
      if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(text);
      else this.#unsent.push(text);
    });
  }

  #sendUnsent(): void {
    for (const text of this.#unsent) this.#socket.send(text);
    this.#unsent = [];
  }

  #receive(data: RawData): void {
    const text = data.toString();
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      // Without an id the request is unknown, but the response is certainly malformed.
      message = undefined;
    }
    // Subscription notifications are no responses.
    if (asObject(message)?.method !== undefined) return;
    const answers: readonly unknown[] = Array.isArray(message) ? message : [message];
    const id = answers.map(idOf).find((one) => one !== null) ?? null;
    const exchange = id === null ? this.#maxDoubtful() : this.#exchanges.get(id);
    if (exchange === undefined) return;
    this.#forget(exchange);
    const { firstId } = exchange;
    const ownId = (answer: unknown): unknown => {
      const one = idOf(answer);
      return one === null ? answer : { ...asObject(answer), id: one - firstId };
    };
    const own = Array.isArray(message) ? answers.map(ownId) : ownId(message);
    // An invalid or too deeply nested response is passed on, so that the caller reports it.
    const isAsItCame = own === undefined || isTooDeep(own);
    exchange.resolve({ status: OK, retryAfter: null, text: isAsItCame ? text : JSON.stringify(own) });
  }

  /**
   * Returns the oldest pending batch, or else the oldest pending request. Servers that cannot parse a request
   * (usually a batch) respond without an id.
   */
  #maxDoubtful(): Exchange | undefined {
    const exchanges = Array.from(this.#exchanges.values());
    return exchanges.find(({ ids }) => ids.length > 1) ?? exchanges[0];
  }

  #forget({ ids }: Exchange): void {
    for (const id of ids) this.#exchanges.delete(id);
  }

  /** The server responded with HTTP instead of a connection. All pending requests get its response. */
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
    const answer = {
      status: response.statusCode ?? 0,
      retryAfter,
      text: Buffer.concat(chunks).toString(),
    };
    for (const exchange of new Set(this.#exchanges.values())) exchange.resolve(answer);
    this.end(new Error('the connection was refused'));
  }

  /** Ends the connection. Its pending requests fail. */
  end(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd();
    this.#socket.terminate();
    for (const exchange of new Set(this.#exchanges.values())) exchange.reject(error);
    this.#exchanges.clear();
  }
}

/**
 * Returns a transport over WebSocket with one connection per URL. It uses the headers of the first request
 * and reopens after it ended. If the server rejects a connection, its HTTP status is the response. With a
 * `network`, only its hosts are reachable.
 */
export function webSocketPost(network: PublicNetwork | null = null, proxyOf: ProxyOf = () => null): HttpPost {
  const connections = new Map<string, Connection>();
  let proxies: ProxyAgents | undefined;
  const agentFor = async (proxy: URL, target: URL, closing: AbortSignal): Promise<Agent> => {
    const { ProxyAgents } = await import('./proxy-agents.ts');
    if (proxies === undefined) {
      const agents = new ProxyAgents(network ?? undefined);
      closing.addEventListener('abort', () => agents.destroy(), { once: true });
      proxies = agents;
    }
    return proxies.agentFor(proxy, target);
  };
  return async (request) => {
    const { url, body, signal, closing } = request;
    const target = new URL(url);
    const proxy = proxyOf(target);
    const agent = proxy === null ? null : await agentFor(proxy, target, closing);
    signal.throwIfAborted();
    const known = connections.get(url);
    if (known !== undefined) return known.ask(body, signal);
    const connection = new Connection(request, network, agent, () => {
      if (connections.get(url) === connection) connections.delete(url);
    });
    connections.set(url, connection);
    return connection.ask(body, signal);
  };
}
