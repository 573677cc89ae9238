import { isAbsolute, relative, resolve, sep } from 'node:path';
import { UsageError } from '../errors.ts';
import { flagOf, type NodeOptions } from '../options.ts';
import { printable } from '../printable.ts';
import type { FileSystem } from './file-system.ts';
import { statePath } from './state-path.ts';

/** By an option whose file is written: the options whose files it would be written over. */
const OTHERS = {
  configOut: ['state', 'loadState', 'dumpState', 'init'],
  dumpState: ['init'],
} as const;

function isInside(directory: string, path: string): boolean {
  const way = relative(resolve(directory), resolve(path));
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
    if (options.dataDir !== null && isInside(options.dataDir, path)) {
      throw new UsageError(
        `${flagOf(key)} ${printable(path)} is in the directory of --data-dir, which holds a chain and nothing else; name a file elsewhere`,
      );
    }
    const own = resolve(key === 'configOut' ? path : await statePath(files, path));
    for (const other of OTHERS[key]) {
      const named = options[other];
      if (named === null || own !== resolve(await statePath(files, named))) continue;
      throw new UsageError(
        `${flagOf(key)} and ${flagOf(other)} both name the file ${printable(path)}; name another one for one of them`,
      );
    }
  }
}
