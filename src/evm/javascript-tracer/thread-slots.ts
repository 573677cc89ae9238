import { type CheckInterrupt, unlessInterrupted } from '../../primitives/interrupt.ts';

/** Bounds the threads that run at the same time; those beyond wait in the order in which they came. */
export class ThreadSlots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves when there is a slot, which is the caller's from then on. Rejects with what the check throws meanwhile. */
  async take(checkInterrupt: CheckInterrupt): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    this.#waiting.add(begin);
    try {
      await unlessInterrupted(begun, checkInterrupt);
    } catch (error) {
      // It may have been given a slot in the same turn.
      if (!this.#waiting.delete(begin)) this.give();
      throw error;
    }
  }

  /** Gives back a slot. */
  give(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
