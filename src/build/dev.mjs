// Runs the sources without a build: `npm run dev -- start --port 0`. Writes only to .cache/dev and the folders
// of generated sources. Each run bundles the current sources, which takes a second.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { bundlePage } from './bundle-page.mjs';
import { llmsTexts } from './llms-texts.mjs';
import { writeTrustedSetup } from './trusted-setup.mjs';

// Inside the project, so that Node finds the packages of node_modules.
const FOLDER = resolve('.cache/dev');
/** The result of a step whose inputs are packages alone. */
const SETUP = `${FOLDER}/kzg/trusted-setup.bin`;

/** Returns the code of a constant: the URL of a file in the folder. */
const urlOf = (path) => JSON.stringify(pathToFileURL(`${FOLDER}/${path}`).href);

const shared = {
  bundle: true,
  outdir: FOLDER,
  target: 'node20',
  format: 'esm',
  platform: 'node',
  sourcemap: 'linked',
  logLevel: 'warning',
};

/** Compiles the interpreter if its sources changed. */
function generate() {
  for (const script of ['src/evm/interpreter/assembly/build.mjs', 'src/build/parent-block-template.mjs']) {
    const { status } = spawnSync(process.execPath, [script], { stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) process.exit(status ?? 1);
  }
}

generate();
await Promise.all([
  build({
    ...shared,
    entryPoints: { main: 'src/cli/main.ts', 'typescript-hooks': 'src/cli/typescript-hooks.ts' },
    packages: 'external',
    splitting: true,
    define: {
      PAGE_DIRECTORY: urlOf('page/'),
      TRACER_THREAD: urlOf('tracer-thread.js'),
      TRUSTED_SETUP: urlOf('kzg/trusted-setup.bin'),
      TYPESCRIPT_HOOKS_FILE: urlOf('typescript-hooks.js'),
      SIGNAL_GUARD_THREAD: urlOf('signal-guard-thread.cjs'),
    },
  }),
  build({
    ...shared,
    entryPoints: { 'tracer-thread': 'src/evm/javascript-tracer/thread.ts' },
    // QuickJS, and the source of big-integer, which runs inside QuickJS.
    loader: { '.wasm': 'binary', '.min.js': 'text' },
  }),
  build({
    ...shared,
    entryPoints: { 'signal-guard-thread': 'src/cli/signal-guard-thread.ts' },
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    banner: { js: "const scriptUrl = require('node:url').pathToFileURL(__filename).href;" },
    define: { 'import.meta.url': 'scriptUrl' },
  }),
  bundlePage(`${FOLDER}/page`, await llmsTexts()),
  existsSync(SETUP) ? undefined : writeTrustedSetup(`${FOLDER}/kzg`),
]);
await writeFile(`${FOLDER}/package.json`, '{ "type": "module" }\n');

process.setSourceMapsEnabled(true);
const { main } = await import(pathToFileURL(`${FOLDER}/main.js`));
// The sources need no loader, code cache or tuning.
const start = { cache() {}, onCall() {}, tune() {} };
await main(start, (url) => import(url));
