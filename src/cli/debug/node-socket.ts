/** A JSON-RPC client of a node over a WebSocket, for the notifications of a debugger. */

import { printable } from '../../config/errors.ts';
import { maskSecrets, maskUrl } from '../../fork/upstream/mask-url.ts';
import { UpstreamSocket } from '../../fork/upstream/upstream-socket.ts';
import { isRecord } from '../../primitives/record.ts';
import { QUIET_CLIENT } from '../../rpc/connection.ts';
import { DebugError } from './debug-error.ts';

export interface SocketEvents {
  /** Receives the `result` of a notification. */
  notified(result: unknown): void;
  /** The connection ended, but not by {@link NodeSocket.close}. */
  ended(reason: string): void;
}

/** A connection to a node. */
export interface NodeConnection {
  /** Resolves to the result of a method. Rejects with {@link DebugError}. */
  ask(method: string, params: readonly unknown[]): Promise<unknown>;
  close(): void;
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** The node does not log the requests. */
export class NodeSocket implements NodeConnection {
  readonly #url: string;
  readonly #socket: UpstreamSocket;
  readonly #pending = new Map<number, Pending>();
  readonly #closing = new AbortController();
  #lastId = 0;
  #isOpen = true;
  #refusal: string | null = null;

  /** Connects. `url` is the HTTP URL of the node. Requests are rejected if the connection fails. */
  constructor(url: string, events: SocketEvents) {
    this.#url = url;
    const address = new URL(url);
    address.protocol = address.protocol === 'https:' || address.protocol === 'wss:' ? 'wss:' : 'ws:';
    const target = {
      url: address.href,
      headers: {},
      closing: this.#closing.signal,
      protocol: QUIET_CLIENT,
    };
    const route = { network: null, agent: null };
    this.#socket = new UpstreamSocket(target, route, {
      received: (text) => this.#receive(text, events),
      refused: ({ status }) => {
        this.#refusal = `the node rejected the WebSocket with HTTP status ${status}`;
      },
      ended: (error) => {
        const isOwn = !this.#isOpen;
        this.#isOpen = false;
        const reason = this.#refusal ?? printable(maskSecrets(error.message, url, []));
        for (const { reject } of this.#pending.values()) reject(this.#error(reason));
        this.#pending.clear();
        if (!isOwn) events.ended(reason);
      },
    });
  }

  ask(method: string, params: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (!this.#isOpen) {
        reject(this.#error('the connection is closed'));
        return;
      }
      const id = ++this.#lastId;
      this.#pending.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  }

  close(): void {
    this.#isOpen = false;
    this.#closing.abort();
  }

  #error(reason: string): DebugError {
    return new DebugError(`no connection to ${maskUrl(this.#url)}: ${reason}`);
  }

  #receive(text: string, events: SocketEvents): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      this.#socket.end(new Error('the node sent a message that is not JSON'));
      return;
    }
    if (!isRecord(message)) return;
    const { id, result, error, params } = message;
    if (isRecord(params)) {
      events.notified(params.result);
      return;
    }
    const pending = typeof id === 'number' ? this.#pending.get(id) : undefined;
    if (pending === undefined || typeof id !== 'number') return;
    this.#pending.delete(id);
    if (isRecord(error)) pending.reject(new DebugError(maskSecrets(String(error.message), this.#url, [])));
    else pending.resolve(result);
  }
}
