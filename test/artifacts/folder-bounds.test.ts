// Folders that are not build outputs, and files that exceed the size of compiler outputs.

import fileSystem from 'node:fs';
import { truncate, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, type MockInstance, onTestFinished, vi } from 'vitest';
import { Artifacts } from '../../src/artifacts/artifacts.ts';
import { createFakeTime } from '../support/fake-time.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { makeFolders, readFolders, write } from './artifact-reader.ts';

const CODE = { abi: [], bytecode: '0x6001', deployedBytecode: '0x6001' };

describe('the limits of an artifact folder', () => {
  it('reject more than 5,000 subfolders, and allow another attempt', async () => {
    const root = await temporaryDirectory();
    await write(join(root, 'A.json'), { ...CODE, contractName: 'A' });
    await makeFolders(root, 5_001);
    const { artifacts, warnings } = await readFolders(root);
    expect([...artifacts.contracts]).toEqual([]);
    expect(artifacts.refusalOf(root)).toContain("pass the compiler's output folder");
    expect(warnings).toEqual([`artifacts not read: ${artifacts.refusalOf(root)}`]);
    artifacts.addFolder(root);
    expect(artifacts.refusalOf(root)).toBeNull();
    await artifacts.ready();
    expect(artifacts.refusalOf(root)).not.toBeNull();
    artifacts.close();
  });

  it('reject more than 100,000 files', async () => {
    const root = await temporaryDirectory();
    await writeFile(join(root, 'notes.txt'), '');
    const [entry] = fileSystem.readdirSync(root, { withFileTypes: true });
    const listed = vi.spyOn(fileSystem, 'readdirSync') as unknown as MockInstance<() => unknown>;
    listed.mockReturnValue(Array.from({ length: 100_001 }, () => entry));
    syncBuiltinESMExports();
    onTestFinished(() => {
      listed.mockRestore();
      syncBuiltinESMExports();
    });

    const { artifacts } = await readFolders(root);

    expect(artifacts.refusalOf(root)).toContain('more than 5000 folders or 100000 files');
    artifacts.close();
  });

  it('exclude folders with a leading dot', async () => {
    const root = await temporaryDirectory();
    await write(join(root, '.hidden', 'A.json'), { ...CODE, contractName: 'A' });
    await write(join(root, 'B.json'), { ...CODE, contractName: 'B' });
    const { artifacts } = await readFolders(root);
    expect([...artifacts.contracts].map(({ name }) => name)).toEqual(['B']);
    artifacts.close();
  });
});

describe('the limits of an artifact file', () => {
  it('skip a file above 1 GiB with one warning', async () => {
    const root = await temporaryDirectory();
    await write(join(root, 'A.json'), { ...CODE, contractName: 'A' });
    await writeFile(join(root, 'dump.json'), '{');
    // The file is sparse.
    await truncate(join(root, 'dump.json'), 1024 ** 3 + 1);
    const { artifacts, warnings } = await readFolders(root);
    expect([...artifacts.contracts].map(({ name }) => name)).toEqual(['A']);
    await artifacts.refresh();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('the file has 1073741825 bytes; the maximum is 1073741824');
    artifacts.close();
  });

  it('do not block readers for a file above 128 MiB', async () => {
    const root = await temporaryDirectory();
    await writeFile(join(root, 'Large.json'), '{');
    await truncate(join(root, 'Large.json'), 128 * 1024 ** 2 + 1);

    const { artifacts, warnings } = await readFolders(root);

    expect(warnings).toEqual([]);
    await artifacts.refresh();
    expect(warnings).toEqual([expect.stringContaining('Large.json')]);
    artifacts.close();
  });

  it('read a large file last, without blocking readers', async () => {
    const root = await temporaryDirectory();
    const large = { ...CODE, contractName: 'Large', documentation: 'x'.repeat(1_000) };
    await write(join(root, 'Large.json'), large);
    await write(join(root, 'Small.json'), { ...CODE, contractName: 'Small' });
    const time = createFakeTime(0);
    const artifacts = new Artifacts({ timers: time.timers, onWarning: () => undefined, readSoon: 500 });
    artifacts.addFolder(root);
    await artifacts.ready();
    expect([...artifacts.contracts].map(({ name }) => name)).toEqual(['Small']);
    // The next refresh waits for the large file.
    await artifacts.refresh();
    expect([...artifacts.contracts].map(({ name }) => name)).toEqual(['Small', 'Large']);
    artifacts.close();
  });
});
