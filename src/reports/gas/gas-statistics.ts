/** Counts amounts of gas in constant memory. */

/** Maximum exact amounts. Beyond it, amounts are counted in steps of less than 0.5 %. */
const MAX_EXACT = 1024;
/** Steps per doubling of the amount. */
const STEPS = 256n;

/** The statistics of a set of gas amounts. */
export interface GasSummary {
  /** All calls, including failed ones. */
  readonly calls: number;
  /** Calls that reverted or halted. */
  readonly reverted: number;
  readonly total: bigint;
  readonly min: bigint;
  /** Rounded to the nearest integer, like the median. */
  readonly average: bigint;
  readonly median: bigint;
  readonly max: bigint;
  /** False if there were too many different amounts. The median is then off by at most 0.2 %. */
  readonly isMedianExact: boolean;
}

/** Returns the middle of the amount's step. */
function stepOf(gas: bigint): bigint {
  let width = 1n;
  while (gas / width >= 2n * STEPS) width *= 2n;
  return (gas / width) * width + width / 2n;
}

function rounded(sum: bigint, count: bigint): bigint {
  return (2n * sum + count) / (2n * count);
}

/** The gas amounts of one function's calls. */
export class GasStatistics {
  #calls = 0;
  #reverted = 0;
  #total = 0n;
  #min = 0n;
  #max = 0n;
  /** The count of each amount, or of each step after the limit. */
  #counts = new Map<bigint, number>();
  #isExact = true;

  add(gas: bigint, hasFailed: boolean): void {
    this.#min = this.#calls === 0 || gas < this.#min ? gas : this.#min;
    this.#max = gas > this.#max ? gas : this.#max;
    this.#calls++;
    if (hasFailed) this.#reverted++;
    this.#total += gas;
    this.#count(gas, 1);
  }

  merge(other: GasStatistics): void {
    if (other.#calls === 0) return;
    this.#min = this.#calls === 0 || other.#min < this.#min ? other.#min : this.#min;
    this.#max = other.#max > this.#max ? other.#max : this.#max;
    this.#calls += other.#calls;
    this.#reverted += other.#reverted;
    this.#total += other.#total;
    if (!other.#isExact) this.#coarsen();
    for (const [gas, times] of other.#counts) this.#count(gas, times);
  }

  #count(gas: bigint, times: number): void {
    const key = this.#isExact ? gas : stepOf(gas);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + times);
    if (this.#counts.size > MAX_EXACT) this.#coarsen();
  }

  #coarsen(): void {
    if (!this.#isExact) return;
    this.#isExact = false;
    const counts = this.#counts;
    this.#counts = new Map();
    for (const [gas, times] of counts) this.#count(gas, times);
  }

  /** The number of stored counts. */
  get size(): number {
    return this.#counts.size;
  }

  get isEmpty(): boolean {
    return this.#calls === 0;
  }

  /** Returns the statistics; `null` without calls. */
  summary(): GasSummary | null {
    if (this.#calls === 0) return null;
    return {
      calls: this.#calls,
      reverted: this.#reverted,
      total: this.#total,
      min: this.#min,
      average: rounded(this.#total, BigInt(this.#calls)),
      median: this.#median(),
      max: this.#max,
      isMedianExact: this.#isExact,
    };
  }

  /** The middle amount, or the mean of the two middle amounts. */
  #median(): bigint {
    const sorted = [...this.#counts].sort(([left], [right]) => (left < right ? -1 : 1));
    const lower = at(sorted, Math.floor((this.#calls - 1) / 2));
    const upper = at(sorted, Math.floor(this.#calls / 2));
    const median = rounded(lower + upper, 2n);
    if (median < this.#min) return this.#min;
    return median > this.#max ? this.#max : median;
  }
}

/** Returns the amount at an index of the ascending order. */
function at(sorted: readonly (readonly [bigint, number])[], place: number): bigint {
  let seen = 0;
  for (const [gas, times] of sorted) {
    seen += times;
    if (seen > place) return gas;
  }
  return 0n;
}
