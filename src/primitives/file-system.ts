import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes the directory, and all that are missing on the way to it, with these permissions of Unix. Throws the error of the
 * system. Node's own way to do so never ends where the system says of a new directory that its parent is not there, as
 * Linux does below `/proc`.
 */
export function makeDirectories(directory: string, mode?: number): void {
  const missing: string[] = [];
  for (let path = resolve(directory); !existsSync(path) && path !== missing[0]; path = dirname(path)) {
    missing.unshift(path);
  }
  for (const path of missing) {
    try {
      mkdirSync(path, { mode });
    } catch (error) {
      // Another process was quicker.
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
}

/** How Node puts the errors of the system: `ENOENT: no such file or directory, open '/file'`. */
const SYSTEM_MESSAGE = /^([A-Z0-9]+): (.+?), [a-z]+(?: '.*')?$/s;

/** Words of ours where those of the system tell what a program did wrong, not what is wrong with the path. */
const PATH_FAULTS = new Map([
  ['EISDIR', 'it is a directory'],
  ['ENOTDIR', 'a file stands where a directory should'],
]);

/**
 * Why something of the system failed, in words that follow what was tried and the path, which are left out. The message of
 * any other error as it is.
 */
export function systemWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [, code = '', words = error.message] =
    ('syscall' in error && SYSTEM_MESSAGE.exec(error.message)) || [];
  return PATH_FAULTS.get(code) ?? words;
}
