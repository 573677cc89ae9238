import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

it('the benchmark measures and records each row, and compares it with the recorded figures', () => {
  const folder = mkdtempSync(join(tmpdir(), 'node-cli-bench-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const history = join(folder, 'history.csv');
  const bench = (...options: string[]): string[] =>
    execFileSync(
      process.execPath,
      ['test/bench/bench.mjs', '--milliseconds', '1', '--starts', '1', '--history', history, ...options],
      { encoding: 'utf8' },
    )
      .trimEnd()
      .split('\n');
  const printed = bench('--record');
  const [heading, ...recorded] = readFileSync(history, 'utf8').trimEnd().split('\n');
  expect(heading).toBe('time,commit,processor,node,row,value,unit');
  expect(recorded.map((line) => line.split(',')[4])).toEqual(printed.map((line) => line.slice(0, 56).trim()));
  for (const line of recorded)
    expect(line).toMatch(/^[\dT:.-]+Z,[\da-f]{7,}\+?,\d+ x [^,]+,v[\d.]+,[^,]+,[\de.+-]+,(ms|MB|\/s)$/);
  expect(printed.some((line) => /(ms|MB|\/s) +\d/.test(line))).toBe(false);
  for (const line of bench()) expect(line).toMatch(/ (ms|MB|\/s) +\d+\.\d\d$/);
});
