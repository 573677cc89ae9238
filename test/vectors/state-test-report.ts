/** A variant whose outcome differs from the expectation. */
export interface Failure {
  readonly test: string;
  readonly difference: string;
}

/** How the variants of some files went. */
export interface Report {
  passed: number;
  readonly failures: Failure[];
  /** How many variants were not run, by the reason. */
  readonly skipped: Record<string, number>;
}

export function emptyReport(): Report {
  return { passed: 0, failures: [], skipped: {} };
}

/** Adds the second report to the first. */
export function addReport(total: Report, part: Report): void {
  total.passed += part.passed;
  total.failures.push(...part.failures);
  for (const [reason, count] of Object.entries(part.skipped)) {
    total.skipped[reason] = (total.skipped[reason] ?? 0) + count;
  }
}

function sum(counts: Iterable<number>): number {
  return [...counts].reduce((total, count) => total + count, 0);
}

export function failureLine({ test, difference }: Failure): string {
  return `FAILED ${test}: ${difference}`;
}

/** The counts of a report as lines for people. */
export function summaryLines(
  engine: string,
  { passed, failures, skipped }: Report,
  seconds: number,
): string[] {
  return [
    `${engine}: ${passed} passed, ${failures.length} failed, ${sum(Object.values(skipped))} skipped in ${seconds.toFixed(0)} s`,
    ...Object.entries(skipped).map(([reason, count]) => `  skipped ${count}: ${reason}`),
  ];
}
