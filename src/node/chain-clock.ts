import type { WallClock } from '../primitives/clock.ts';

/** The clock's settings; with the same wall time they give the same chain time. */
export interface ClockSetting {
  /** Seconds that the chain is ahead of the wall clock; negative when behind. */
  readonly offset: number;
  /** Seconds since 1970 at which the next block is to be made, once; `null` when it follows the clock. */
  readonly nextTimestamp: number | null;
}

/** The time of one chain: the wall clock moved by an offset. The only place that reads time. */
export class ChainClock {
  readonly #wall: WallClock;
  #setting: ClockSetting = { offset: 0, nextTimestamp: null };

  constructor(wall: WallClock) {
    this.#wall = wall;
  }

  #wallSeconds(): number {
    return Math.floor(this.#wall.now() / 1000);
  }

  /** Chain time in seconds since 1970. */
  now(): number {
    return this.#wallSeconds() + this.#setting.offset;
  }

  /** The settings, to be put back with {@link restore}. */
  get setting(): ClockSetting {
    return this.#setting;
  }

  /** Puts settings back. */
  restore(setting: ClockSetting): void {
    this.#setting = setting;
  }

  /**
   * Moves the chain's time forward for good; gives the total offset in seconds. Blocks made in quick succession may be
   * ahead of the clock: it is set to the head's timestamp first, so that the next block is later by all of `seconds`.
   */
  increase(seconds: number, headTimestamp: number): number {
    const start = Math.max(this.now(), headTimestamp);
    this.set(start + seconds);
    return this.#setting.offset;
  }

  /** Makes chain time `timestamp` now. */
  set(timestamp: number): void {
    this.#setting = { ...this.#setting, offset: timestamp - this.#wallSeconds() };
  }

  /** The timestamp of a block made now on top of one with `parentTimestamp`: always later than that. */
  blockTimestamp(parentTimestamp: number): number {
    return this.#setting.nextTimestamp ?? Math.max(this.now(), parentTimestamp + 1);
  }

  /** Tells that a block was made at `timestamp`: a timestamp set for one block is used up, and time goes on from it. */
  commit(timestamp: number): void {
    if (this.#setting.nextTimestamp === null) return;
    this.#setting = { offset: timestamp - this.#wallSeconds(), nextTimestamp: null };
  }

  /** Sets the timestamp of the next block, once. */
  setNextTimestamp(timestamp: number): void {
    this.#setting = { ...this.#setting, nextTimestamp: timestamp };
  }
}
