import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { printable, StartError, UsageError } from '../../config/errors.ts';
import { flagOf, type NodeOptions, type OptionKey } from '../../config/options.ts';
import { systemWords } from '../../primitives/file-system.ts';
import type { FileSystem } from '../host.ts';

/** The name of the file in a directory that is given instead of a file, as Anvil has it. */
const FILE_IN_DIRECTORY = 'state.json';

/** Returns the path of the file that is meant: in a directory the one of that name. */
export async function statePath(files: FileSystem, path: string): Promise<string> {
  const found = await files.stat(path);
  return found?.isDirectory === true ? join(path, FILE_IN_DIRECTORY) : path;
}

/**
 * Reads the file that an option names; resolves to `null` when there is none. Rejects with a {@link StartError} when it cannot
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
    throw new StartError(
      `${flagOf(key)}: cannot read ${printable(path)}: ${systemWords(error)}; pass a readable file`,
    );
  }
}

/** Returns why no file can be put at the path, in words; `null` when one can. */
async function faultOfTarget(files: FileSystem, path: string): Promise<string | null> {
  const folder = dirname(path);
  try {
    const [around, there] = [await files.stat(folder), await files.stat(path)];
    if (around === null) return `directory ${printable(folder)} does not exist`;
    if (!around.isDirectory) return `${printable(folder)} is a file, not a directory`;
    if (there?.isDirectory === true) return 'it is a directory';
    // A save takes the place of what is there: a device, or a pipe that is being read.
    if (there?.isFile === false) return 'it is not a regular file';
    await files.checkWritable(folder);
    return null;
  } catch (error) {
    return systemWords(error);
  }
}

/** Rejects with a {@link StartError} when no file can be made where the option says: better now than at the end. */
export async function checkSavable(files: FileSystem, key: OptionKey, path: string): Promise<void> {
  const fault = await faultOfTarget(files, path);
  if (fault === null) return;
  throw new StartError(
    `${flagOf(key)}: cannot write ${printable(path)}: ${fault}; pass a file in a writable directory`,
  );
}

/** By an option whose file is written: the options whose files it would be written over. */
const OTHERS = {
  configOut: ['state', 'loadState', 'dumpState', 'init'],
  dumpState: ['init'],
} as const;

/** Resolves to the path without symbolic links, as far as it exists. */
async function target(files: FileSystem, path: string): Promise<string> {
  const whole = resolve(path);
  if (whole === dirname(whole)) return whole;
  // A path that may not be looked at fails later, where it is read or written.
  const there = await files.stat(whole).catch(() => null);
  return there === null ? join(await target(files, dirname(whole)), basename(whole)) : files.realPath(whole);
}

/** Returns true for a path in the directory; both are without symbolic links. */
function isInside(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * Rejects with a {@link UsageError} when a file would be written over one that another option names, or into the directory
 * of a chain, which is refused at the next start when it holds anything else.
 */
export async function checkOutputPaths(options: NodeOptions, files: FileSystem): Promise<void> {
  for (const key of ['configOut', 'dumpState'] as const) {
    const path = options[key];
    if (path === null) continue;
    const own = await target(files, key === 'configOut' ? path : await statePath(files, path));
    if (options.dataDir !== null && isInside(await target(files, options.dataDir), own)) {
      throw new UsageError(
        `${flagOf(key)}: ${printable(path)} is inside --data-dir, which may contain only the chain; pass a file outside`,
      );
    }
    for (const other of OTHERS[key]) {
      const named = options[other];
      if (named === null || own !== (await target(files, await statePath(files, named)))) continue;
      throw new UsageError(
        `${flagOf(key)} and ${flagOf(other)} are the same file ${printable(path)}; pass another file for one of them`,
      );
    }
  }
}
