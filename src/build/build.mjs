// Builds the package: `node src/build/build.mjs`. With `--if-changed`, does nothing if the inputs of the last
// build are unchanged. With `--source-maps <folder>`, writes the source maps of the bundle into the folder.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { inputsDigest, STAMP, stampedDigest } from './build-inputs.mjs';

/** The steps in order, and the command of each. */
const STEPS = [
  ['compile the interpreter to WebAssembly', 'src/evm/interpreter/assembly/build.mjs'],
  ['generate the block template of the parent chain', 'src/build/parent-block-template.mjs'],
  ['bundle the command line, the library and the explorer', 'src/build/bundle.mjs'],
  ['bundle the type declarations', 'src/build/bundle-types.mjs'],
  ['pack the extension for VS Code', 'src/build/extension.mjs', 'dist/node-cli.vsix'],
  ['write the bill of materials', 'src/build/run-typescript.mjs', 'src/build/sbom.ts', 'dist/sbom.json'],
  ['start the node once to fill the code cache', 'src/build/first-start.mjs'],
];

function print(line) {
  process.stdout.write(`${line}\n`);
}

const { values } = parseArgs({
  options: { 'if-changed': { type: 'boolean' }, 'source-maps': { type: 'string' } },
});
const maps = values['source-maps'];
const env = { ...process.env, ...(maps !== undefined && { NODE_CLI_SOURCE_MAPS: resolve(maps) }) };

/** Runs a step. Returns its exit code. */
function run([title, ...command], index) {
  print(`build ${index + 1}/${STEPS.length}: ${title}`);
  return spawnSync(process.execPath, command, { stdio: 'inherit', env }).status ?? 1;
}

const digest = inputsDigest();
if (values['if-changed'] && existsSync('dist/cli/main.js') && stampedDigest() === digest) {
  print('build: up to date');
} else {
  rmSync(STAMP, { force: true });
  const began = performance.now();
  for (const [index, step] of STEPS.entries()) {
    process.exitCode = run(step, index);
    if (process.exitCode !== 0) break;
  }
  if (process.exitCode === 0) {
    writeFileSync(STAMP, digest);
    print(`build: done in ${Math.round((performance.now() - began) / 1000)} s`);
  }
}
