import { chmod, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type FileSystem, systemFileSystem } from '../../../src/cli/host.ts';
import { writeAtomically } from '../../../src/cli/state/state-saver.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const NEW = Buffer.from('new content');

/** The file system, with the operations recorded in order. The operation `failing` fails. */
function recording(failing?: keyof FileSystem): { files: FileSystem; steps: string[] } {
  const steps: string[] = [];
  const step = <Key extends keyof FileSystem>(name: Key): Pick<FileSystem, Key> => {
    const own = systemFileSystem[name] as (...given: unknown[]) => Promise<unknown>;
    const watched = (...given: unknown[]): Promise<unknown> => {
      steps.push(name);
      return name === failing ? Promise.reject(new Error(`${name} failed`)) : own(...given);
    };
    return { [name]: watched } as unknown as Pick<FileSystem, Key>;
  };
  const files = {
    ...systemFileSystem,
    ...step('writeSynced'),
    ...step('rename'),
    ...step('syncDirectory'),
    ...step('remove'),
  };
  return { files, steps };
}

describe('writeAtomically', () => {
  it('writes and syncs a temporary file, renames it, and syncs the folder', async () => {
    const folder = await temporaryDirectory();
    const { files, steps } = recording();
    await writeAtomically(files, join(folder, 'chain'), NEW);
    expect(steps).toEqual(['writeSynced', 'rename', 'syncDirectory']);
    expect(await readdir(folder)).toEqual(['chain']);
    expect(await readFile(join(folder, 'chain'))).toEqual(NEW);
  });

  it.each(['writeSynced', 'rename'] as const)(
    'keeps the old file and leaves no other file if %s fails',
    async (failing) => {
      const folder = await temporaryDirectory();
      await writeFile(join(folder, 'chain'), 'earlier');
      const { files } = recording(failing);
      await expect(writeAtomically(files, join(folder, 'chain'), NEW)).rejects.toThrow(`${failing} failed`);
      expect(await readdir(folder)).toEqual(['chain']);
      expect(await readFile(join(folder, 'chain'), 'utf8')).toBe('earlier');
    },
  );

  it('creates a file readable only by its owner, and keeps existing permissions', async () => {
    const folder = await temporaryDirectory();
    const path = join(folder, 'chain');
    await writeAtomically(systemFileSystem, path, NEW);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await chmod(path, 0o644);
    await writeAtomically(systemFileSystem, path, NEW);
    expect((await stat(path)).mode & 0o777).toBe(0o644);
  });

  it('writes to the target of a symbolic link and keeps the link', async () => {
    const folder = await temporaryDirectory();
    await mkdir(join(folder, 'there'));
    await writeFile(join(folder, 'there', 'chain'), 'earlier');
    await symlink(join('there', 'chain'), join(folder, 'link'));
    await writeAtomically(systemFileSystem, join(folder, 'link'), NEW);
    expect(await readlink(join(folder, 'link'))).toBe(join('there', 'chain'));
    expect(await readFile(join(folder, 'there', 'chain'))).toEqual(NEW);
  });
});
