import { nextTurn, uninterrupted } from '../primitives/interrupt.ts';
import { LinkedQueue } from '../primitives/linked-queue.ts';
import { SLICE_MILLISECONDS, type Turns } from '../primitives/scheduler.ts';
import { runTask, type Task } from '../primitives/task.ts';
import { WorkPieces } from '../primitives/work-pieces.ts';

/** Notifications that are sent at once in a turn of the event loop, however long it has been held. */
const AT_ONCE = 64;

/** The most notifications that wait: beyond, one that comes lets the oldest go first, so that the chain waits for them. */
const MOST_WAITING = 2 ** 16;

/**
 * Sends the notifications of a chain in the order in which they arise. A few subscribers are notified inside the event; with
 * thousands of them, the event loop is free after each slice of time.
 */
export class NotificationQueue {
  readonly #turns: Pick<Turns, 'held' | 'wait'>;
  readonly #waiting = new LinkedQueue<() => void>();
  #count = 0;
  #isSending = false;
  /** Those that were sent at once in the present turn of the event loop. */
  #sentAtOnce = 0;

  constructor(turns: Pick<Turns, 'held' | 'wait'>) {
    this.#turns = turns;
  }

  /** Calls `send`, which sends one notification or begins to send a long one: now, or in its turn. */
  take(send: () => void): void {
    if (this.#count === 0 && this.#mayBeSentAtOnce()) {
      send();
      return;
    }
    this.#waiting.push(send);
    this.#count++;
    if (this.#count > MOST_WAITING) this.#sendNext();
    if (!this.#isSending) void this.#sendInTurns();
  }

  #mayBeSentAtOnce(): boolean {
    if (this.#sentAtOnce === 0) {
      void nextTurn().then(() => {
        this.#sentAtOnce = 0;
      });
    }
    this.#sentAtOnce++;
    return this.#sentAtOnce <= AT_ONCE || this.#turns.held() < SLICE_MILLISECONDS;
  }

  async #sendInTurns(): Promise<void> {
    this.#isSending = true;
    while (this.#count > 0) {
      await this.#turns.wait();
      do this.#sendNext();
      while (this.#count > 0 && this.#turns.held() < SLICE_MILLISECONDS);
    }
    this.#isSending = false;
  }

  #sendNext(): void {
    const send = this.#waiting.shift();
    if (send === undefined) return;
    this.#count--;
    send();
  }
}

/**
 * Sends what blocks have to one subscriber, in their order: what is short when the queue lets it, what is long in pieces after
 * that, and all that comes later behind it.
 */
export class OrderedSending {
  readonly #turns: Turns;
  readonly #queue: NotificationQueue;
  #sending: Promise<void> | undefined;
  #waiting = 0;
  isEnded = false;

  constructor(turns: Turns, queue: NotificationQueue) {
    this.#turns = turns;
    this.#queue = queue;
  }

  /** Runs the task that sends something. */
  take(send: (pieces: WorkPieces) => Task<void>, isShort: boolean): void {
    this.#queue.take(() => this.#begin(send, isShort));
  }

  #begin(send: (pieces: WorkPieces) => Task<void>, isShort: boolean): void {
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
