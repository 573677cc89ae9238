#!/usr/bin/env node
'use strict';
// A script (see package.json in this folder), because loading the ES module loader would delay the start.
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const MIN_NODE = [20, 15];

function isTooOld(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < MIN_NODE[0] || (major === MIN_NODE[0] && minor < MIN_NODE[1]);
}

if (isTooOld(process.versions.node)) {
  process.stderr.write(
    `node-cli: Node ${MIN_NODE.join('.')} or later is required, but the running version is ${process.versions.node}\n`,
  );
  process.exitCode = 1;
} else if (!existsSync(join(__dirname, '../dist/start.cjs'))) {
  process.stderr.write('node-cli: dist is missing; build it with: npm run build\n');
  process.exitCode = 1;
} else {
  require('../dist/start.cjs').startCommandLine();
}
