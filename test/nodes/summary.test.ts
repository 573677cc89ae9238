import { describe, expect, it } from 'vitest';
import { isPassed, summaryText, type TestReport } from './summary.ts';

const PASSED: TestReport = {
  numPassedTests: 9_876,
  numFailedTests: 0,
  numPendingTests: 2,
  numTodoTests: 1,
  testResults: [
    { name: 'a.test.ts', status: 'passed', assertionResults: [{ status: 'passed', fullName: 'a works' }] },
  ],
};

const FAILED: TestReport = {
  ...PASSED,
  numFailedTests: 1,
  testResults: [
    { name: 'a.test.ts', status: 'failed', assertionResults: [{ status: 'failed', fullName: 'a works' }] },
    { name: 'b.test.ts', status: 'failed', assertionResults: [] },
  ],
};

describe('the summary of versions', () => {
  it('has a row per version and the names of failed tests', () => {
    const results = [
      { version: '20.20.2', report: PASSED },
      { version: '24.1.0', report: FAILED },
      { version: '26.0.0', report: null },
    ];

    expect(summaryText(results)).toBe(`   Node  passed     failed  skipped
20.20.2    9876          0        3
 24.1.0    9876          2        3
 26.0.0       -  no report        -
failed on 24.1.0: a.test.ts: a works
failed on 24.1.0: b.test.ts (before its first test)
`);
  });

  it('passes if each version has a report without failures', () => {
    expect(isPassed([{ version: '20.20.2', report: PASSED }])).toBe(true);
    expect(isPassed([{ version: '20.20.2', report: FAILED }])).toBe(false);
    expect(isPassed([{ version: '20.20.2', report: null }])).toBe(false);
  });
});
