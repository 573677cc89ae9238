import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { UsageError } from '../../config/errors.ts';
import type { FileSystem } from '../../config/file-system.ts';
import { flagOf, type NodeOptions } from '../../config/options.ts';
import { printable } from '../../config/printable.ts';
import { statePath } from './state-path.ts';

/** By an option whose file is written: the options whose files it would be written over. */
const OTHERS = {
  configOut: ['state', 'loadState', 'dumpState', 'init'],
  dumpState: ['init'],
} as const;

/** Where the path leads without symbolic links, as far as it is there. */
async function target(files: FileSystem, path: string): Promise<string> {
  const whole = resolve(path);
  if (whole === dirname(whole)) return whole;
  // What may not be looked at is told of where it is to be read or written.
  const there = await files.stat(whole).catch(() => null);
  return there === null ? join(await target(files, dirname(whole)), basename(whole)) : files.realPath(whole);
}

/** Both without symbolic links. */
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
        `${flagOf(key)} ${printable(path)} is in the directory of --data-dir, which holds a chain and nothing else; name a file elsewhere`,
      );
    }
    for (const other of OTHERS[key]) {
      const named = options[other];
      if (named === null || own !== (await target(files, await statePath(files, named)))) continue;
      throw new UsageError(
        `${flagOf(key)} and ${flagOf(other)} both name the file ${printable(path)}; name another one for one of them`,
      );
    }
  }
}
