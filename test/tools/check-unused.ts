// Lists unused files, exports and packages: `npm run tool -- check:unused`. The first run installs knip.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { installPackages } from '../support/installed-packages.ts';

const PACKAGES = resolve('test/tools/unused-check');

installPackages(PACKAGES);
const knip = resolve(PACKAGES, 'node_modules/knip/bin/knip.js');
const options = ['--config', 'test/config/knip.jsonc', ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, [knip, ...options], { stdio: 'inherit' });
process.exitCode = status ?? 1;
