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
