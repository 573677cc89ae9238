import type { Chain } from '../chain/chain.ts';
import type { CallToken } from '../chain/changes.ts';
import { toHex } from '../primitives/hex.ts';
import type { RandomSource } from '../primitives/random.ts';
import type { BitcoinRpcCall } from '../rootstock/parent-chain/bitcoin-rpc.ts';
import type { BlockbookResponse } from '../rootstock/parent-chain/blockbook.ts';
import type { Yielder } from '../scheduling/scheduler.ts';
import type { FieldNames } from '../wire/header.ts';
import type { ActivityFeed } from './activity.ts';
import { ChainNotifications } from './chain-notifications.ts';

/** The reason why the server closes a connection. */
export type DisconnectCause = 'lane dropped' | 'banned';

/** The WebSocket subprotocol, or the User-Agent header over HTTP, of clients whose calls are not logged. */
export const QUIET_CLIENT = 'node-cli-quiet';

/** The connection of a client: an HTTP request, a WebSocket, an IPC socket, or a client in the same process. */
export interface Connection {
  readonly transport: 'http' | 'websocket' | 'ipc' | 'in-process';
  /** The client's IP address; `ipc` or `in-process` for a client without one. */
  readonly remoteAddress: string;
  /** The URL path without the slash: the key of a lane, or an API key. Absent for the root path. */
  readonly key?: string | undefined;
  /** The User-Agent header of the HTTP request, or of the WebSocket upgrade. Absent if not sent. */
  readonly userAgent?: string | undefined;
  /** True for a {@link QUIET_CLIENT}: the explorer and commands such as `trace`. Absent for others. */
  readonly isQuiet?: boolean;
  /**
   * True for a client on this machine that called the node without a proxy. Only these clients receive absolute
   * paths. Absent for others.
   */
  readonly isLocal?: boolean;
  /** True after the connection has closed. */
  readonly isClosed: boolean;
  /** Sends a JSON-RPC notification; `null` if the transport does not support it (HTTP). */
  readonly notify: ((method: string, params: unknown) => void) | null;
  /** Calls `action` once after the connection has closed. Returns a function that cancels this. */
  onClose(action: () => void): () => void;
  /** Closes the connection after the current response. Absent if the transport keeps no connection open. */
  disconnect?(why: DisconnectCause): void;
}

/** The calls of a JSON-RPC batch. They share the time limit and the maximum length of the response. */
export interface Batch {
  /** Milliseconds since 1970 at the start of the first call; `null` before it. Set by the service. */
  begunAt: number | null;
  /** Maximum characters of the next response, without earlier ones of the batch. Set by the server. */
  answerLimit: number;
}

/** A well-formed request. Everything that it does receives it as a {@link CallToken}. */
export interface Call extends CallToken {
  readonly connection: Connection;
  /** The batch of the request; absent for a single request. */
  readonly batch?: Batch | undefined;
  /** False if the method's definition excludes it from the log. Set by the service. */
  isLogged: boolean;
  /** See {@link CallToken}. Set by the service. */
  owner?: string | undefined;
  /** Typos in the parameters and a nonce gap, as text. Absent if there are none, or if not logged. */
  warnings?: readonly string[];
  /** True if the response is ready. Set by the server before it reports the call. */
  isAnswered: boolean;
}

/** A GET request of the Beacon API. */
export interface BeaconRequest {
  /** The decoded segments after `/eth/v1`. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  /** True if the client prefers SSZ to JSON. */
  readonly wantsSsz: boolean;
}

/** The response to a request of the Beacon API. */
export interface BeaconResponse {
  /** The HTTP status. An error has the same number as `code` in its body. */
  readonly status: number;
  /** The name of the consensus fork; absent if the response does not depend on it. */
  readonly version?: string;
  /** JSON, or bytes in SSZ. */
  readonly body: object | Uint8Array;
}

export interface RpcService {
  /** Schedules the reading of requests and the writing of responses among other work. */
  readonly yielder?: Yielder;
  /**
   * Returns the result of a method as JSON, or a promise of it; `plainResult` converts it to a value. Throws,
   * or rejects with, a `CodedError` for an error of the client, and another error only for a bug of the node.
   * A call without a token is not part of a batch, and the log cannot attribute its changes.
   */
  call(method: string, params: unknown, connection: Connection, token?: Call): unknown;
  /**
   * Calls the Bitcoin RPC of the parent chain. Rejects with a `BitcoinRpcError` or a `CodedError` for an
   * error of the client. Absent without a parent chain.
   */
  callParent?(call: BitcoinRpcCall, connection: Connection, token?: Call): Promise<unknown>;
  /** Answers a GET request of Blockbook on the parent chain; `null` for an unknown path. Absent without one. */
  getBlockbook?(path: string, connection: Connection): Promise<BlockbookResponse | null>;
  /** Answers a GET request of the Beacon API. Rejects with a `CodedError` for an error of the client. */
  getBeacon?(request: BeaconRequest, connection: Connection): Promise<BeaconResponse>;
  /**
   * Sends the hints of waiting bundles (MEV-Share) to `push`. Calls `end` when the chain closes. Resolves to a function
   * that stops sending. Rejects with a `CodedError` for an error of the client.
   */
  streamHints?(connection: Connection, push: PushText, end: () => void): Promise<() => void>;
}

/** Sends one item as JSON text. */
export type PushText = (json: string) => void;

/** Sends one item to the subscriber. */
export type Push = (result: unknown) => void;

const ID_SIZE = 16;

/** The subscriptions of all connections to a service. */
export class Subscriptions {
  readonly #random: RandomSource;
  /** By connection and subscription id: the function that ends the subscription. */
  readonly #active = new Map<Connection, Map<string, () => void>>();
  readonly #notifications = new WeakMap<Chain, ChainNotifications>();

  constructor(random: RandomSource) {
    this.#random = random;
  }

  #of(connection: Connection): Map<string, () => void> {
    const known = this.#active.get(connection);
    if (known !== undefined) return known;
    const subscriptions = new Map<string, () => void>();
    this.#active.set(connection, subscriptions);
    connection.onClose(() => {
      for (const stop of subscriptions.values()) stop();
      this.#active.delete(connection);
    });
    return subscriptions;
  }

  /**
   * Starts a subscription and returns its id. `start` receives a function that sends items, and a function
   * that ends the subscription. It returns the cleanup. The subscription ends when the connection closes.
   */
  add(
    connection: Connection,
    notify: NonNullable<Connection['notify']>,
    start: (push: Push, end: () => void) => () => void,
  ): string {
    const subscription = toHex(this.#random(ID_SIZE));
    let isEnded = false;
    const end = start(
      (result) => {
        if (!isEnded) notify('eth_subscription', { subscription, result });
      },
      () => this.remove(connection, subscription),
    );
    const stop = (): void => {
      isEnded = true;
      end();
    };
    if (connection.isClosed) stop();
    else this.#of(connection).set(subscription, stop);
    return subscription;
  }

  notificationsOf(chain: Chain, activity: ActivityFeed, fieldNames: FieldNames): ChainNotifications {
    const notifications =
      this.#notifications.get(chain) ?? new ChainNotifications(chain, activity, fieldNames);
    this.#notifications.set(chain, notifications);
    return notifications;
  }

  /** Ends a subscription. Returns false if the connection has no subscription with this id. */
  remove(connection: Connection, id: string): boolean {
    const subscriptions = this.#active.get(connection);
    const stop = subscriptions?.get(id);
    if (subscriptions === undefined || stop === undefined) return false;
    stop();
    return subscriptions.delete(id);
  }
}
