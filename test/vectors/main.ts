import { readdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { ENGINE_NAMES, type EngineName, Engines, runStateTestFile } from './run-state-test-file.ts';
import { addReport, emptyReport, failureLine, type Report, summaryLines } from './state-test-report.ts';

const USAGE = `Usage: npm run test:vectors -- [--engine wasm|reference] [--filter <text>] <folder>...

Runs the public Ethereum state tests in the folders (all .json files below them). Prints the number of passed,
failed and skipped variants, with the reasons. --filter keeps the files whose path contains the text.`;

async function stateTestFiles(folder: string, filter: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => file.includes(filter))
    .sort();
}

/** Distributes the files over one worker per processor. Each worker takes the next file when it is free. */
async function runInWorkers(engine: EngineName, files: readonly string[]): Promise<Report> {
  const total = emptyReport();
  const queue = files.values();
  const runWorker = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL(import.meta.url), { workerData: engine });
      const next = (): void => {
        const { value, done } = queue.next();
        worker.postMessage(done === true ? null : value);
      };
      worker.on('message', (report: Report) => {
        addReport(total, report);
        for (const failure of report.failures) process.stdout.write(`${failureLine(failure)}\n`);
        next();
      });
      worker.on('error', reject);
      worker.on('exit', () => resolve());
      next();
    });
  await Promise.all(Array.from({ length: availableParallelism() }, runWorker));
  return total;
}

/** Runs files from the main thread until no file is left. */
function serveAsWorker(engine: EngineName): void {
  const engines = new Engines(engine);
  parentPort?.on('message', async (file: string | null) => {
    if (file === null) {
      parentPort?.close();
      return;
    }
    const report = emptyReport();
    for await (const part of runStateTestFile(engines, file)) addReport(report, part);
    parentPort?.postMessage(report);
  });
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: {
      engine: { type: 'string', default: 'wasm' },
      filter: { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const engine = ENGINE_NAMES.find((name) => name === values.engine);
  if (values.help || engine === undefined || positionals.length === 0) {
    process.stdout.write(`${USAGE}\n`);
    return values.help ? 0 : 2;
  }
  const folders = await Promise.all(positionals.map((folder) => stateTestFiles(folder, values.filter)));
  const started = performance.now();
  const report = await runInWorkers(engine, folders.flat());
  const lines = summaryLines(engine, report, (performance.now() - started) / 1000);
  process.stdout.write(`${lines.join('\n')}\n`);
  return report.failures.length > 0 || report.passed === 0 ? 1 : 0;
}

if (isMainThread) process.exitCode = await main();
else serveAsWorker(workerData as EngineName);
