import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { MissingProgramError, nodeBinary } from '../support/node-binary.ts';
import { isPassed, summaryText, type TestReport, type VersionResult } from './summary.ts';

/** The versions that `engines` of package.json and README list. */
const VERSIONS = ['20', '22', '24', '26'];

const USAGE = `Usage: npm run test:nodes -- [version of Node...] [test file...]

Runs npm test on each version of Node (default ${VERSIONS.join(' ')}), and prints the results of all versions in one table. npm installs
each version once (package node-<system>).`;

/** Reads the report of Vitest; `null` if the suite has not written it. */
function readReport(path: string): TestReport | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

/** Runs the test suite, whose child processes find this Node first. */
function testedOn(program: string, scratch: string, files: readonly string[]): VersionResult {
  const version = execFileSync(program, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim();
  const path = join(scratch, `${version}.json`);
  process.stdout.write(`\n== npm test on Node ${version}\n`);
  const options = [
    'test',
    '--',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${path}`,
    ...files,
  ];
  // npm adds variables for its scripts. They name the Node of this process.
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE$|INIT_CWD$)/i.test(name));
  const env = {
    ...Object.fromEntries(inherited),
    PATH: `${dirname(program)}${delimiter}${process.env.PATH ?? ''}`,
  };
  spawnSync('npm', options, { env, stdio: 'inherit' });
  return { version, report: readReport(path) };
}

const words = process.argv.slice(2);
const isVersion = (word: string): boolean => /^\d+(\.\d+){0,2}$/.test(word);
if (words.some((word) => word.startsWith('-'))) {
  process.stdout.write(`${USAGE}\n`);
  process.exitCode = words.includes('--help') ? 0 : 2;
} else {
  const given = words.filter(isVersion);
  const files = words.filter((word) => !isVersion(word));
  const scratch = mkdtempSync(join(tmpdir(), 'node-cli-nodes-'));
  try {
    const system = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
    const versions = given.length === 0 ? VERSIONS : given;
    // All versions are installed before the first run, which takes minutes.
    const programs = versions.map((version) => resolve(nodeBinary(system, version)));
    const results = programs.map((program) => testedOn(program, scratch, files));
    process.stdout.write(`\n${summaryText(results)}`);
    process.exitCode = isPassed(results) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof MissingProgramError)) throw error;
    process.stderr.write(`test:nodes: ${error.message}\n`);
    process.exitCode = 2;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
