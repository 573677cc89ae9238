import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { printable, StartError, UsageError } from '../../config/errors.ts';
import { flagOf, type NodeOptions, type OptionKey } from '../../config/options.ts';
import { systemMessage } from '../../primitives/file-system.ts';
import type { FileSystem } from '../host.ts';

/** The state file in a given directory, as in Anvil. */
const FILE_IN_DIRECTORY = 'state.json';

/** Returns the path, or the path of the state file if it is a directory. */
export async function statePath(files: FileSystem, path: string): Promise<string> {
  const found = await files.stat(path);
  return found?.isDirectory === true ? join(path, FILE_IN_DIRECTORY) : path;
}

/**
 * Resolves to the content; `null` if the file does not exist. Rejects with a {@link StartError} if it is
 * unreadable.
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
      `${flagOf(key)}: cannot read ${printable(path)}: ${systemMessage(error)}; pass a readable file`,
    );
  }
}

/** Returns the reason why a file cannot be written at the path; `null` if it can. */
async function faultOfTarget(files: FileSystem, path: string): Promise<string | null> {
  const folder = dirname(path);
  try {
    const [around, there] = [await files.stat(folder), await files.stat(path)];
    if (around === null) return `directory ${printable(folder)} does not exist`;
    if (!around.isDirectory) return `${printable(folder)} is a file, not a directory`;
    if (there?.isDirectory === true) return 'it is a directory';
    // A save would replace the device or pipe.
    if (there?.isFile === false) return 'it is not a regular file';
    await files.checkWritable(folder);
    return null;
  } catch (error) {
    return systemMessage(error);
  }
}

/** Rejects with a {@link StartError} at the start, rather than at the end, if the file cannot be written. */
export async function checkSavable(files: FileSystem, key: OptionKey, path: string): Promise<void> {
  const fault = await faultOfTarget(files, path);
  if (fault === null) return;
  throw new StartError(
    `${flagOf(key)}: cannot write ${printable(path)}: ${fault}; pass a file in a writable directory`,
  );
}

/** By output option, the options whose files it must not overwrite. */
const OTHERS = {
  configOut: ['state', 'loadState', 'dumpState', 'init'],
  dumpState: ['init'],
} as const;

/** Resolves symbolic links in the existing part of the path. */
async function target(files: FileSystem, path: string): Promise<string> {
  const whole = resolve(path);
  if (whole === dirname(whole)) return whole;
  // An unreadable path fails later, on reading or writing.
  const there = await files.stat(whole).catch(() => null);
  return there === null ? join(await target(files, dirname(whole)), basename(whole)) : files.realPath(whole);
}

/** True for a path inside the directory. Both paths are without symbolic links. */
function isInside(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * Rejects with a {@link UsageError} if an output would overwrite another option's file. Also rejects files
 * inside `--data-dir`, because the next start rejects unknown files there.
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
