/** A measurement of a run. */
export interface Sample {
  /** Milliseconds since the beginning. */
  readonly at: number;
  /** Lanes that had come and gone until then. */
  readonly lanes: number;
  /** Bytes of the live heap after collection. */
  readonly live: number;
  /** Bytes that the system counts for the process. */
  readonly resident: number;
}

/** Growth from the middle third to the last that is noise: compiled code, caches that fill up to their limits. */
const NOISE = 2 ** 20;
const NOISE_SHARE = 0.02;
const LEAST_SAMPLES = 6;

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((left, right) => left - right);
  return sorted[sorted.length >> 1] ?? 0;
}

/** The verdict on a curve. */
export interface Verdict {
  /** `null` when there are too few samples to tell. */
  readonly levelsOff: boolean | null;
  /** Bytes by which the last third of the samples is above the middle one, medians each. */
  readonly growth: number;
}

/** Whether a curve levels off: its last third is no higher than its middle third, but for noise. */
export function judge(samples: readonly Sample[]): Verdict {
  const third = Math.floor(samples.length / 3);
  const live = samples.map((sample) => sample.live);
  const middle = median(live.slice(third, samples.length - third));
  const growth = median(live.slice(samples.length - third)) - middle;
  if (samples.length < LEAST_SAMPLES) return { levelsOff: null, growth };
  return { levelsOff: growth <= Math.max(NOISE, middle * NOISE_SHARE), growth };
}

const MEBIBYTE = 2 ** 20;
const WIDEST_BAR = 40;

/** The measurement in one line, with a bar that is full at `most` bytes. */
export function sampleLine({ at, lanes, live, resident }: Sample, most: number): string {
  const bar = '#'.repeat(Math.max(1, Math.round((WIDEST_BAR * live) / Math.max(most, 1))));
  const columns = [
    `${(at / 1_000).toFixed(0)} s`.padStart(7),
    `${lanes} lanes`.padStart(13),
    `${(live / MEBIBYTE).toFixed(2)} MiB live`.padStart(16),
    `${(resident / MEBIBYTE).toFixed(0)} MiB resident`.padStart(18),
  ];
  return `${columns.join('  ')}  ${bar}`;
}
