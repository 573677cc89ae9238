import { bytesToBigInt } from '../../primitives/bytes.ts';
import type { Timer, Timers, WallClock } from '../../primitives/clock.ts';
import type { RandomSource } from '../../primitives/random.ts';

/** The bounds, in seconds (fractions too), between which each distance between blocks is drawn. */
export interface BlockTimeRange {
  readonly least: number;
  readonly most: number;
}

/** Seconds (fractions too) between blocks: always the same, or drawn anew for each block. */
export type BlockTime = number | BlockTimeRange;

/** The occasions on which blocks are made: at once for each transaction, on a timer, both, or only when asked. */
export interface MiningMode {
  /** True when a transaction that can be mined is mined before its sender gets an answer. */
  readonly automine: boolean;
  /** The distance between blocks; `null` for none on a timer. */
  readonly blockTime: BlockTime | null;
}

const RANDOM_BYTES = 4;

/** Returns the distance to the next block in milliseconds. */
function milliseconds(blockTime: BlockTime, random: RandomSource): number {
  if (typeof blockTime === 'number') return blockTime * 1000;
  const share = Number(bytesToBigInt(random(RANDOM_BYTES))) / 2 ** (8 * RANDOM_BYTES);
  return Math.round((blockTime.least + share * (blockTime.most - blockTime.least)) * 1000);
}

/** The sources of time and chance that a miner takes from outside. */
export interface MinerDependencies {
  readonly wallClock: WallClock;
  readonly timers: Timers;
  /** Draws distances out of a range. */
  readonly random: RandomSource;
}

/** Decides when blocks are made. The two switches, instant and interval, are independent. */
export class Miner {
  readonly #dependencies: MinerDependencies;
  #mode: MiningMode;
  #timer: Timer | null = null;
  /** `null` while the timer does not run. */
  #mineBlock: (() => Promise<void>) | null = null;

  constructor(mode: MiningMode, dependencies: MinerDependencies) {
    this.#mode = mode;
    this.#dependencies = dependencies;
  }

  /** The switches as they stand. */
  get mode(): MiningMode {
    return this.#mode;
  }

  get automine(): boolean {
    return this.#mode.automine;
  }

  get blockTime(): BlockTime | null {
    return this.#mode.blockTime;
  }

  /** True when blocks are made without being asked for. */
  get isMining(): boolean {
    return this.#mode.automine || this.#mode.blockTime !== null;
  }

  /** Starts the timer, if there is a block time. `mineBlock` mines a block from the pool and must not reject. */
  start(mineBlock: () => Promise<void>): void {
    this.#mineBlock = mineBlock;
    this.#schedule(this.#dependencies.wallClock.now());
  }

  /** Stops the timer for good. */
  stop(): void {
    this.#mineBlock = null;
    this.#cancel();
  }

  /** Changes the switches; a changed block time counts from now. */
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

  /** Blocks are due at even distances, however long making them takes; those that were missed are left out. */
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
