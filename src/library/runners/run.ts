/** A test run: its node with the base chain set up. */

import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { urlVariables } from '../../config/url-variables.ts';
import { isRecord, LaneAnswerError, TestRunError, textIn } from './answers.ts';
import { factVariables, type RunFacts, type RunOptions, startArguments } from './run-facts.ts';
import { type NodeOutput, startLocalNode, startNodeProcess } from './run-node.ts';
import { laneAt, type TestLane } from './test-lane.ts';

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
export interface RunHost extends NodeOutput {
  readonly root: string;
  /** True if this process closes the run after its tests, so that the node can be in this process. */
  readonly isOfTests?: boolean;
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
  const { node = {}, setup, isolate = 'file', explorer = false } = options;
  const { url = host.environment.NODE_CLI_URL } = options;
  const isOwn = url === undefined || url === '';
  const words = startArguments({ ...MANY_LANES, port: 0, ...node, lanes: true });
  const isFork = (node.forkUrl ?? null) !== null;
  const isLocal = host.isOfTests === true && !explorer && !isFork;
  const started = isOwn
    ? await (isLocal ? startLocalNode(words, host) : startNodeProcess(words, host))
    : { url: url.replace(/\/+$/, ''), close: async () => undefined };
  const base = laneAt(started.url, null);
  const facts: RunFacts = { url: base.url, isolate, keepsStates: isOwn && !isFork, root: host.root };
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
