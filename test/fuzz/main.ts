// Runs random input against one part of the node: `npm run test:fuzz -- [engines | artifacts | files | forks] [option...]`.
import { spawnSync } from 'node:child_process';
import { fuzzProgram } from './fuzz-program.ts';

const { file, options } = fuzzProgram(process.argv.slice(2));
const { status } = spawnSync(process.execPath, ['src/build/run-typescript.mjs', file, ...options], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
