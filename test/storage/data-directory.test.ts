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

/**
 * Returns a function that prepares a directory in a process without privileges and returns the error message.
 */
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
  it('creates the directory and its missing parent directories', async () => {
    const parent = await temporaryDirectory();
    await prepareDirectory(join(parent, 'one', 'two'));
    await prepareDirectory(join(parent, 'one', 'two'));
    expect(await readdir(join(parent, 'one'))).toEqual(['two']);
  });

  it('names the option in the error for a path that is a file', async () => {
    const file = join(await temporaryDirectory(), 'thesis.txt');
    await writeFile(file, 'all my work');
    expect(await refusal(file)).toBe(
      `--data-dir: cannot use ${file}: it is a file; choose a writable directory`,
    );
  });

  it('names the parent in the error for a path with a file as its parent', async () => {
    const file = join(await temporaryDirectory(), 'thesis.txt');
    await writeFile(file, 'all my work');
    expect(await refusal(join(file, 'one', 'two'))).toContain(
      `--data-dir: cannot use ${join(file, 'one', 'two')}: ${file} is a file; `,
    );
  });

  it('fails with the reason of the operating system in plain words', async () => {
    const parent = await temporaryDirectory();
    const name = 'a'.repeat(300);
    expect(await refusal(join(parent, name))).toMatch(/^--data-dir: cannot use \S+: name too long; /);
    await symlink(join(parent, 'nowhere'), join(parent, 'link'));
    expect(await refusal(join(parent, 'link'))).toMatch(
      /^--data-dir: cannot use \S+: no such file or directory; /,
    );
  });

  it.runIf(process.platform === 'linux')('fails if no directory can be created there', async () => {
    expect(await refusal('/proc/chain/data')).toMatch(
      /^--data-dir: cannot use \S+: no such file or directory; /,
    );
  });

  it.skipIf(process.platform === 'win32')('fails if the directory is not writable', async () => {
    const parent = await temporaryDirectory();
    await chmod(parent, 0o755);
    const directory = join(parent, 'closed');
    // Everybody may read the directory, so that only writing fails.
    await mkdir(directory);
    await chmod(directory, 0o555);
    // Root may write to every directory, so the test runs as another user if it was started as root.
    const ask = process.getuid?.() === 0 ? await refusalOfNobody() : refusal;
    expect(await ask(directory)).toMatch(/^--data-dir: cannot use \S+: permission denied; /);
    expect(await ask(join(directory, 'chain'))).toMatch(/^--data-dir: cannot use \S+: permission denied; /);
    expect(await readdir(directory)).toEqual([]);
  });
});
