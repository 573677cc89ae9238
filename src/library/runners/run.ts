/** The node of a run of tests: started, or found running, and with its base chain set up. */

import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { urlVariables } from '../../config/url-variables.ts';
import { factVariables, type RunFacts } from './announced.ts';
import { isRecord } from './answers.ts';
import { LaneAnswerError, TestRunError } from './errors.ts';
import { type NodeProcessOutput, startNodeProcess } from './node-process.ts';
import { type RunOptions, startArguments } from './run-options.ts';
import { laneAt, type TestLane } from './test-lane.ts';

/** The node of a run. */
export interface TestRun {
  readonly facts: RunFacts;
  /** Ends the node, unless it ran before. Rejects with a {@link TestRunError} when its reports failed. */
  close(): Promise<void>;
}

/** The parts of the process that a run needs. */
export interface RunHost extends NodeProcessOutput {
  readonly root: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Imports the module that sets the base chain up; by default as Node does. */
  readonly importModule?: ((path: string) => Promise<unknown>) | undefined;
}

/** Large suites have a lane for each test, which stay until the run is over, so that they can be looked at. */
const MANY_LANES = { laneLimit: 100_000, laneTimeout: 0 };

const importByNode = (path: string): Promise<unknown> => import(pathToFileURL(path).href);

/** Returns what writes to the output of this process, where a runner has its own. */
export function processHost(root: string): RunHost {
  return {
    root,
    environment: process.env,
    write: (text) => void process.stdout.write(text),
    writeError: (text) => void process.stderr.write(text),
  };
}

/** Rejects with a {@link TestRunError} unless a node with lanes answers. */
async function checkLanes(base: TestLane): Promise<void> {
  try {
    await base.request({ method: 'lane_list' });
  } catch (error) {
    if (!(error instanceof LaneAnswerError)) throw error;
    throw new TestRunError(
      `the node at ${base.url} serves no lanes (${error.message}); start it with node-cli start --lanes, or give no URL`,
    );
  }
}

/** Returns the function by which an imported module sets the base chain up; something else where it exports none. */
export function setupIn(module: unknown): unknown {
  const exported: unknown = isRecord(module) ? (module.setup ?? module.default) : null;
  // A CommonJS module is its own default export.
  return isRecord(exported) ? (exported.setup ?? exported.default) : exported;
}

/** Calls the function of a module that sets the base chain up. Rejects with a {@link TestRunError} where there is none. */
export async function setUp(
  path: string,
  base: TestLane,
  host: Pick<RunHost, 'root' | 'importModule'>,
): Promise<void> {
  const found = resolve(host.root, path);
  const module = await (host.importModule ?? importByNode)(found).catch((error: unknown) => {
    throw new TestRunError(`setup cannot be imported from ${found}: ${String(error)}`, { cause: error });
  });
  const action = setupIn(module);
  if (typeof action !== 'function')
    throw new TestRunError(
      `setup takes the path of a module that exports a function, as default or setup, not ${found}`,
    );
  await action(base);
}

/** Sets variables of an environment; what is returned puts back what was there. */
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
 * Starts the node of a run, or finds the one that runs at `url` or at `NODE_CLI_URL`, and sets its base chain up. The variables of
 * the URL and of the run are set in the environment of the host from then on until the run is closed. Rejects with a
 * {@link TestRunError}, and with what the setup rejects with.
 */
export async function startRun(options: RunOptions, host: RunHost): Promise<TestRun> {
  const { node = {}, setup, isolate = 'file', url = host.environment.NODE_CLI_URL } = options;
  const started =
    url === undefined || url === ''
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
    close: () => {
      putBack();
      return started.close();
    },
  };
}
