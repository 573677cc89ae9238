import type { WallClock } from '../../primitives/clock.ts';
import { hexKey } from '../../primitives/hex.ts';
import type { Block } from '../../protocol/block.ts';
import type { Blockchain } from '../../storage/blockchain.ts';

interface Report {
  /** Hashes per second. */
  readonly rate: bigint;
  /** Milliseconds since 1970. */
  readonly reportedAt: number;
}

/** The time for which a report counts, in milliseconds; miners report about every second. */
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
    const key = hexKey(miner);
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

/** The time that is looked back over, in seconds. */
const WINDOW = 3_600;

/** The last block made at `timestamp` or before; the first block when all came later. Timestamps only rise. */
function lastBlockUntil(blockchain: Blockchain, timestamp: number): Block | undefined {
  let low = blockchain.first;
  let high = blockchain.head.header.number;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const block = blockchain.block(middle);
    if (block !== undefined && block.header.timestamp <= timestamp) low = middle;
    else high = middle - 1;
  }
  return blockchain.block(low);
}

/**
 * The work of all miners in hashes per second, as the network counts it: the difficulties of the blocks of the last
 * hour over an hour, rounded down. `now` is in seconds since 1970.
 */
export function networkHashrate(blockchain: Blockchain, now: number): bigint {
  const { head } = blockchain;
  const base = lastBlockUntil(blockchain, Math.max(now, head.header.timestamp) - WINDOW);
  return (head.totalDifficulty - (base?.totalDifficulty ?? 0n)) / BigInt(WINDOW);
}
