import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Thrown if a program is missing. The message contains the command that installs it. */
export class MissingProgramError extends Error {
  override readonly name = 'MissingProgramError';
}

/** The folder of downloaded programs, which survives `npm run build`. */
export const PROGRAM_CACHE = join('node_modules', '.cache', 'node-cli');

/**
 * Returns the path of a Node binary, which npm installs into the cache once. `system` is a system of the packages
 * `node-<system>`, such as `linux-x64`; `version` is a full version or its first parts. Throws a {@link
 * MissingProgramError} if npm fails.
 */
export function nodeBinary(system: string, version: string, cache = PROGRAM_CACHE): string {
  const name = `node-${system}`;
  const folder = join(cache, `${name}-${version}`);
  const file = system.startsWith('win') ? 'node.exe' : 'node';
  const program = join(folder, 'node_modules', name, 'bin', file);
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  // npm refuses packages of other systems without --force.
  const options = ['install', '--force', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error'];
  try {
    execFileSync('npm', [...options, `${name}@${version}`], { stdio: ['ignore', 'ignore', 'inherit'] });
  } catch {
    throw new MissingProgramError(`npm cannot install ${name}@${version}; check the version and the network`);
  }
  return program;
}
