// Folders that are no build outputs, or that have files much larger than those of compilers.

import promises, { truncate, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, type MockInstance, onTestFinished, vi } from 'vitest';
import { Artifacts } from '../../src/artifacts/artifacts.ts';
import { createFakeTime } from '../support/fake-time.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { makeFolders, readFolders, write } from './artifact-reader.ts';

const CODE = { abi: [], bytecode: '0x6001', deployedBytecode: '0x6001' };

describe('a folder of artifacts', () => {
  it('is not read with more than 5,000 folders below it, and can be added again', async () => {
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

  it('is not read with more than 100,000 files', async () => {
    const root = await temporaryDirectory();
    await writeFile(join(root, 'notes.txt'), '');
    const [entry] = await promises.readdir(root, { withFileTypes: true });
    const listed = vi.spyOn(promises, 'readdir') as unknown as MockInstance<() => Promise<unknown>>;
    listed.mockResolvedValue(Array.from({ length: 100_001 }, () => entry));
    syncBuiltinESMExports();
    onTestFinished(() => {
      listed.mockRestore();
      syncBuiltinESMExports();
    });

    const { artifacts } = await readFolders(root);

    expect(artifacts.refusalOf(root)).toContain('more than 5000 folders or 100000 files');
    artifacts.close();
  });

  it('has no folders that begin with a dot', async () => {
    const root = await temporaryDirectory();
    await write(join(root, '.hidden', 'A.json'), { ...CODE, contractName: 'A' });
    await write(join(root, 'B.json'), { ...CODE, contractName: 'B' });
    const { artifacts } = await readFolders(root);
    expect([...artifacts.contracts].map(({ name }) => name)).toEqual(['B']);
    artifacts.close();
  });
});

describe('a large file', () => {
  it('is one warning beyond 1 GiB, without being read', async () => {
    const root = await temporaryDirectory();
    await write(join(root, 'A.json'), { ...CODE, contractName: 'A' });
    await writeFile(join(root, 'dump.json'), '{');
    // The file has no blocks on the disk.
    await truncate(join(root, 'dump.json'), 1024 ** 3 + 1);
    const { artifacts, warnings } = await readFolders(root);
    expect([...artifacts.contracts].map(({ name }) => name)).toEqual(['A']);
    await artifacts.refresh();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('the file has 1073741825 bytes; the maximum is 1073741824');
    artifacts.close();
  });

  it('is not waited for by answers if it has more than 128 MiB', async () => {
    const root = await temporaryDirectory();
    await writeFile(join(root, 'Large.json'), '{');
    await truncate(join(root, 'Large.json'), 128 * 1024 ** 2 + 1);

    const { artifacts, warnings } = await readFolders(root);

    expect(warnings).toEqual([]);
    await artifacts.refresh();
    expect(warnings).toEqual([expect.stringContaining('Large.json')]);
    artifacts.close();
  });

  it('is read behind all others, which answers do not wait for', async () => {
    const root = await temporaryDirectory();
    const large = { ...CODE, contractName: 'Large', documentation: 'x'.repeat(1_000) };
    await write(join(root, 'Large.json'), large);
    await write(join(root, 'Small.json'), { ...CODE, contractName: 'Small' });
    const time = createFakeTime(0);
    const artifacts = new Artifacts({ timers: time.timers, onWarning: () => undefined, readSoon: 500 });
    artifacts.addFolder(root);
    await artifacts.ready();
    expect([...artifacts.contracts].map(({ name }) => name)).toEqual(['Small']);
    // The next reading waits for the large file.
    await artifacts.refresh();
    expect([...artifacts.contracts].map(({ name }) => name)).toEqual(['Small', 'Large']);
    artifacts.close();
  });
});
