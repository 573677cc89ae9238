import type { WallClock } from '../../primitives/clock.ts';
import { keyOf } from '../../primitives/hex.ts';

interface Report {
  /** Hashes per second. */
  readonly rate: bigint;
  /** Milliseconds since 1970. */
  readonly reportedAt: number;
}

/** How long a report counts, in milliseconds; miners report about every second. */
const REPORT_LIFETIME = 10_000;

/** More miners than report to a developer's node; beyond, the oldest report gives way. */
const MOST_MINERS = 10_000;

/** The hash rates that miners outside the node report of themselves. Rates are per real second, whatever the chain's time. */
export class Hashrates {
  readonly #clock: WallClock;
  /** By miner, the oldest report first. */
  readonly #reports = new Map<string, Report>();

  constructor(clock: WallClock) {
    this.#clock = clock;
  }

  /** Takes a miner's rate (hashes per second) in place of its earlier one. */
  report(miner: Uint8Array, rate: bigint): void {
    const key = keyOf(miner);
    this.#reports.delete(key);
    this.#reports.set(key, { rate, reportedAt: this.#clock.now() });
    this.#forget();
  }

  /** The sum of the rates reported in the last ten seconds, in hashes per second. */
  total(): bigint {
    this.#forget();
    let sum = 0n;
    for (const { rate } of this.#reports.values()) sum += rate;
    return sum;
  }

  #forget(): void {
    const oldest = this.#clock.now() - REPORT_LIFETIME;
    for (const [miner, { reportedAt }] of this.#reports) {
      if (reportedAt > oldest && this.#reports.size <= MOST_MINERS) return;
      this.#reports.delete(miner);
    }
  }
}
