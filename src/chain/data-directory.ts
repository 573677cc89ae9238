import { constants } from 'node:fs';
import { access, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
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

/**
 * The directories that are missing on the way to this one and itself, the outermost first. Rejects with an
 * {@link UnusablePathError} where a file is on the way.
 */
async function missingDirectories(directory: string): Promise<string[]> {
  const whole = resolve(directory);
  const missing: string[] = [];
  for (let path = whole; path !== missing[0]; path = dirname(path)) {
    const found = await isDirectory(path);
    if (found === false) throw new UnusablePathError(directory, `${path === whole ? 'it' : path} is a file`);
    if (found === true) break;
    missing.unshift(path);
  }
  return missing;
}

/** Node's own way to make a directory with its parents never ends where the system says that the parent is not there (Linux, `/proc`). */
async function makeDirectories(directory: string): Promise<void> {
  for (const path of await missingDirectories(directory)) {
    try {
      await mkdir(path, { mode: OWNER_ONLY });
    } catch (error) {
      // Another process was quicker.
      if (!isOneOf(error, ['EEXIST'])) throw error;
    }
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
    await makeDirectories(directory);
    await access(directory, ALL_ACCESS);
    checkNames(directory, await readdir(directory));
  } catch (error) {
    if (error instanceof DataDirectoryError) throw error;
    throw new UnusablePathError(directory, systemWords(error), { cause: error });
  }
}
