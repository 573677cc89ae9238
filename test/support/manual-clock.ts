import type { WallClock } from '../../src/primitives/clock.ts';

/** A clock that only the test moves. */
export interface ManualClock extends WallClock {
  /** Lets milliseconds pass. */
  advance(milliseconds: number): void;
}

/** A clock that stands at `start` milliseconds since 1970. */
export function createManualClock(start = 1_700_000_000_000): ManualClock {
  let now = start;
  return {
    now: () => now,
    advance: (milliseconds) => {
      now += milliseconds;
    },
  };
}
