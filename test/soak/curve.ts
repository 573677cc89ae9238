/** A measurement of a run. */
export interface Sample {
  /** Milliseconds since the start. */
  readonly at: number;
  /** Number of ended lanes. */
  readonly lanes: number;
  /** Bytes of the live heap after collection. */
  readonly live: number;
  /** Bytes of bytecode and machine code in the heap. */
  readonly code: number;
  /** Resident memory of the process in bytes. */
  readonly resident: number;
}

/** Growth of the data from the middle third to the last third that is noise: caches that fill up to their limits. */
const NOISE = 2 ** 19;
const NOISE_SHARE = 0.02;
const MIN_SAMPLES = 6;

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((left, right) => left - right);
  return sorted[sorted.length >> 1] ?? 0;
}

/** The verdict on a curve. */
export interface Verdict {
  /** `null` if there are too few samples. */
  readonly levelsOff: boolean | null;
  /** Median data of the last third of the samples minus the median of the middle third, in bytes. */
  readonly growth: number;
  /** The same for compiled code. */
  readonly codeGrowth: number;
}

function growthOf(bytes: readonly number[]): { readonly middle: number; readonly growth: number } {
  const third = Math.floor(bytes.length / 3);
  const middle = median(bytes.slice(third, bytes.length - third));
  return { middle, growth: median(bytes.slice(bytes.length - third)) - middle };
}

/**
 * Returns whether the data of a curve levels off: its last third is no higher than its middle third, except for noise. Compiled code
 * does not count: V8 optimizes one function after the other for hours, and all functions together are its bound.
 */
export function judge(samples: readonly Sample[]): Verdict {
  const { middle, growth } = growthOf(samples.map(({ live, code }) => live - code));
  const { growth: codeGrowth } = growthOf(samples.map(({ code }) => code));
  const levelsOff = samples.length < MIN_SAMPLES ? null : growth <= Math.max(NOISE, middle * NOISE_SHARE);
  return { levelsOff, growth, codeGrowth };
}

const MEBIBYTE = 2 ** 20;
const WIDEST_BAR = 40;

/** The measurement in one line, with a bar that is full at `most` bytes. */
export function sampleLine({ at, lanes, live, code, resident }: Sample, most: number): string {
  const bar = '#'.repeat(Math.max(1, Math.round((WIDEST_BAR * live) / Math.max(most, 1))));
  const columns = [
    `${(at / 1_000).toFixed(0)} s`.padStart(7),
    `${lanes} lanes`.padStart(13),
    `${(live / MEBIBYTE).toFixed(2)} MiB live`.padStart(16),
    `${(code / MEBIBYTE).toFixed(2)} MiB code`.padStart(15),
    `${(resident / MEBIBYTE).toFixed(0)} MiB resident`.padStart(18),
  ];
  return `${columns.join('  ')}  ${bar}`;
}
