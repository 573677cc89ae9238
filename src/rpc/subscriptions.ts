import { toHex } from '../primitives/hex.ts';
import type { RandomSource } from '../primitives/random.ts';
import type { Connection } from './connection.ts';

/** Sends one item to the subscriber. */
export type Push = (result: unknown) => void;

const ID_SIZE = 16;

/** The subscriptions of all connections to a service. */
export class Subscriptions {
  readonly #random: RandomSource;
  /** By connection, what ends each of its subscriptions, by subscription id. */
  readonly #active = new Map<Connection, Map<string, () => void>>();

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
    const stop = start(
      (result) => notify('eth_subscription', { subscription, result }),
      () => this.remove(connection, subscription),
    );
    if (connection.isClosed) stop();
    else this.#of(connection).set(subscription, stop);
    return subscription;
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
