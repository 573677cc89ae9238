/** The node of a test run: a child process or a running node, with its base chain set up. */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { urlVariables } from '../../config/url-variables.ts';
import { isRecord, LaneAnswerError, TestRunError, textIn } from './answers.ts';
import { factVariables, type RunFacts, type RunOptions, startArguments } from './run-facts.ts';
import { laneAt, type TestLane } from './test-lane.ts';

interface NodeProcess {
  readonly url: string;
  /**
   * Closes the node, which prints or writes its reports. Rejects with a {@link TestRunError} if they failed,
   * or if gas grew by more than `gasTolerance`.
   */
  close(): Promise<void>;
}

/** The output of the node. */
interface NodeProcessOutput {
  write(text: string): void;
  writeError(text: string): void;
}

/** Maximum characters of stored error output. Keeps the last ones, because a run can take hours. */
const MAX_KEPT = 16_384;

const LISTENING = /^Listening on (http:\/\/\S+)\n/m;

/** Returns the path of this package's command. The package may be published under another name. */
function commandPath(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const path = join(folder, 'bin', 'node-cli.js');
    if (existsSync(path)) return path;
    if (folder === dirname(folder))
      throw new TestRunError('bin/node-cli.js is missing from the package; install the package again');
  }
}

/**
 * Runs `node-cli start` with these arguments; resolves when it listens. Later output goes to `output`. The
 * node ends with this process. Rejects with a {@link TestRunError} that contains the node's error.
 */
async function startNodeProcess(args: readonly string[], output: NodeProcessOutput): Promise<NodeProcess> {
  const words = [commandPath(), 'start', '--quiet', '--end-with-stdin', ...args];
  const child = spawn(process.execPath, words, { stdio: 'pipe' });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  // The node and its pipes do not keep the runner alive. The end of the runner closes them, which ends the
  // node.
  const streams = [child.stdin, child.stdout, child.stderr] as const;
  let errors = '';
  let isListening = false;
  child.stdin.on('error', () => undefined);
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = `${errors}${text}`.slice(-MAX_KEPT);
    // Before the node listens, its output becomes the message of the error.
    if (isListening) output.writeError(text);
  });
  const url = await new Promise<string>((resolve, reject) => {
    let begun = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (isListening) {
        output.write(text);
        return;
      }
      begun += text;
      const [line, found] = LISTENING.exec(begun) ?? [];
      if (line === undefined || found === undefined) return;
      isListening = true;
      output.writeError(errors);
      const rest = begun.slice(begun.indexOf(line) + line.length);
      if (rest !== '') output.write(rest);
      resolve(found);
    });
    ended.then(
      (code) =>
        reject(new TestRunError(errors.trim() || `the node exited with code ${code} before it listened`)),
      reject,
    );
  });
  child.unref();
  for (const stream of streams) if ('unref' in stream && typeof stream.unref === 'function') stream.unref();
  return {
    url,
    async close() {
      child.ref();
      child.stdin.end();
      const code = await ended;
      if (code !== 0) throw new TestRunError(errors.trim() || `the test node exited with code ${code}`);
    },
  };
}

export interface TestRun {
  readonly facts: RunFacts;
  /**
   * Closes the node if the run started it. If a report contains a link to the node, prints how to keep links
   * valid. `hasLinks` is true for a link without a lane. Rejects with a {@link TestRunError} if the node's
   * reports fail.
   */
  close(hasLinks?: boolean): Promise<void>;
}

/** The parts of the process that a run needs. */
export interface RunHost extends NodeProcessOutput {
  readonly root: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Imports the setup module; by default with Node's `import`. */
  readonly importModule?: ((path: string) => Promise<unknown>) | undefined;
}

/** Printed after the node has stopped, because the reports of failed tests contain links to it. */
const STOPPED =
  'The node has stopped. To get links that work after the tests, run npx node-cli start --lanes, set NODE_CLI_URL to its URL, and run the tests again.\n';

/**
 * True if a report linked to a lane: these lanes have a note. The reporting workers share only the node with
 * this process.
 */
async function hasReportedLanes(base: TestLane): Promise<boolean> {
  try {
    const lanes = await base.request({ method: 'lane_list' });
    return (
      Array.isArray(lanes) &&
      lanes.some((lane) => isRecord(lane) && isRecord(lane.label) && textIn(lane.label, 'note') !== null)
    );
  } catch (error) {
    // If the node has ended early, closing it reports the reason.
    if (error instanceof TestRunError) return false;
    throw error;
  }
}

