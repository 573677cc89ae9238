/** A variant whose outcome differs from the expectation. */
export interface Failure {
  readonly test: string;
  readonly difference: string;
}

/** Results of the variants of some files. */
export interface Report {
  passed: number;
  readonly failures: Failure[];
  /** Number of skipped variants by reason, and by the subject of the reason. */
  readonly skipped: Record<string, Record<string, number>>;
}

export function emptyReport(): Report {
  return { passed: 0, failures: [], skipped: {} };
}

/** Counts variants that were skipped for a reason. */
export function addSkipped({ skipped }: Report, reason: string, about: string, count = 1): void {
  const counts = skipped[reason] ?? {};
  counts[about] = (counts[about] ?? 0) + count;
  skipped[reason] = counts;
}

/** Adds the second report to the first. */
export function addReport(total: Report, part: Report): void {
  total.passed += part.passed;
  total.failures.push(...part.failures);
  for (const [reason, counts] of Object.entries(part.skipped))
    for (const [about, count] of Object.entries(counts)) addSkipped(total, reason, about, count);
}

function sum(counts: Iterable<number>): number {
  return [...counts].reduce((total, count) => total + count, 0);
}

export function failureLine({ test, difference }: Failure): string {
  return `FAILED ${test}: ${difference}`;
}

/** The counts of a report as text. */
export function summaryLines(
  engine: string,
  { passed, failures, skipped }: Report,
  seconds: number,
): string[] {
  const groups = Object.entries(skipped).map(([reason, counts]) => ({
    reason,
    count: sum(Object.values(counts)),
    parts: Object.entries(counts).map(([about, count]) => `${about} ${count}`),
  }));
  const all = sum(groups.map(({ count }) => count));
  return [
    `${engine}: ${passed} passed, ${failures.length} failed, ${all} skipped in ${seconds.toFixed(0)} s`,
    ...groups.map(({ reason, count, parts }) => `  skipped ${count}: ${reason} (${parts.join(', ')})`),
  ];
}
