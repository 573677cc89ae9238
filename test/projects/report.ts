import { compareResults } from './compare.ts';
import type { SuiteRun } from './suite.ts';

const SHOWN_NAMES = 3;

const countOf = ({ results }: SuiteRun, state: string): number =>
  results.filter((result) => result.state === state).length;

function runLine(name: string, run: SuiteRun): string {
  const { usage, seconds } = run;
  const counts = ['passed', 'failed', 'skipped'].map((state) => `${countOf(run, state)} ${state}`).join(', ');
  const numbers = `suite ${seconds.toFixed(0)} s, node ${usage.processor.toFixed(1)} s CPU, ${usage.memory.toFixed(0)} MiB`;
  const notes = run.results.length === 0 ? `\n${run.output}` : run.isLate ? ' (stopped by --limit)' : '';
  return `  ${name.padEnd(9)} ${counts}; ${numbers}${notes}\n`;
}

/** The text for one project, and the number of tests with different outcomes. */
export function report(
  name: string,
  hardhat: SuiteRun,
  own: SuiteRun,
  showsNames: boolean,
): { readonly text: string; readonly count: number } {
  const { same, failedOnBoth, notCompared, differences } = compareResults(hardhat, own);
  const count = differences.reduce((sum, { names }) => sum + names.length, 0);
  const groups = differences.map(({ kind, names, example }) => {
    const shown = showsNames ? names : names.slice(0, SHOWN_NAMES);
    return `  ${names.length} × ${kind}\n${shown.map((test) => `    ${test}\n`).join('')}  ${example}\n`;
  });
  const left = notCompared === 0 ? '' : `, ${notCompared} not compared (--limit)`;
  const total = `  ${same} equal (${failedOnBoth} of them fail on both), ${count} different${left}\n`;
  const text = `${name}\n${runLine('Hardhat', hardhat)}${runLine('node-cli', own)}${total}${groups.join('')}`;
  return { text, count };
}
