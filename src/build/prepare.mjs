// The `prepare` script of the package: builds it. `npx node-cli` in a clone links the clone into npx's cache and runs this
// script there once more, whatever node_modules/.bin holds; what is built already is then left as it is.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

// npm sets `npm_command` to `exec` for npx too.
const isForNpx = process.env.npm_command === 'exec';

if (!isForNpx || !existsSync('dist/cli/main.js')) {
  const { status } = spawnSync('npm run build', { shell: true, stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