/** A lane for each test of a large suite. They stay until the run ends, for the explorer. */
const MANY_LANES = { laneLimit: 100_000, laneTimeout: 0 };

const importByNode = (path: string): Promise<unknown> => import(pathToFileURL(path).href);

/** Returns the streams and the environment of this process. */
export function processHost(root: string): RunHost {
  return {
    root,
    environment: process.env,
    write: (text) => void process.stdout.write(text),
    writeError: (text) => void process.stderr.write(text),
  };
}

/** Rejects with a {@link TestRunError} unless the node serves lanes. */
async function checkLanes(base: TestLane): Promise<void> {
  try {
    await base.request({ method: 'lane_list' });
  } catch (error) {
    if (!(error instanceof LaneAnswerError)) throw error;
    throw new TestRunError(
      `the node at ${base.url} serves no lanes (${error.message}); start the node with npx node-cli start --lanes, or remove the option url and NODE_CLI_URL`,
    );
  }
}

/** Returns the setup function of a module; another value if it exports none. */
export function setupIn(module: unknown): unknown {
  const exported: unknown = isRecord(module) ? (module.setup ?? module.default) : null;
  // A CommonJS module is its own default export.
  return isRecord(exported) ? (exported.setup ?? exported.default) : exported;
}

/** Calls the setup function of a module. Rejects with a {@link TestRunError} if it has none. */
export async function setUp(
  path: string,
  base: TestLane,
  host: Pick<RunHost, 'root' | 'importModule'>,
): Promise<void> {
  const found = resolve(host.root, path);
  const module = await (host.importModule ?? importByNode)(found).catch((error: unknown) => {
    throw new TestRunError(`cannot import setup from ${found}: ${String(error)}`, { cause: error });
  });
  const action = setupIn(module);
  if (typeof action !== 'function')
    throw new TestRunError(
      `setup: expected a module that exports a function with the name default or setup, got ${found}`,
    );
  await action(base);
}

/** Sets environment variables. Returns a function that restores the earlier values. */
function setVariables(
  environment: NodeJS.ProcessEnv,
  variables: Readonly<Record<string, string>>,
): () => void {
  const before = Object.keys(variables).map((name) => [name, environment[name]] as const);
  Object.assign(environment, variables);
  return () => {
    for (const [name, value] of before)
      if (value === undefined) delete environment[name];
      else environment[name] = value;
  };
}

/**
 * Starts the node of a run, or uses the running node at `url` or `NODE_CLI_URL`, and sets up its base chain.
 * Sets the variables of the URL and the run in the environment until the run is closed. Rejects with a
 * {@link TestRunError} or with the error of the setup.
 */
export async function startRun(options: RunOptions, host: RunHost): Promise<TestRun> {
  const { node = {}, setup, isolate = 'file', url = host.environment.NODE_CLI_URL } = options;
  const isOwn = url === undefined || url === '';
  const started = isOwn
    ? await startNodeProcess(startArguments({ ...MANY_LANES, port: 0, ...node, lanes: true }), host)
    : { url: url.replace(/\/+$/, ''), close: async () => undefined };
  const base = laneAt(started.url, null);
  const facts: RunFacts = { url: base.url, isolate, root: host.root };
  const putBack = setVariables(host.environment, { ...urlVariables(base.url), ...factVariables(facts) });
  try {
    await checkLanes(base);
    if (setup !== undefined) await setUp(setup, base, host);
  } catch (error) {
    putBack();
    await started.close().catch(() => undefined);
    throw error;
  }
  return {
    facts,
    async close(hasLinks = false) {
      putBack();
      const isLinked = isOwn && (hasLinks || (await hasReportedLanes(base)));
      try {
        await started.close();
      } finally {
        if (isLinked) host.writeError(STOPPED);
      }
    },
  };
}

/**
 * Setup in a separate process. In the process of the tests, modules would keep the URL of the base chain,
 * because the setup has already loaded them.
 */

/** Runs the setup module in a child process. Rejects with a {@link TestRunError} if it fails. */
export function setUpApart(path: string): Promise<void> {
  const program = fileURLToPath(new URL('mocha-base.js', import.meta.url));
  return runSetup(path, [program, path], process.env);
}

/** Runs Node with these arguments for the setup `path`. Rejects with a {@link TestRunError} if it fails. */
export async function runSetup(
  path: string,
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const child = spawn(process.execPath, [...process.execArgv, ...words], {
    stdio: 'inherit',
    env: environment,
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new TestRunError(`setup failed: ${path} exited with code ${code}`);
}
