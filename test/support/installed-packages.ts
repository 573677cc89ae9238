import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A copy of the lock file of the last complete installation. */
const MARK = 'node_modules/.installed-package-lock.json';

/**
 * Installs the packages in the lock file of a folder, unless they are installed. Throws if npm fails. npm
 * prints its errors.
 */
export function installPackages(folder: string): void {
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const mark = join(folder, MARK);
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return;
  const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', options, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  writeFileSync(mark, lock);
}
