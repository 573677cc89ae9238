import { nextTurn, uninterrupted } from './interrupt.ts';
import { LinkedQueue } from './linked-queue.ts';
import { SLICE_MILLISECONDS, type Turns } from './scheduler.ts';
import { runTask, type Task } from './task.ts';
import { WorkPieces } from './work-pieces.ts';

/** Notifications that are sent immediately in one turn of the event loop, however long it has been blocked. */
const AT_ONCE = 64;

/** The number of events with notifications still to be sent above which the chain waits, and below which it continues. */
const MOST_EVENTS = 1_024;
const FEW_EVENTS = 512;

/** The parts of a chain that a queue of notifications uses. */
export interface NotifyingChain {
  readonly turns: Pick<Turns, 'held' | 'wait'>;
  /** See `Chain.holdChanges`. */
  holdChanges(until: Promise<void>): void;
}

/**
 * Sends the notifications of a chain in the order in which they arise. A few subscribers are notified inside the event; with
 * thousands of them, the event loop is free after each slice of time.
 */
export class NotificationQueue {
  readonly #chain: NotifyingChain;
  /** The notifications of each event. A step of the iterator sends one of them, or begins to send a long one. */
  readonly #waiting = new LinkedQueue<Iterator<unknown>>();
  #count = 0;
  #isSending = false;
  /** Lets the chain continue; `null` while it does not wait. */
  #continueChain: (() => void) | null = null;
  /** Those that were sent at once in the present turn of the event loop. */
  #sentAtOnce = 0;

  constructor(chain: NotifyingChain) {
    this.#chain = chain;
  }

  /** Sends the notifications of an event, one with each step: immediately if they are few, the others in later turns. */
  take(notifications: Iterator<unknown>): void {
    if (this.#count === 0 && this.#sendFirst(notifications)) return;
    this.#waiting.push(notifications);
    this.#count++;
    if (this.#count > MOST_EVENTS) this.#holdChain();
    if (!this.#isSending) void this.#sendInTurns();
  }

  /** Sends as many as may be sent immediately. Returns true if no notification is left. */
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
      void nextTurn().then(() => {
        this.#sentAtOnce = 0;
      });
    }
    this.#sentAtOnce++;
    return this.#sentAtOnce <= AT_ONCE || this.#chain.turns.held() < SLICE_MILLISECONDS;
  }

  /** Lets the chain wait with its next change, because events arise faster than their notifications are sent. */
  #holdChain(): void {
    if (this.#continueChain !== null) return;
    const until = new Promise<void>((resolve) => {
      this.#continueChain = resolve;
    });
    this.#chain.holdChanges(until);
  }

  async #sendInTurns(): Promise<void> {
    const { turns } = this.#chain;
    this.#isSending = true;
    try {
      while (this.#count > 0) {
        await turns.wait();
        do this.#sendNext();
        while (this.#count > 0 && turns.held() < SLICE_MILLISECONDS);
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

/** Calls the function that it is given with each item, until the function that it returns is called. */
type Listen<Item> = (take: (item: Item) => void) => () => void;

interface Subscriber<Item> {
  readonly send: (item: Item) => void;
  /** The number of items that arose before it subscribed. */
  readonly since: number;
}

/**
 * Sends each item to all subscribers. An item waits once in the queue, however many they are, and is listened to while there
 * is a subscriber.
 */
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

  /** Calls `send` with each later item, in its turn, until the returned function is called. */
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

/** Sends the items of blocks to one subscriber, in their order: short ones immediately, long ones in pieces. */
export class OrderedSending {
  readonly #turns: Turns;
  #sending: Promise<void> | undefined;
  #waiting = 0;
  isEnded = false;

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  /** Runs the task that sends the items of a block, behind the tasks that still run. */
  take(send: (pieces: WorkPieces) => Task<void>, isShort: boolean): void {
    if (this.isEnded) return;
    if (this.#waiting === 0 && isShort) {
      void runTask(send(new WorkPieces(uninterrupted, Number.POSITIVE_INFINITY)));
      return;
    }
    this.#waiting++;
    this.#sending = this.#sendBehind(this.#sending, send);
  }

  async #sendBehind(
    before: Promise<void> | undefined,
    send: (pieces: WorkPieces) => Task<void>,
  ): Promise<void> {
    await before;
    if (!this.isEnded) {
      await this.#turns.wait();
      await runTask(send(new WorkPieces(uninterrupted, undefined, this.#turns)));
    }
    this.#waiting--;
  }
}
