// The same test suite in three ways: node test/bench/lane-suite/run.mjs [tests, default 400] [workers, default 8]
// Each test needs a fresh system of ten contracts: deployed anew, gone back to on a node for each worker, or as a lane of
// one node. It needs a build (npm run build), and prints wall times, which are of this machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [tests = 400, workers = 8] = process.argv.slice(2).map(Number);
const TESTS_PER_FILE = 10;
const MODES = {
  deployments: 'ten deployments in each test, a node for each worker',
  snapshots: 'snapshot and revert, a node for each worker',
  lanes: 'a lane for each test, one node',
};

const project = fileURLToPath(new URL('../../..', import.meta.url));
const vitest = join(project, 'node_modules', 'vitest', 'vitest.mjs');
const here = (name) => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));

function writeSuite(folder) {
  for (let first = 0; first < tests; first += TESTS_PER_FILE) {
    const count = Math.min(TESTS_PER_FILE, tests - first);
    const code = `import { defineTests } from ${here('suite.mjs')};\n\ndefineTests(${first}, ${count});\n`;
    writeFileSync(join(folder, `from-${first}.test.mjs`), code);
  }
  const settings = `{ globalSetup: [${here('global-setup.mjs')}], pool: 'forks', maxWorkers: ${workers}, minWorkers: ${workers}, testTimeout: 60_000 }`;
  writeFileSync(join(folder, 'vitest.config.mjs'), `export default { test: ${settings} };\n`);
}

/** Runs the suite. Returns its seconds. */
async function run(folder, mode) {
  const environment = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'));
  const env = { ...Object.fromEntries(environment), SUITE_MODE: mode, SUITE_WORKERS: String(workers) };
  const begin = performance.now();
  const options = ['run', '--root', folder, '--config', 'vitest.config.mjs', '--reporter', 'dot'];
  const child = spawn(process.execPath, [vitest, ...options], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      printed += chunk;
    });
  }
  const [status] = await once(child, 'close');
  if (status !== 0 || !printed.includes(`${tests} passed`)) throw new Error(`${mode} failed: ${printed}`);
  return (performance.now() - begin) / 1_000;
}

// The folder is inside the project, so that the suite finds Vitest.
mkdirSync(join(project, '.cache'), { recursive: true });
const folder = mkdtempSync(join(project, '.cache', 'lane-suite-'));
try {
  writeSuite(folder);
  process.stdout.write(`${tests} tests with ${workers} workers\n`);
  const times = {};
  for (const [mode, words] of Object.entries(MODES)) {
    times[mode] = await run(folder, mode);
    process.stdout.write(`${words.padEnd(55)} ${times[mode].toFixed(1).padStart(6)} s\n`);
  }
  for (const mode of ['snapshots', 'lanes']) {
    const ratio = times.deployments / times[mode];
    process.stdout.write(`${`deployments / ${mode}`.padEnd(55)} ${ratio.toFixed(2).padStart(6)}\n`);
  }
  const ratio = times.snapshots / times.lanes;
  process.stdout.write(`${'snapshots / lanes'.padEnd(55)} ${ratio.toFixed(2).padStart(6)}\n`);
} finally {
  rmSync(folder, { recursive: true });
}
