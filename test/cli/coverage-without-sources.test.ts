import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createNode } from '../../src/index.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { start } from './support/started-node.ts';

const NOTE =
  'No sources found: start in the folder of a built project, or pass the folder of its build output with --artifacts.';

it('coverage where no build outputs are known says at the end, and in its file, that nothing could be counted', async () => {
  const workingDirectory = await temporaryDirectory();
  const file = join(workingDirectory, 'lcov.info');
  const node = await start(['--coverage', file], { workingDirectory });
  expect(await node.end()).toBe(0);
  expect(node.host.written.output).toContain(`\nNote: ${NOTE}\n`);
  expect(await readFile(file, 'utf8')).toBe(`# ${NOTE}\n`);
});

it('coverage of a node in process without artifacts says so in its file', async () => {
  const file = join(await temporaryDirectory(), 'lcov.info');
  const node = await createNode({ coverage: file });
  await node.close();
  expect(await readFile(file, 'utf8')).toBe(`# ${NOTE}\n`);
});

it('coverage is refused without artifacts, with the reason', async () => {
  const { host } = await start(['--coverage', 'lcov.info', '--no-artifacts']);
  expect(host.exitCodes).toEqual([2]);
  expect(host.written.errors).toBe(
    'node-cli: --coverage cannot be used with --no-artifacts, because coverage needs build outputs; remove one of them\n',
  );
});
