// Builds the package: `node src/build/build.mjs`. With `--if-changed`, does nothing if the inputs of the last
// build are unchanged.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { inputsDigest, STAMP, stampedDigest } from './build-inputs.mjs';

/** The steps in order, and the command of each. */
const STEPS = [
  ['compile the interpreter to WebAssembly', 'src/evm/interpreter/assembly/build.mjs'],
  ['generate the block template of the parent chain', 'src/build/parent-block-template.mjs'],
  ['bundle the command line, the library and the explorer', 'src/build/bundle.mjs'],
  ['bundle the type declarations', 'src/build/bundle-types.mjs'],
  ['write the bill of materials', 'src/build/run-typescript.mjs', 'src/build/sbom.ts', 'dist/sbom.json'],
  ['start the node once to fill the code cache', 'src/build/first-start.mjs'],
];

function print(line) {
  process.stdout.write(`${line}\n`);
}

/** Runs a step. Returns its exit code. */
function run([title, ...command], index) {
  print(`build ${index + 1}/${STEPS.length}: ${title}`);
  return spawnSync(process.execPath, command, { stdio: 'inherit' }).status ?? 1;
}

const digest = inputsDigest();
if (process.argv.includes('--if-changed') && existsSync('dist/cli/main.js') && stampedDigest() === digest) {
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
