import { constants } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { makeDirectories } from '../primitives/make-directories.ts';
import { systemWords } from '../primitives/system-words.ts';
import {
  DamagedDirectoryError,
  DataDirectoryError,
  ForeignDirectoryError,
  UnusablePathError,
} from './errors.ts';

/** What LevelDB calls its files. */
const LEVEL_FILE = /^(CURRENT|LOCK|LOG(\.old)?|MANIFEST-\d+|\d+\.(log|ldb|sst|dbtmp))$/;
/** Those of them that hold what was written, which is lost without the one that says which of them count. */
const CONTENT_FILE = /^\d+\.(log|ldb|sst)$/;
const LIST_FILE = 'CURRENT';
const OWNER_ONLY = 0o700;
const ALL_ACCESS = constants.R_OK | constants.W_OK | constants.X_OK;

function isOneOf(error: unknown, codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.some((code) => code === error.code);
}

/** True for a directory, false for anything else, `undefined` where nothing is. */
async function isDirectory(path: string): Promise<boolean | undefined> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (isOneOf(error, ['ENOENT', 'ENOTDIR'])) return undefined;
    throw error;
  }
}

/** Rejects with an {@link UnusablePathError} where a file stands in the place of the directory, or on the way to it. */
async function checkWay(directory: string): Promise<void> {
  const whole = resolve(directory);
  for (let path = whole; ; path = dirname(path)) {
    const found = await isDirectory(path);
    if (found === false) throw new UnusablePathError(directory, `${path === whole ? 'it' : path} is a file`);
    if (found === true || path === dirname(path)) return;
  }
}

/** Files of something else must not be mixed with those of a database, nor what is left of one be taken for a new one. */
function checkNames(directory: string, names: readonly string[]): void {
  const foreign = names.find((name) => !LEVEL_FILE.test(name));
  if (foreign !== undefined) throw new ForeignDirectoryError(directory, foreign);
  if (!names.includes(LIST_FILE) && names.some((name) => CONTENT_FILE.test(name)))
    throw new DamagedDirectoryError(directory, `its file ${LIST_FILE} is missing`);
}

/**
 * Makes the directory, with all that leads to it, if it is not there. Rejects with an {@link UnusablePathError} when it
 * cannot be made or written, with a {@link ForeignDirectoryError} when it holds files of something else, and with a
 * {@link DamagedDirectoryError} for what is left of a store.
 */
export async function prepareDirectory(directory: string): Promise<void> {
  try {
    await checkWay(directory);
    makeDirectories(directory, OWNER_ONLY);
    await access(directory, ALL_ACCESS);
    checkNames(directory, await readdir(directory));
  } catch (error) {
    if (error instanceof DataDirectoryError) throw error;
    throw new UnusablePathError(directory, systemWords(error), { cause: error });
  }
}
