import type { Durability } from '../persistence/durable/durability.ts';
import type { Push } from './subscriptions.ts';

/**
 * Sends items in the order they come, each once the disk has all that the chain was then: nobody may be told what a crash
 * could take back. What the disk could not take waits for the next item.
 */
export class SettledPush {
  readonly #durability: Pick<Durability, 'settle'>;
  readonly #push: Push;
  readonly #waiting: unknown[] = [];
  /** How many items were sent. */
  #sent = 0;

  constructor(durability: Pick<Durability, 'settle'>, push: Push) {
    this.#durability = durability;
    this.#push = push;
  }

  /** Takes an item. */
  readonly push: Push = (item) => {
    this.#waiting.push(item);
    const settled = this.#durability.settle();
    const count = this.#sent + this.#waiting.length;
    if (settled === undefined) this.#sendUntil(count);
    else
      settled.then(
        () => this.#sendUntil(count),
        // Who asked for the change is told that the disk failed.
        () => undefined,
      );
  };

  #sendUntil(count: number): void {
    const items = this.#waiting.splice(0, Math.max(0, count - this.#sent));
    this.#sent += items.length;
    for (const item of items) this.#push(item);
  }

  /** Sends nothing any more. */
  stop(): void {
    this.#waiting.length = 0;
  }
}
