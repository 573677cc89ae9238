import { bytesToBigInt } from '../../primitives/bytes.ts';
import type { Timer, Timers, WallClock } from '../../primitives/clock.ts';
import type { RandomSource } from '../../primitives/random.ts';

/** The bounds of a random block time, in seconds (fractions allowed). */
export interface BlockTimeRange {
  readonly least: number;
  readonly most: number;
}

/** Seconds between blocks (fractions allowed): fixed, or random per block. */
export type BlockTime = number | BlockTimeRange;

/** When blocks are mined: per transaction (automine), on a timer, both, or on request only. */
export interface MiningMode {
  /** True to mine an executable transaction before its client gets the response. */
  readonly automine: boolean;
  /** Time between timed blocks; `null` for no timer. */
  readonly blockTime: BlockTime | null;
}

const RANDOM_BYTES = 4;

/** Returns the time to the next block in milliseconds. */
function milliseconds(blockTime: BlockTime, random: RandomSource): number {
  if (typeof blockTime === 'number') return blockTime * 1000;
  const share = Number(bytesToBigInt(random(RANDOM_BYTES))) / 2 ** (8 * RANDOM_BYTES);
  return Math.round((blockTime.least + share * (blockTime.most - blockTime.least)) * 1000);
}

export interface MinerDependencies {
  readonly wallClock: WallClock;
  readonly timers: Timers;
  /** Random block times. */
  readonly random: RandomSource;
}

/** Schedules mining. Automine and the interval are independent. */
export class Miner {
  readonly #dependencies: MinerDependencies;
  #mode: MiningMode;
  #timer: Timer | null = null;
  /** `null` while the timer is stopped. */
  #mineBlock: (() => Promise<void>) | null = null;

  constructor(mode: MiningMode, dependencies: MinerDependencies) {
    this.#mode = mode;
    this.#dependencies = dependencies;
  }

  get mode(): MiningMode {
    return this.#mode;
  }

  get automine(): boolean {
    return this.#mode.automine;
  }

  get blockTime(): BlockTime | null {
    return this.#mode.blockTime;
  }

  /** True if automine or the interval is on. */
  get isMining(): boolean {
    return this.#mode.automine || this.#mode.blockTime !== null;
  }

  /** Starts the timer if a block time is set. `mineBlock` mines a block from the pool and must not reject. */
  start(mineBlock: () => Promise<void>): void {
    this.#mineBlock = mineBlock;
    this.#schedule(this.#dependencies.wallClock.now());
  }

  /** Stops the timer permanently. */
  stop(): void {
    this.#mineBlock = null;
    this.#cancel();
  }

  /** Changes the mode. A changed block time counts from now. */
  setMode(mode: MiningMode): void {
    const isSameTime = mode.blockTime === this.#mode.blockTime;
    this.#mode = mode;
    if (isSameTime) return;
    this.#cancel();
    this.#schedule(this.#dependencies.wallClock.now());
  }

  #cancel(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  /** Due times are evenly spaced, independent of the mining time. Missed blocks are skipped. */
  #schedule(previousDue: number): void {
    const { blockTime } = this.#mode;
    const mineBlock = this.#mineBlock;
    if (mineBlock === null || blockTime === null) return;
    const { wallClock, timers, random } = this.#dependencies;
    const now = wallClock.now();
    const due = Math.max(previousDue + milliseconds(blockTime, random), now);
    const timer = timers.after(due - now, () => {
      void mineBlock().then(() => {
        if (this.#timer === timer) this.#schedule(due);
      });
    });
    this.#timer = timer;
  }
}
