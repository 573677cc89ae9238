// The `prepare` script of the package: builds it if its inputs changed. `npx node-cli` in a clone also runs
// this script, but uses an existing build.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

// npm sets `npm_command` to `exec` for npx.
const isForNpx = process.env.npm_command === 'exec';

if (!isForNpx || !existsSync('dist/cli/main.js')) {
  const { status } = spawnSync('npm run --silent build -- --if-changed', { shell: true, stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
