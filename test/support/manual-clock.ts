import type { WallClock } from '../../src/primitives/clock.ts';

/** A clock that only the test advances. */
export interface ManualClock extends WallClock {
  /** Advances the clock by milliseconds. */
  advance(milliseconds: number): void;
}

/** A clock that starts `start` milliseconds after 1970. */
export function createManualClock(start = 1_700_000_000_000): ManualClock {
  let now = start;
  return {
    now: () => now,
    advance: (milliseconds) => {
      now += milliseconds;
    },
  };
}
