import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createNode } from '../../src/index.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { start } from './support/started-node.ts';

const NOTE =
  'No sources found: start in the folder of a built project, or pass the folder of its build output with --artifacts.';

it('--coverage without build outputs reports in the log and the file that nothing is covered', async () => {
  const workingDirectory = await temporaryDirectory();
  const file = join(workingDirectory, 'lcov.info');
  const node = await start(['--coverage', file], { workingDirectory });
  expect(await node.end()).toBe(0);
  expect(node.host.written.output).toContain(`\nNote: ${NOTE}\n`);
  expect(await readFile(file, 'utf8')).toBe(`# ${NOTE}\n`);
});

it('createNode with coverage and without artifacts reports it in the file', async () => {
  const file = join(await temporaryDirectory(), 'lcov.info');
  const node = await createNode({ coverage: file });
  await node.close();
  expect(await readFile(file, 'utf8')).toBe(`# ${NOTE}\n`);
});

it('--coverage with --no-artifacts is rejected with the reason', async () => {
  const { host } = await start(['--coverage', 'lcov.info', '--no-artifacts']);
  expect(host.exitCodes).toEqual([2]);
  expect(host.written.errors).toBe(
    'node-cli: --coverage cannot be used with --no-artifacts, because coverage needs build outputs; remove one of them\n',
  );
});
