import type { Timer, Timers } from '../primitives/clock.ts';
import type { BlockEntry } from './log-entries.ts';

/** How long, in milliseconds, a block waits for the line of the request that may have made it. */
const PATIENCE = 25;

/** What a feed of blocks and their makers works with. */
export interface BlockFeedParts<Maker> {
  readonly timers: Timers;
  readonly write: (entry: BlockEntry, maker: Maker) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Passes blocks to the log in their order. A block is made before the request that made it is answered, but a person
 * reads it below that request: so it waits a moment, and comes at once when {@link release} says the request is told.
 */
export class BlockFeed<Maker> {
  readonly #parts: BlockFeedParts<Maker>;
  #waiting: (readonly [BlockEntry, Maker])[] = [];
  #described: Promise<void> = Promise.resolve();
  #timer: Timer | null = null;

  constructor(parts: BlockFeedParts<Maker>) {
    this.#parts = parts;
  }

  /** Takes a block whose description is on its way, and what made it. */
  add(description: Promise<BlockEntry>, maker: Maker): void {
    this.#described = Promise.all([description, this.#described]).then(
      ([entry]) => {
        this.#waiting.push([entry, maker]);
        this.#timer ??= this.#parts.timers.after(PATIENCE, () => this.#writeAll());
      },
      (error: unknown) => this.#parts.onError(error),
    );
  }

  /** Writes all blocks that came so far; settles when they are written. */
  async release(): Promise<void> {
    await this.#described;
    this.#writeAll();
  }

  #writeAll(): void {
    this.#timer?.cancel();
    this.#timer = null;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const [entry, maker] of waiting) this.#parts.write(entry, maker);
  }
}
