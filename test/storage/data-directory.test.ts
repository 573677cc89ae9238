import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { prepareDirectory } from '../../src/storage/durable-store.ts';
import { UnusablePathError } from '../../src/storage/errors.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

async function refusal(path: string): Promise<string> {
  const error: unknown = await prepareDirectory(path).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UnusablePathError);
  return error instanceof Error ? error.message : '';
}

const NOBODY = 65_534;

/** Returns a function that prepares a directory in a process without rights, and gives the message of its refusal. */
async function refusalOfNobody(): Promise<(path: string) => Promise<string>> {
  const scripts = await temporaryDirectory();
  await chmod(scripts, 0o755);
  const script = join(scripts, 'prepare.mjs');
  const entry = fileURLToPath(new URL('../../src/storage/durable-store.ts', import.meta.url));
  const contents = `import { prepareDirectory } from ${JSON.stringify(entry)};
    await prepareDirectory(process.argv[2]).catch((error) => process.stdout.write(error.message));`;
  await build({
    stdin: { contents, resolveDir: scripts },
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile: script,
  });
  const identity = { uid: NOBODY, gid: NOBODY, cwd: scripts };
  return async (path) => (await promisify(execFile)(process.execPath, [script, path], identity)).stdout;
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
      `--data-dir: cannot use ${file}: it is a file; choose a writable directory`,
    );
  });

  it('says which of the names that lead there is a file', async () => {
    const file = join(await temporaryDirectory(), 'thesis.txt');
    await writeFile(file, 'all my work');
    expect(await refusal(join(file, 'one', 'two'))).toContain(
      `--data-dir: cannot use ${join(file, 'one', 'two')}: ${file} is a file; `,
    );
  });

  it('says why the system makes no directory there, without the words of a program', async () => {
    const parent = await temporaryDirectory();
    const name = 'a'.repeat(300);
    expect(await refusal(join(parent, name))).toMatch(/^--data-dir: cannot use \S+: name too long; /);
    await symlink(join(parent, 'nowhere'), join(parent, 'link'));
    expect(await refusal(join(parent, 'link'))).toMatch(
      /^--data-dir: cannot use \S+: no such file or directory; /,
    );
  });

  it.runIf(process.platform === 'linux')('gives up where nothing can be made', async () => {
    expect(await refusal('/proc/chain/data')).toMatch(
      /^--data-dir: cannot use \S+: no such file or directory; /,
    );
  });

  it.skipIf(process.platform === 'win32')('says that the directory may not be written', async () => {
    const parent = await temporaryDirectory();
    await chmod(parent, 0o755);
    const directory = join(parent, 'closed');
    // All may look into it, so that what is refused is writing.
    await mkdir(directory);
    await chmod(directory, 0o555);
    // Nothing is closed to the administrator, who asks as somebody else therefore.
    const ask = process.getuid?.() === 0 ? await refusalOfNobody() : refusal;
    expect(await ask(directory)).toMatch(/^--data-dir: cannot use \S+: permission denied; /);
    expect(await ask(join(directory, 'chain'))).toMatch(/^--data-dir: cannot use \S+: permission denied; /);
    expect(await readdir(directory)).toEqual([]);
  });
});
