// Watches the head of an upstream.

import type { Timer } from '../../primitives/clock.ts';
import { type HeadDependencies, HeadSubscription } from './head-subscription.ts';
import { isWebSocketUrl } from './http-post.ts';
import type { SocketTarget } from './upstream-socket.ts';

/** The target is the first URL of the upstream. If it is no WebSocket URL, the watch only polls. */
export interface HeadWatchOptions extends SocketTarget {
  /** Seconds from the end of a turn to the next poll. */
  readonly seconds: number;
}

/** Minimum milliseconds between two attempts to subscribe. */
const SUBSCRIBE_INTERVAL = 30_000;

const SECOND = 1_000;

/**
 * Calls a function if the upstream may have a new block: by polling, or for each head of a subscription. It
 * polls without a subscription, for example while the upstream rejects subscriptions.
 */
export class HeadWatch {
  readonly #seconds: number;
  readonly #dependencies: HeadDependencies;
  readonly #onTurn: () => Promise<void>;
  #target: SocketTarget;
  #poll: Timer | null = null;
  #subscription: HeadSubscription | null = null;
  #isSubscribed = false;
  /** Runs until the next attempt to subscribe is allowed. */
  #interval: Timer | null = null;
  #isInTurn = false;
  /** True if another turn must follow the present one. */
  #isDue = false;
  #isStopped = false;

  /**
   * Calls `onTurn` soon, and then until {@link stop}; never twice at the same time. `onTurn` must report its
   * errors itself and never reject. The watch continues after a rejection.
   */
  constructor(options: HeadWatchOptions, dependencies: HeadDependencies, onTurn: () => Promise<void>) {
    this.#seconds = options.seconds;
    this.#dependencies = dependencies;
    this.#onTurn = onTurn;
    this.#target = options;
    this.#begin();
  }

  #begin(): void {
    this.#pollAfter(0);
    if (isWebSocketUrl(this.#target.url)) this.#subscribe();
  }

  /** Continues at another server. */
  moveTo(target: SocketTarget): void {
    if (this.#isStopped) return;
    this.#target = target;
    this.#pause();
    this.#begin();
  }

  /** Calls `onTurn` no more. */
  stop(): void {
    this.#isStopped = true;
    this.#isDue = false;
    this.#pause();
  }

  #pause(): void {
    this.#poll?.cancel();
    this.#interval?.cancel();
    this.#interval = null;
    this.#subscription?.stop();
    this.#subscription = null;
    this.#isSubscribed = false;
  }

  #pollAfter(milliseconds: number): void {
    this.#poll?.cancel();
    this.#poll = this.#dependencies.timers.after(milliseconds, () => this.#turn());
  }

  #turn(): void {
    this.#poll?.cancel();
    if (this.#isInTurn) {
      this.#isDue = true;
      return;
    }
    this.#isInTurn = true;
    this.#isDue = false;
    const end = (): void => this.#endTurn();
    this.#onTurn().then(end, end);
  }

  #endTurn(): void {
    this.#isInTurn = false;
    if (this.#isStopped) return;
    if (this.#isDue) this.#turn();
    else if (!this.#isSubscribed) this.#pollAfter(this.#seconds * SECOND);
  }

  #subscribe(): void {
    this.#interval = this.#dependencies.timers.after(SUBSCRIBE_INTERVAL, () => {
      this.#interval = null;
      if (this.#subscription === null) this.#subscribe();
    });
    this.#subscription = new HeadSubscription(this.#target, this.#dependencies, {
      subscribed: () => {
        this.#isSubscribed = true;
        // The upstream may have new blocks since the last poll.
        this.#turn();
      },
      newHead: () => this.#turn(),
      ended: () => {
        // Without a subscription, the watch polls already.
        if (this.#isSubscribed && !this.#isInTurn) this.#pollAfter(this.#seconds * SECOND);
        this.#subscription = null;
        this.#isSubscribed = false;
        if (this.#interval === null) this.#subscribe();
      },
    });
  }
}

/** Creates a watch at the first URL of an upstream. */
export type CreateWatch = (target: SocketTarget, dependencies: HeadDependencies) => HeadWatch;

/**
 * Calls `onTurn` if the upstream may have a new block, until `stop`. `seconds` is the interval of polling. `onTurn`
 * must never reject.
 */
export function watchHeads(
  upstream: { watchWith(create: CreateWatch): Pick<HeadWatch, 'stop'> },
  seconds: number,
  onTurn: () => Promise<void>,
): Pick<HeadWatch, 'stop'> {
  return upstream.watchWith((target, heads) => new HeadWatch({ ...target, seconds }, heads, onTurn));
}
