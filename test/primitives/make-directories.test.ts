import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeDirectories } from '../../src/primitives/file-system.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

describe('makeDirectories', () => {
  it('creates missing directories and keeps existing ones', async () => {
    const parent = await temporaryDirectory();
    makeDirectories(join(parent, 'one', 'two'), 0o700);
    await writeFile(join(parent, 'one', 'two', 'kept'), '');
    makeDirectories(join(parent, 'one', 'two'));
    expect(await readdir(join(parent, 'one', 'two'))).toEqual(['kept']);
    if (process.platform !== 'win32') expect((await stat(join(parent, 'one'))).mode & 0o777).toBe(0o700);
  });

  it('throws the system error if a file is in the path', async () => {
    const file = join(await temporaryDirectory(), 'file');
    await writeFile(file, '');
    expect(() => makeDirectories(join(file, 'one', 'two'))).toThrow(/ENOTDIR|ENOENT/);
  });

  it('throws if no directory can be created', () => {
    const nowhere = process.platform === 'linux' ? '/proc/nowhere/one' : '\0';
    expect(() => makeDirectories(nowhere)).toThrow();
  });
});
