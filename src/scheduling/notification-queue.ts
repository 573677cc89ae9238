import { LinkedQueue } from '../primitives/linked-queue.ts';
import { neverCancelled, nextIteration } from './cancel-check.ts';
import type { Yielder } from './scheduler.ts';
import { SLICE_MILLISECONDS } from './slice-length.ts';
import { runTask, type Task } from './task.ts';
import { TimeSlice } from './time-slice.ts';

/** Notifications sent immediately per iteration of the event loop, even if it is already blocked. */
const AT_ONCE = 64;

/** Number of unsent events: the chain waits above the first, and continues below the second. */
const MAX_EVENTS = 1_024;
const FEW_EVENTS = 512;

/** The parts of a chain that the queue uses. */
export interface NotifyingChain {
  readonly yielder: Pick<Yielder, 'blockedFor' | 'wait'>;
  /** See `Chain.holdChanges`. */
  holdChanges(until: Promise<void>): void;
}

/**
 * Sends the notifications of a chain in order. A few subscribers are notified inside the event. With
 * thousands of subscribers, the queue yields after each time slice.
 */
export class NotificationQueue {
  readonly #chain: NotifyingChain;
  /** The notifications per event. Each iterator step sends one, or starts to send a long one. */
  readonly #waiting = new LinkedQueue<Iterator<unknown>>();
  #count = 0;
  #isSending = false;
  /** Resumes the chain; `null` while it does not wait. */
  #continueChain: (() => void) | null = null;
  /** Notifications sent immediately in the present iteration of the event loop. */
  #sentAtOnce = 0;

  constructor(chain: NotifyingChain) {
    this.#chain = chain;
  }

  /** Sends an event's notifications, one per step: a few immediately, the rest in later time slices. */
  take(notifications: Iterator<unknown>): void {
    if (this.#count === 0 && this.#sendFirst(notifications)) return;
    this.#waiting.push(notifications);
    this.#count++;
    if (this.#count > MAX_EVENTS) this.#holdChain();
    if (!this.#isSending) void this.#sendInSlices();
  }

  /** Sends as many as possible immediately. Returns true if no notification is left. */
  #sendFirst(notifications: Iterator<unknown>): boolean {
    while (this.#mayBeSentAtOnce()) {
      if (notifications.next().done === true) {
        this.#sentAtOnce--;
        return true;
      }
    }
    return false;
  }

  #mayBeSentAtOnce(): boolean {
    if (this.#sentAtOnce === 0) {
      void nextIteration().then(() => {
        this.#sentAtOnce = 0;
      });
    }
    this.#sentAtOnce++;
    return this.#sentAtOnce <= AT_ONCE || this.#chain.yielder.blockedFor() < SLICE_MILLISECONDS;
  }

  /** Blocks the chain's next change, because events arise faster than notifications are sent. */
  #holdChain(): void {
    if (this.#continueChain !== null) return;
    const until = new Promise<void>((resolve) => {
      this.#continueChain = resolve;
    });
    this.#chain.holdChanges(until);
  }

  async #sendInSlices(): Promise<void> {
    const { yielder } = this.#chain;
    this.#isSending = true;
    try {
      while (this.#count > 0) {
        await yielder.wait();
        do this.#sendNext();
        while (this.#count > 0 && yielder.blockedFor() < SLICE_MILLISECONDS);
      }
    } finally {
      this.#isSending = false;
    }
  }

  #sendNext(): void {
    if (this.#waiting.first?.next().done === false) return;
    this.#waiting.shift();
    this.#count--;
    if (this.#count > FEW_EVENTS) return;
    this.#continueChain?.();
    this.#continueChain = null;
  }
}

/** Calls `take` with each item until the returned function is called. */
type Listen<Item> = (take: (item: Item) => void) => () => void;

interface Subscriber<Item> {
  readonly send: (item: Item) => void;
  /** The number of items before it subscribed. */
  readonly since: number;
}

/** Sends each item to all subscribers. The queue has it once. It listens only while it has a subscriber. */
export class Fanout<Item> {
  readonly #queue: NotificationQueue;
  readonly #listen: Listen<Item>;
  readonly #subscribers = new Set<Subscriber<Item>>();
  #items = 0;
  #stop: (() => void) | null = null;

  constructor(queue: NotificationQueue, listen: Listen<Item>) {
    this.#queue = queue;
    this.#listen = listen;
  }

  /** Calls `send` with each later item, in order, until the returned function is called. */
  add(send: (item: Item) => void): () => void {
    this.#stop ??= this.#listen((item) => this.#queue.take(this.#sendToAll(item, ++this.#items)));
    const subscriber = { send, since: this.#items };
    this.#subscribers.add(subscriber);
    return () => {
      this.#subscribers.delete(subscriber);
      if (this.#subscribers.size > 0) return;
      this.#stop?.();
      this.#stop = null;
    };
  }

  *#sendToAll(item: Item, number: number): Generator<undefined, void, undefined> {
    for (const { send, since } of this.#subscribers) {
      if (since >= number) continue;
      send(item);
      yield;
    }
  }
}

/** Sends the items of blocks to one subscriber, in order. Short tasks run immediately; long ones yield. */
export class OrderedSending {
  readonly #yielder: Yielder;
  #sending: Promise<void> | undefined;
  #waiting = 0;
  isEnded = false;

  constructor(yielder: Yielder) {
    this.#yielder = yielder;
  }

  /** Runs the task that sends a block's items after the pending ones. */
  take(send: (slice: TimeSlice) => Task<void>, isShort: boolean): void {
    if (this.isEnded) return;
    if (this.#waiting === 0 && isShort) {
      void runTask(send(new TimeSlice(neverCancelled, Number.POSITIVE_INFINITY)));
      return;
    }
    this.#waiting++;
    this.#sending = this.#sendBehind(this.#sending, send);
  }

  async #sendBehind(
    before: Promise<void> | undefined,
    send: (slice: TimeSlice) => Task<void>,
  ): Promise<void> {
    await before;
    if (!this.isEnded) {
      await this.#yielder.wait();
      await runTask(send(new TimeSlice(neverCancelled, undefined, this.#yielder)));
    }
    this.#waiting--;
  }
}
