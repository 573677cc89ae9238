// Folders that are no build outputs, or that have files much larger than those of compilers.

import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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
