// Directories and messages of the operating system.

import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates the directory and its missing parents with these Unix permissions. Throws the error of the system. Node's
 * `recursive` option never returns where the system reports for a new directory that its parent is missing, as Linux
 * does below `/proc`.
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
      // Another process created it first.
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
}

/** The byte order mark of UTF-8, with which some editors and shells begin a text. */
const BYTE_ORDER_MARK = Uint8Array.of(0xef, 0xbb, 0xbf);

/** Returns the content of a file without the byte order mark before it, if there is one. */
export function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  const { length } = BYTE_ORDER_MARK;
  return BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte) ? bytes.subarray(length) : bytes;
}

/** The form of Node's system errors: `ENOENT: no such file or directory, open '/file'`. */
const SYSTEM_MESSAGE = /^([A-Z0-9]+): (.+?), [a-z]+(?: '.*')?$/s;

/** Our words where those of the system describe a mistake of the program rather than the problem with the path. */
const PATH_FAULTS = new Map([
  ['EISDIR', 'it is a directory'],
  ['ENOTDIR', 'a file stands where a directory should'],
]);

/**
 * Returns why a system call failed, in words that can follow the attempted action and the path, which are left out; the
 * message of any other error unchanged.
 */
export function systemWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [, code = '', words = error.message] =
    ('syscall' in error && SYSTEM_MESSAGE.exec(error.message)) || [];
  return PATH_FAULTS.get(code) ?? words;
}
