/** Summarizes the results of the test suite on several versions of Node. */

/** The members of Vitest's JSON report that the summary reads. */
export interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** The result of the test suite on a version of Node. */
export interface VersionResult {
  /** The full version of Node. */
  readonly version: string;
  /** `null` if the suite ended without a report. */
  readonly report: TestReport | null;
}

/** Returns the names of failed tests, and the files that failed before their first test. */
function failuresOf({ testResults }: TestReport): string[] {
  return testResults.flatMap(({ name, status, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (failed.length === 0 && status === 'failed') return [`${name} (before its first test)`];
    return failed.map(({ fullName }) => `${name}: ${fullName}`);
  });
}

function rowOf({ version, report }: VersionResult): string[] {
  if (report === null) return [version, '-', 'no report', '-'];
  const { numPassedTests, numPendingTests, numTodoTests } = report;
  return [version, numPassedTests, failuresOf(report).length, numPendingTests + numTodoTests].map(String);
}

/** True if all versions have passed all tests. */
export function isPassed(results: readonly VersionResult[]): boolean {
  return results.every(({ report }) => report !== null && failuresOf(report).length === 0);
}

/** Returns a table with one row per version, and the names of the failed tests. */
export function summaryText(results: readonly VersionResult[]): string {
  const rows = [['Node', 'passed', 'failed', 'skipped'], ...results.map(rowOf)];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const table = rows.map((row) => row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  '));
  const failures = results.flatMap(({ version, report }) =>
    report === null ? [] : failuresOf(report).map((failure) => `failed on ${version}: ${failure}`),
  );
  return `${[...table, ...failures].join('\n')}\n`;
}
