import { asObject } from '../../wire/tolerant.ts';
import type { HttpAnswer, HttpPost, HttpRequest } from './http-post.ts';
import type { ProxyOf } from './proxy-choice.ts';
import type { PublicNetwork } from './public-network.ts';
import { idOf, isTooDeep } from './rpc-answer.ts';
import { type SocketRoute, socketAgents, UpstreamSocket } from './upstream-socket.ts';

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
  readonly #socket: UpstreamSocket;
  readonly #onEnd: () => void;
  /** The pending requests by each of their ids, oldest first. */
  readonly #exchanges = new Map<number, Exchange>();
  #nextId = 1;

  constructor(request: HttpRequest, route: SocketRoute, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#socket = new UpstreamSocket(request, route, {
      received: (text) => this.#receive(text),
      // All pending requests get the response of HTTP.
      refused: (answer) => {
        for (const exchange of new Set(this.#exchanges.values())) exchange.resolve(answer);
      },
      ended: (error) => this.#ended(error),
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
      const giveUp = (): void => this.#socket.end(new Error('the request was cancelled'));
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
      this.#socket.send(JSON.stringify(Array.isArray(request) ? numbered : numbered[0]));
    });
  }

  #receive(text: string): void {
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

  /** Pending requests fail. */
  #ended(error: Error): void {
    this.#onEnd();
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
  const agentFor = socketAgents(network, proxyOf);
  return async (request) => {
    const { url, body, signal } = request;
    const agent = await agentFor(request);
    signal.throwIfAborted();
    const known = connections.get(url);
    if (known !== undefined) return known.ask(body, signal);
    const connection = new Connection(request, { network, agent }, () => {
      if (connections.get(url) === connection) connections.delete(url);
    });
    connections.set(url, connection);
    return connection.ask(body, signal);
  };
}
