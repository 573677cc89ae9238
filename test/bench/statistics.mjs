/** Returns the value below which the share of the values lies; 0.5 gives the median. */
export function quantile(values, share) {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export const median = (values) => quantile(values, 0.5);

/** Repeats the work until the milliseconds are used. Resolves to the milliseconds of each run. */
export async function measure(budget, work, warmUps = 50) {
  for (let warmUp = 0; warmUp < warmUps; warmUp++) await work();
  const times = [];
  for (let begin = performance.now(), end = begin + budget; begin < end; ) {
    await work();
    const now = performance.now();
    times.push(now - begin);
    begin = now;
  }
  return times;
}

/** Runs per second, from the milliseconds of each run. */
export const perSecond = (times) => (times.length / times.reduce((sum, time) => sum + time, 0)) * 1000;
