import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { nextTurn } from '../../src/scheduling/cancel-check.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { readFolders, write } from './artifact-reader.ts';

// Watchers that report nothing, as of what happened just before they were made.
vi.mock('node:fs', async (importOriginal) => ({
  ...(await importOriginal<typeof import('node:fs')>()),
  watch: () => ({ on: () => undefined, close: () => undefined }),
}));

it('reads a folder again soon after it began to watch it, so that what came in between is found', async () => {
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
  // Less than the time until the next regular look.
  await time.advance(300, async () => {
    for (let turn = 0; turn < 100_000 && artifacts.isEmpty; turn++) await nextTurn();
  });
  expect([...artifacts.contracts].map(({ name }) => name)).toEqual(['A']);
  artifacts.close();
});
