import type { Chain } from '../chain/chain.ts';
import type { CallToken } from '../chain/changes.ts';
import { toHex } from '../primitives/hex.ts';
import type { RandomSource } from '../primitives/random.ts';
import type { Turns } from '../scheduling/scheduler.ts';
import type { FieldNames } from '../wire/header.ts';
import type { ActivityFeed } from './activity.ts';
import { ChainNotifications } from './chain-notifications.ts';

/** The reason why the server closes a connection. */
export type DisconnectCause = 'lane dropped' | 'banned';

/** The WebSocket subprotocol, or the User-Agent header over HTTP, of clients whose calls are not logged. */
export const QUIET_CLIENT = 'node-cli-quiet';

/** The connection of a caller: one HTTP request, one WebSocket, or a caller in the same process. */
export interface Connection {
  readonly transport: 'http' | 'websocket' | 'in-process';
  /** The caller's IP address; `in-process` where there is none. */
  readonly remoteAddress: string;
  /** The path by which it came, without the slash: the key of a lane, or an API key. Absent for none. */
  readonly key?: string | undefined;
  /** The User-Agent header of the HTTP request, or of the one that opened the WebSocket. Absent for none. */
  readonly userAgent?: string | undefined;
  /** True for a {@link QUIET_CLIENT}: the explorer and commands such as `trace`. Absent for others. */
  readonly isQuiet?: boolean;
  /** True once the connection is closed, so that no answer arrives. */
  readonly isClosed: boolean;
  /** Sends a JSON-RPC notification; `null` where the transport cannot (HTTP). */
  readonly notify: ((method: string, params: unknown) => void) | null;
  /** Calls `action` once when the connection has closed. Returns a function that takes this back. */
  onClose(action: () => void): () => void;
  /** Closes the connection, after the answer in hand alone. Absent where none stays open. */
  disconnect?(why: DisconnectCause): void;
}

/** The calls of one message that holds several: they share the time that answering it may take, and the length of the answer. */
export interface Batch {
  /** Milliseconds since 1970 at which the first of them began; `null` before that. Set by the service. */
  begunAt: number | null;
  /** The most characters that the answer to the call in hand may have beside those before it. Set by the server. */
  answerLimit: number;
}

/**
 * One call, as the server makes it of each well-formed request. Everything that the call does carries it along as a
 * {@link CallToken}.
 */
export interface Call extends CallToken {
  readonly connection: Connection;
  /** The batch that contains the request; absent for a request of its own. */
  readonly batch?: Batch | undefined;
  /** False for a method that is not logged, as its definition says. Set by the service. */
  isLogged: boolean;
  /** See {@link CallToken}. Set by the service. */
  owner?: string | undefined;
  /** Slips in the parameters that did no harm to the call, and a nonce that is ahead, in words; absent for none, and where it is not logged. */
  warnings?: readonly string[];
  /** Set by the server when the answer is ready, before it reports the call. */
  isAnswered: boolean;
}

/** Answers calls. */
export interface RpcService {
  /** The turns that reading requests and writing answers take among other work; absent where they take each turn. */
  readonly turns?: Turns;
  /**
   * The result of a method, fit for JSON, or a promise of it: `plainResult` gives it as a value. Throws, or rejects with, a
   * `CodedError` for anything the caller did; another error only when the node has a bug. A call without a token is
   * not part of a batch, and the log does not know what it changed.
   */
  call(method: string, params: unknown, connection: Connection, token?: Call): unknown;
}

/** Sends one item to the subscriber. */
export type Push = (result: unknown) => void;

const ID_SIZE = 16;

/** The subscriptions of all connections to a service. */
export class Subscriptions {
  readonly #random: RandomSource;
  /** By connection, what ends each of its subscriptions, by subscription id. */
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
   * Starts a subscription of a connection and returns its id. `start` receives the function that sends items, and the one to call when
   * there will be no more; it gives the function that ends it. It ends at the latest when the connection closes.
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

  /** Returns the notifications of a chain. */
  notificationsOf(chain: Chain, activity: ActivityFeed, fieldNames: FieldNames): ChainNotifications {
    const notifications =
      this.#notifications.get(chain) ?? new ChainNotifications(chain, activity, fieldNames);
    this.#notifications.set(chain, notifications);
    return notifications;
  }

  /** Ends a subscription; false when this connection has none with that id. */
  remove(connection: Connection, id: string): boolean {
    const subscriptions = this.#active.get(connection);
    const stop = subscriptions?.get(id);
    if (subscriptions === undefined || stop === undefined) return false;
    stop();
    return subscriptions.delete(id);
  }
}
