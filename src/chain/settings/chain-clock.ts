import type { WallClock } from '../../primitives/clock.ts';
import type { ChainEvents } from '../changes.ts';

/** The settings of the clock. With the same wall time they give the same chain time. */
export interface ClockSetting {
  /** Seconds that the chain was ahead of the wall clock at its start; negative if behind. */
  readonly start: number;
  /** Seconds added to the chain's time since its start; negative if moved back. */
  readonly offset: number;
  /** Extra seconds: the distance that fast blocks were ahead of the clock at the last move. */
  readonly lead: number;
  /** Timestamp of the next block only (seconds since 1970); `null` to follow the clock. */
  readonly nextTimestamp: number | null;
  /** Fixed seconds between blocks; `null` if blocks follow the clock. */
  readonly interval: number | null;
}

/** The time of one chain: the wall clock plus an offset. All chain code reads time here. */
export class ChainClock {
  readonly #wall: WallClock;
  readonly #minDistance: number;
  #setting: ClockSetting;

  /**
   * `start` is the initial chain time (seconds since 1970); `null` for the wall clock. With
   * `allowsSameTimestamp` a block may have its parent's timestamp.
   */
  constructor(
    wall: WallClock,
    start: number | null,
    { allowsSameTimestamp }: { readonly allowsSameTimestamp: boolean },
  ) {
    this.#wall = wall;
    this.#minDistance = allowsSameTimestamp ? 0 : 1;
    this.#setting = this.settingAt(start);
  }

  /** Returns the settings of a chain that starts at `start` (seconds since 1970; `null`: wall clock). */
  settingAt(start: number | null): ClockSetting {
    const ahead = start === null ? 0 : start - this.#wallSeconds();
    return { start: ahead, offset: 0, lead: 0, nextTimestamp: null, interval: null };
  }

  #wallSeconds(): number {
    return Math.floor(this.#wall.now() / 1000);
  }

  /** Chain time in seconds since 1970. */
  now(): number {
    const { start, offset, lead } = this.#setting;
    return this.#wallSeconds() + start + offset + lead;
  }

  /** The settings for {@link restore}. */
  get setting(): ClockSetting {
    return this.#setting;
  }

  restore(setting: ClockSetting): void {
    this.#setting = setting;
  }

  /**
   * Moves the chain's time forward, permanently, and returns the total offset in seconds. If fast blocks are
   * ahead of the clock, it first catches up with the head. The next block is then at least `seconds` after
   * the head.
   */
  increase(seconds: number, headTimestamp: number): number {
    const { offset, lead } = this.#setting;
    const behind = Math.max(0, headTimestamp - this.now());
    this.#setting = { ...this.#setting, offset: offset + seconds, lead: lead + behind };
    return this.#setting.offset;
  }

  /** Returns the minimum timestamp of a block on a parent with `parentTimestamp`. */
  earliestAfter(parentTimestamp: number): number {
    return parentTimestamp + this.#minDistance;
  }

  /**
   * Returns the timestamp of a block mined now on a parent with `parentTimestamp`. Without a set timestamp,
   * it is at least {@link earliestAfter}.
   */
  blockTimestamp(parentTimestamp: number): number {
    const { nextTimestamp, interval } = this.#setting;
    if (nextTimestamp !== null) return nextTimestamp;
    const earliest = this.earliestAfter(parentTimestamp);
    const time = interval === null ? this.now() : parentTimestamp + interval;
    // As in Anvil, a block is a second later if the clock is behind its parent.
    return time < parentTimestamp ? parentTimestamp + 1 : Math.max(time, earliest);
  }

  /** Clears the next block's timestamp and continues from it. Called after a block at `timestamp`. */
  commit(timestamp: number): void {
    if (this.#setting.nextTimestamp === null) return;
    this.#moveTo(timestamp);
  }

  #moveTo(timestamp: number): void {
    const offset = timestamp - this.#wallSeconds() - this.#setting.start;
    this.#setting = { ...this.#setting, offset, lead: 0, nextTimestamp: null };
  }

  /**
   * Moves the chain's time to `timestamp` (seconds since 1970), also to the past, and clears the next block's
   * timestamp. Returns the change in seconds.
   */
  setTime(timestamp: number): number {
    const before = this.now();
    this.#moveTo(timestamp);
    return timestamp - before;
  }

  /** Sets the timestamp of the next block only. */
  setNextTimestamp(timestamp: number): void {
    this.#setting = { ...this.#setting, nextTimestamp: timestamp };
  }

  /** Sets the seconds between blocks; `null` to follow the clock again. */
  setInterval(interval: number | null): void {
    this.#setting = { ...this.#setting, interval };
  }
}

/** The wall time of the chain's last block, or of its start before the first block. */
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
