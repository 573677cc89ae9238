#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const LEAST_NODE = [20, 15];

function isTooOld(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < LEAST_NODE[0] || (major === LEAST_NODE[0] && minor < LEAST_NODE[1]);
}

const bundle = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

if (isTooOld(process.versions.node)) {
  process.stderr.write(
    `node-cli: Node ${LEAST_NODE.join('.')} or later is needed, this is ${process.versions.node}\n`,
  );
  process.exitCode = 1;
} else if (!existsSync(bundle)) {
  process.stderr.write('node-cli: dist is missing; build it with: npm run build\n');
  process.exitCode = 1;
} else {
  const { loadCommandLine } = await import('./load-script.cjs');
  await loadCommandLine(bundle).main((url) => import(url));
}
