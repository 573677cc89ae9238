import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const script = fileURLToPath(new URL('lane-suite/run.mjs', import.meta.url));

it('a suite passes with lanes, deployments and snapshots, and the report compares the three', () => {
  const printed = execFileSync(process.execPath, [script, '8', '2'], { encoding: 'utf8' });
  expect(printed).toContain('8 tests with 2 workers');
  expect(printed).toMatch(/\na lane for each test, one node +\d+\.\d s\n/);
  expect(printed).toMatch(/\nsnapshots \/ lanes +\d+\.\d\d\n$/);
});
