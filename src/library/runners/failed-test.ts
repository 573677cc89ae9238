/** The report on a test that failed: the last failures on its lane, with their stack traces, and where to look at them. */

import { isRecord, textIn } from './answers.ts';
import type { TestLane } from './test-lane.ts';

/** Different failures that are told of one test; the last one is most often what made it fail. */
const MOST_TOLD = 3;

/** Failures that are asked for: clients often try again what failed, which is told once. */
const MOST_ASKED = 16;

/** Returns the lines about one failure, as `inspect_failures` answers it. */
function failureLines(failure: Readonly<Record<string, unknown>>, page: string): string[] {
  const reason = isRecord(failure.failure) ? textIn(failure.failure, 'message') : null;
  const stack = textIn(failure, 'stack');
  const hash = textIn(failure, 'transactionHash');
  return [
    `  Error: ${reason ?? 'it cannot be run again'}`,
    ...(stack === null ? [] : stack.split('\n').map((line) => `  ${line}`)),
    ...(hash === null ? [] : [`      ${page}/tx/${hash}`]),
  ];
}

/**
 * Resolves to the text about a failed test, of the failures after the first `after` on its lane: what reverted and where in the
 * source, and the URL of its page on the lane, whose own URL may be another one meanwhile. It says so where nothing failed.
 */
export async function failedTestText(
  lane: TestLane,
  laneUrl: string,
  name: string,
  after: string,
): Promise<string> {
  const page = `${laneUrl}/_`;
  const answer = await lane.request({ method: 'inspect_failures', params: [MOST_ASKED, after] });
  const failures = isRecord(answer) && Array.isArray(answer.failures) ? answer.failures.filter(isRecord) : [];
  const texts = new Set(failures.map((failure) => failureLines(failure, page).join('\n')));
  const told = Array.from(texts).slice(0, MOST_TOLD);
  const lines = told.length > 0 ? told : ['  Nothing failed on the chain.'];
  return [`node-cli: ${name}`, ...lines, `  lane ${page}/feed`].join('\n');
}

/** Returns the first line of the reason in such a text, for the label of the lane. */
export function reasonIn(text: string): string {
  return text.split('\n')[1]?.trim() ?? '';
}
