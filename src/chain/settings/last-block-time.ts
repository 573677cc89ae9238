import type { WallClock } from '../../primitives/clock.ts';
import type { ChainEvents } from '../../storage/chain-events.ts';

/** When a chain made its last block by the machine's clock; as long as it made none, when it started. */
export class LastBlockTime {
  #milliseconds: number;

  constructor({ events, wallClock }: { readonly events: ChainEvents; readonly wallClock: WallClock }) {
    this.#milliseconds = wallClock.now();
    events.on('block', () => {
      this.#milliseconds = wallClock.now();
    });
  }

  /** Milliseconds since 1970. */
  get milliseconds(): number {
    return this.#milliseconds;
  }
}
