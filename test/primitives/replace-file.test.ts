import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { replaceFile } from '../../src/primitives/replace-file.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: operation failed, rename 'a' -> 'b'`), { code });
}

/** A system whose first attempts to rename fail with the codes. Its timers fire immediately. */
function failing(platform: NodeJS.Platform, ...codes: readonly string[]) {
  const rest = [...codes];
  const pauses: number[] = [];
  let attempts = 0;
  return {
    pauses,
    attempts: () => attempts,
    host: {
      platform,
      timers: {
        after(milliseconds: number, action: () => void) {
          pauses.push(milliseconds);
          queueMicrotask(action);
          return { cancel: () => undefined };
        },
      },
      rename: async () => {
        attempts++;
        const code = rest.shift();
        if (code !== undefined) throw systemError(code);
      },
    },
  };
}

describe('replaceFile', () => {
  it('replaces a file', async () => {
    const folder = await temporaryDirectory();
    await writeFile(join(folder, 'old'), 'old');
    await writeFile(join(folder, 'new'), 'new');

    await replaceFile(join(folder, 'new'), join(folder, 'old'));

    expect(await readFile(join(folder, 'old'), 'utf8')).toBe('new');
  });

  it('tries again on Windows while a program has the file open', async () => {
    const system = failing('win32', 'EPERM', 'EACCES', 'EBUSY');

    await replaceFile('a', 'b', system.host);

    expect(system.attempts()).toBe(4);
    expect(system.pauses).toEqual([10, 20, 50]);
  });

  it('rejects with the error of Windows after about 3 seconds', async () => {
    const system = failing('win32', ...Array(100).fill('EPERM'));

    await expect(replaceFile('a', 'b', system.host)).rejects.toMatchObject({ code: 'EPERM' });
    expect(system.pauses.reduce((sum, pause) => sum + pause)).toBe(2_880);
  });

  it.each([
    ['win32', 'ENOSPC'],
    ['linux', 'EPERM'],
  ] as const)('rejects immediately on %s for %s', async (platform, code) => {
    const system = failing(platform, code);

    await expect(replaceFile('a', 'b', system.host)).rejects.toMatchObject({ code });
    expect(system.attempts()).toBe(1);
  });
});
