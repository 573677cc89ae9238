import { dirname, join } from 'node:path';
import { StartError } from '../errors.ts';
import { failureOf } from '../failure-of.ts';
import { flagOf, type OptionKey } from '../options.ts';
import { printable } from '../printable.ts';
import type { FileSystem } from './file-system.ts';

/** The name of the file in a directory that is given instead of a file, as Anvil has it. */
const FILE_IN_DIRECTORY = 'state.json';

/** The path of the file that is meant: in a directory the one of that name. */
export async function statePath(files: FileSystem, path: string): Promise<string> {
  const found = await files.stat(path);
  return found?.isDirectory === true ? join(path, FILE_IN_DIRECTORY) : path;
}

/**
 * The bytes of the file that an option names; `null` when there is none. Rejects with a {@link StartError} when it cannot
 * be read.
 */
export async function readNamedFile(
  files: FileSystem,
  key: OptionKey,
  path: string,
): Promise<Uint8Array | null> {
  try {
    return await files.read(path);
  } catch (error) {
    throw new StartError(`cannot read the file of ${flagOf(key)}: ${failureOf(error)}`);
  }
}

/** Rejects with a {@link StartError} when no file can be made where the option says: better now than at the end. */
export async function checkSavable(files: FileSystem, key: OptionKey, path: string): Promise<void> {
  try {
    await files.checkWritable(dirname(path));
  } catch (error) {
    throw new StartError(
      `${flagOf(key)} cannot save to ${printable(path)}: ${failureOf(error)}; name a file in a folder that is there`,
    );
  }
}
