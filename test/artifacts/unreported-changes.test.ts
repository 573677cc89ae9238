import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { nextIteration } from '../../src/scheduling/cancel-check.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { readFolders, write } from './artifact-reader.ts';

// Watchers without events simulate changes just before the watcher starts.
vi.mock('node:fs', async (importOriginal) => ({
  ...(await importOriginal<typeof import('node:fs')>()),
  watch: () => ({ on: () => undefined, close: () => undefined }),
}));

it('a folder is read again soon after its watcher starts', async () => {
  const root = await temporaryDirectory();
  const { artifacts, time } = await readFolders(root);
  await write(join(root, 'A.json'), {
    contractName: 'A',
    sourceName: 'contracts/A.sol',
    abi: [],
    bytecode: '0x60016001',
    deployedBytecode: '0x6001',
    linkReferences: {},
    deployedLinkReferences: {},
  });
  // This is less than the interval of the regular check.
  await time.advance(300, async () => {
    for (let turn = 0; turn < 100_000 && artifacts.isEmpty; turn++) await nextIteration();
  });
  expect([...artifacts.contracts].map(({ name }) => name)).toEqual(['A']);
  artifacts.close();
});
