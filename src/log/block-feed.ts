import type { Timer, Timers } from '../primitives/clock.ts';
import type { BlockEntry, RemovedEntry } from './log-entries.ts';

/** How long, in milliseconds, a change waits for the line of the request that may have made it. */
const PATIENCE = 25;

/** A change of the chain: a block that it got, or blocks that left it. */
export type ChainChange = { readonly added: BlockEntry } | { readonly removed: RemovedEntry };

/** The dependencies of a feed of changes and their makers. */
export interface BlockFeedParts<Maker> {
  readonly timers: Timers;
  readonly write: (change: ChainChange, maker: Maker) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Passes changes of the chain to the log in their order. A block is made, or removed, before the request that did it is
 * answered, but a person reads it below that request: so it waits a moment, and comes at once when {@link release} says
 * that the line of the request is written.
 */
export class BlockFeed<Maker> {
  readonly #parts: BlockFeedParts<Maker>;
  #waiting: (readonly [ChainChange, Maker])[] = [];
  #described: Promise<void> = Promise.resolve();
  #timer: Timer | null = null;

  constructor(parts: BlockFeedParts<Maker>) {
    this.#parts = parts;
  }

  /** Takes a change whose description is on its way, and what made it. */
  add(description: Promise<ChainChange>, maker: Maker): void {
    this.#described = Promise.all([description, this.#described]).then(
      ([change]) => {
        this.#waiting.push([change, maker]);
        this.#timer ??= this.#parts.timers.after(PATIENCE, () => this.#writeAll());
      },
      (error: unknown) => this.#parts.onError(error),
    );
  }

  /** Writes all changes that came so far; settles when they are written. */
  async release(): Promise<void> {
    await this.#described;
    this.#writeAll();
  }

  #writeAll(): void {
    this.#timer?.cancel();
    this.#timer = null;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const [change, maker] of waiting) this.#parts.write(change, maker);
  }
}
