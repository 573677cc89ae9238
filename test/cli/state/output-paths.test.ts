import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemFileSystem } from '../../../src/cli/host.ts';
import { checkOutputPaths } from '../../../src/cli/state/state-path.ts';
import { UsageError } from '../../../src/config/errors.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { readOptions } from '../support/read-options.ts';

async function check(...commandLine: readonly string[]): Promise<string | null> {
  try {
    await checkOutputPaths(readOptions(commandLine, {}), systemFileSystem);
    return null;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

describe('checkOutputPaths', () => {
  it('rejects an output file that another option uses', async () => {
    const folder = await temporaryDirectory();
    const words = 'are the same file a.json; pass another file for one of them';
    expect(await check('--config-out', 'a.json', '--state', './b/../a.json')).toBe(
      `--config-out and --state ${words}`,
    );
    expect(await check('--config-out', 'a.json', '--load-state', 'a.json')).toContain(
      '--load-state are the same',
    );
    expect(await check('--config-out', 'a.json', '--dump-state', 'a.json')).toContain(
      '--dump-state are the same',
    );
    expect(await check('--config-out', 'a.json', '--init', 'a.json')).toContain('--init are the same');
    expect(await check('--dump-state', 'a.json', '--init', 'a.json')).toBe(
      `--dump-state and --init ${words}`,
    );
    expect(await check('--config-out', join(folder, 'state.json'), '--state', folder)).toContain(
      '--config-out and --state are the same',
    );
  });

  it.skipIf(process.platform === 'win32')('resolves links of files and directories', async () => {
    const folder = await temporaryDirectory();
    const at = (name: string): string => join(folder, name);
    await writeFile(at('state.json'), '');
    await symlink(at('state.json'), at('link.json'));
    await mkdir(at('chain'));
    await symlink(at('chain'), at('link'));
    expect(await check('--state', at('state.json'), '--config-out', at('link.json'))).toContain(
      'are the same file',
    );
    expect(await check('--data-dir', at('chain'), '--config-out', at('link/node.json'))).toContain(
      'is inside --data-dir',
    );
    expect(await check('--data-dir', at('link'), '--config-out', at('node.json'))).toBeNull();
  });

  it('rejects an output file inside --data-dir, which the next start would reject', async () => {
    expect(await check('--data-dir', 'd', '--config-out', './d/node.json')).toBe(
      '--config-out: ./d/node.json is inside --data-dir, which may contain only the chain; pass a file outside',
    );
    expect(await check('--data-dir', './d', '--dump-state', 'd/e/chain.json')).toContain(
      '--dump-state: d/e/chain.json is inside --data-dir, ',
    );
  });

  it('accepts other paths, and saving to the loaded file', async () => {
    expect(await check('--config-out', 'a.json', '--state', 'b.json', '--init', 'c.json')).toBeNull();
    expect(await check('--load-state', 'a.json', '--dump-state', 'a.json')).toBeNull();
    expect(await check('--data-dir', 'd', '--config-out', 'dd/node.json')).toBeNull();
    expect(await check('--data-dir', 'd', '--config-out', '..d')).toBeNull();
    expect(await check()).toBeNull();
  });
});
