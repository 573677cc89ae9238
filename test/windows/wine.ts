/** Finds Wine, which runs Node's Windows binary. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { MissingProgramError } from '../support/node-binary.ts';

/** Debian installs the program here; `wine` adds a command in the path. */
const WINE_PATHS = ['/usr/lib/wine/wine64', '/usr/lib/wine/wine'];
const WINE_COMMANDS = ['wine64', 'wine'];

/** Returns the path of Wine. `WINE` selects another one. Throws a {@link MissingProgramError}. */
export function winePath(
  { WINE, PATH = '' }: NodeJS.ProcessEnv,
  exists: (path: string) => boolean = existsSync,
): string {
  const commands = PATH.split(delimiter).flatMap((folder) => WINE_COMMANDS.map((name) => join(folder, name)));
  const found = WINE === undefined ? [...commands, ...WINE_PATHS].find(exists) : WINE;
  if (found !== undefined && exists(found)) return found;
  throw new MissingProgramError(
    `${WINE ?? 'wine64'} is missing; install it with: apt-get install -y --no-install-recommends wine64 (or set WINE=<path>)`,
  );
}

/** Returns the name of a path of this machine for programs under Wine. */
export function onDriveZ(path: string): string {
  return `Z:${path.replaceAll('/', '\\')}`;
}
