// Runs a TypeScript file of the project: `node src/build/run-typescript.mjs <file> [argument...]`. It is
// bundled first, because Node cannot load parameter properties and JSON imports of these sources.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const [file, ...options] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: node src/build/run-typescript.mjs <file> [argument...]');

// Inside the project, so that Node finds the packages of node_modules.
const outfile = resolve(
  'node_modules/.cache/node-cli',
  `${file.replace(/\.ts$/, '').replaceAll(/[\\/]/g, '-')}.mjs`,
);
await build({
  entryPoints: [file],
  bundle: true,
  format: 'esm',
  platform: 'node',
  packages: 'external',
  outfile,
  logLevel: 'warning',
});
process.argv = [process.argv[0], outfile, ...options];
await import(pathToFileURL(outfile));
