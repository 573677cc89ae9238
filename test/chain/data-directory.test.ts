import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { prepareDirectory } from '../../src/chain/data-directory.ts';
import { UnusablePathError } from '../../src/chain/errors.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

async function refusal(path: string): Promise<string> {
  const error: unknown = await prepareDirectory(path).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UnusablePathError);
  return error instanceof Error ? error.message : '';
}

describe('prepareDirectory', () => {
  it('makes the directory with all that leads to it', async () => {
    const parent = await temporaryDirectory();
    await prepareDirectory(join(parent, 'one', 'two'));
    await prepareDirectory(join(parent, 'one', 'two'));
    expect(await readdir(join(parent, 'one'))).toEqual(['two']);
  });

  it('says that there is a file, in the words of the option', async () => {
    const file = join(await temporaryDirectory(), 'thesis.txt');
    await writeFile(file, 'all my work');
    expect(await refusal(file)).toBe(
      `The data directory ${file} (--data-dir) cannot be used: it is a file; name a directory that may be written, or a path where one can be made`,
    );
  });

  it('says which of the names that lead there is a file', async () => {
    const file = join(await temporaryDirectory(), 'thesis.txt');
    await writeFile(file, 'all my work');
    expect(await refusal(join(file, 'one', 'two'))).toContain(
      `${join(file, 'one', 'two')} (--data-dir) cannot be used: ${file} is a file; `,
    );
  });

  it('says why the system makes no directory there, without the words of a program', async () => {
    const parent = await temporaryDirectory();
    const name = 'a'.repeat(300);
    expect(await refusal(join(parent, name))).toContain(' cannot be used: name too long; ');
    await symlink(join(parent, 'nowhere'), join(parent, 'link'));
    expect(await refusal(join(parent, 'link'))).toContain(' cannot be used: no such file or directory; ');
  });

  it.runIf(process.platform === 'linux')('gives up where nothing can be made', async () => {
    expect(await refusal('/proc/chain/data')).toContain(' cannot be used: no such file or directory; ');
  });

  it.skipIf(process.platform === 'win32')('says that the directory may not be written', async () => {
    const directory = join(await temporaryDirectory(), 'closed');
    await mkdir(directory, { mode: 0o500 });
    if (process.getuid?.() === 0) {
      // Nothing is closed to the administrator.
      await prepareDirectory(join(directory, 'chain'));
      expect(await readdir(directory)).toEqual(['chain']);
    } else {
      expect(await refusal(directory)).toContain(' cannot be used: permission denied; ');
      expect(await refusal(join(directory, 'chain'))).toContain(' cannot be used: permission denied; ');
    }
  });
});
