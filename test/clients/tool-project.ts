import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The output of a program, and its exit code. */
export interface Outcome {
  /** The exit code; null if a signal ended the program. */
  readonly code: number | null;
  /** stdout and stderr in order of arrival. */
  readonly output: string;
}

export interface Run {
  readonly process: ChildProcess;
  /** Settles when the program has ended. */
  readonly ended: Promise<Outcome>;
}

/** A copy of a project, to run its tools in. */
export interface ToolProject {
  /** The folder of the copy. */
  readonly directory: string;
  /** Starts a program of the project's packages with the URL of the node in NODE_URL and NODE_CLI_URL. */
  start(program: string, args: readonly string[], nodeUrl: string): Run;
  /** Starts a program of the project's packages, without a running node. */
  startAlone(program: string, args: readonly string[], variables: NodeJS.ProcessEnv): Run;
  /** Deletes the copy. */
  remove(): void;
}

const MARK = 'node_modules/.installed-package-lock.json';

function folderOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

function programsOf(name: string): string {
  return join(folderOf(name), 'node_modules', '.bin');
}

/** The search path for programs; programs of the named packages come first. */
function pathWith(...names: readonly string[]): string {
  return [...names.map(programsOf), process.env.PATH].join(delimiter);
}

function launch(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Run {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
  }
  const ended = new Promise<Outcome>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
  return { process: child, ended };
}

/**
 * Installs the packages of a folder from its lock file, unless they are installed. `runtime` names an
 * installed folder with the Node to use: npm omits optional packages that require a newer Node. Throws with
 * the output of npm on failure.
 */
export async function install(name: string, runtime?: string): Promise<void> {
  const folder = folderOf(name);
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const mark = join(folder, MARK);
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return;
  const PATH = runtime === undefined ? process.env.PATH : pathWith(runtime);
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { code, output } = await launch('npm', args, folder, { ...process.env, PATH }).ended;
  if (code !== 0) throw new Error(`npm ci ended with ${code} in ${folder}: ${output}`);
  writeFileSync(mark, lock);
}

/**
 * Copies an installed project to a temporary folder, so that changes do not survive a test. `runtime` names
 * an installed folder with the Node that runs the tools.
 */
export function copyProject(name: string, runtime?: string): ToolProject {
  const source = folderOf(name);
  const directory = mkdtempSync(join(tmpdir(), `node-cli-${basename(name)}-`));
  const modules = join(source, 'node_modules');
  cpSync(source, directory, { recursive: true, filter: (path) => !path.startsWith(modules) });
  symlinkSync(modules, join(directory, 'node_modules'), 'junction');
  const env = {
    PATH: pathWith(...(runtime === undefined ? [name] : [runtime, name])),
    // The user and machine files of the tools stay in the copy.
    HOME: directory,
    TMPDIR: directory,
    HARDHAT_DISABLE_TELEMETRY: 'true',
    HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
    HARDHAT_IGNITION_CONFIRM_DEPLOYMENT: 'false',
    NO_COLOR: '1',
  };
  return {
    directory,
    start: (program, args, nodeUrl) =>
      launch(program, args, directory, { ...env, NODE_URL: nodeUrl, NODE_CLI_URL: nodeUrl }),
    startAlone: (program, args, variables) => launch(program, args, directory, { ...env, ...variables }),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** Test counts in the output of mocha, or of the Hardhat reporter for node:test. */
export interface TestCounts {
  readonly passing: number;
  readonly failing: number;
  readonly pending: number;
}

/** Reads the number of tests from the output of a runner; 0 if absent. */
export function testCounts(output: string): TestCounts {
  const count = (word: string) => Number(new RegExp(`^ *(\\d+) ${word}`, 'm').exec(output)?.[1] ?? 0);
  return { passing: count('passing'), failing: count('failing'), pending: count('(?:pending|skipped)') };
}
