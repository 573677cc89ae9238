import type { WallClock } from '../../primitives/clock.ts';
import type { ChainEvents } from '../changes.ts';

/** The clock's settings; with the same wall time they give the same chain time. */
export interface ClockSetting {
  /** Seconds by which the chain was ahead of the wall clock when it started; negative when behind. */
  readonly start: number;
  /** Seconds by which the chain's time was moved since its start; negative when back. */
  readonly offset: number;
  /** Seconds besides, by which blocks in quick succession had run ahead of the clock when it was moved last. */
  readonly lead: number;
  /** Seconds since 1970 at which the next block is to be made, once; `null` when it follows the clock. */
  readonly nextTimestamp: number | null;
  /** Seconds from each block to the next, whatever the clock says; `null` when blocks follow the clock. */
  readonly interval: number | null;
}

/** The time of one chain: the wall clock moved by an offset. The only place that reads time. */
export class ChainClock {
  readonly #wall: WallClock;
  readonly #leastDistance: number;
  #setting: ClockSetting;

  /**
   * `start` is the chain's time now, in seconds since 1970; `null` for the wall clock's. With `allowsSameTimestamp` a block
   * may have its parent's timestamp.
   */
  constructor(
    wall: WallClock,
    start: number | null,
    { allowsSameTimestamp }: { readonly allowsSameTimestamp: boolean },
  ) {
    this.#wall = wall;
    this.#leastDistance = allowsSameTimestamp ? 0 : 1;
    this.#setting = this.settingAt(start);
  }

  /** Returns the settings of a chain that starts now, at that time (seconds since 1970); `null` for the wall clock's. */
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

  /** The settings, to be put back with {@link restore}. */
  get setting(): ClockSetting {
    return this.#setting;
  }

  /** Puts settings back. */
  restore(setting: ClockSetting): void {
    this.#setting = setting;
  }

  /**
   * Moves the chain's time forward for good; gives the total by which it was moved, in seconds. Blocks made in quick
   * succession may be ahead of the clock: it catches up with the head first, so that the next block is later than the
   * head by all of `seconds`.
   */
  increase(seconds: number, headTimestamp: number): number {
    const { offset, lead } = this.#setting;
    const behind = Math.max(0, headTimestamp - this.now());
    this.#setting = { ...this.#setting, offset: offset + seconds, lead: lead + behind };
    return this.#setting.offset;
  }

  /** Returns the lowest timestamp that a block on top of one with `parentTimestamp` may have. */
  earliestAfter(parentTimestamp: number): number {
    return parentTimestamp + this.#leastDistance;
  }

  /** Returns the timestamp of a block made now on top of one with `parentTimestamp`: never lower than {@link earliestAfter}. */
  blockTimestamp(parentTimestamp: number): number {
    const { nextTimestamp, interval } = this.#setting;
    if (nextTimestamp !== null) return nextTimestamp;
    const earliest = this.earliestAfter(parentTimestamp);
    return Math.max(interval === null ? this.now() : parentTimestamp + interval, earliest);
  }

  /** Uses up a timestamp set for one block, from which time goes on. Called when a block has been made at `timestamp`. */
  commit(timestamp: number): void {
    if (this.#setting.nextTimestamp === null) return;
    this.#moveTo(timestamp);
  }

  #moveTo(timestamp: number): void {
    const offset = timestamp - this.#wallSeconds() - this.#setting.start;
    this.#setting = { ...this.#setting, offset, lead: 0, nextTimestamp: null };
  }

  /**
   * Moves the chain's time to `timestamp` (seconds since 1970), back too; a timestamp set for the next block goes.
   * Gives the seconds by which it was moved.
   */
  setTime(timestamp: number): number {
    const before = this.now();
    this.#moveTo(timestamp);
    return timestamp - before;
  }

  /** Sets the timestamp of the next block, once. */
  setNextTimestamp(timestamp: number): void {
    this.#setting = { ...this.#setting, nextTimestamp: timestamp };
  }

  /** Sets the seconds from each block to the next; `null` to follow the clock again. */
  setInterval(interval: number | null): void {
    this.#setting = { ...this.#setting, interval };
  }
}

/** The time by the machine's clock at which a chain made its last block; that of its start as long as it made none. */
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
