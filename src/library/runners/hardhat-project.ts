/** The node of a run of Hardhat: it knows the artifacts of the project, and a script of Hardhat sets its base chain up; Ignition forgets what it deployed. */

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isRecord } from './answers.ts';
import { processHost, runSetup, startRun, type TestRun } from './run.ts';
import type { RunOptions } from './run-facts.ts';

/** The name of the network that is a lane of the node of the run. */
export const NETWORK = 'nodeCli';

/** Set for the process that sets the base chain up, to the path of the script. */
export const SETUP_VARIABLE = 'TESTS_ON_NODE_CLI_SETUP';

/** The part of a project's configuration that is read here. */
export interface HardhatPaths {
  readonly root: string;
  readonly artifacts: string;
}

/** The program that runs the script of the setup, as a script of Hardhat. */
export const SETUP_PROGRAM: string = fileURLToPath(new URL('hardhat-base.js', import.meta.url));

/**
 * Starts the node of a run of Hardhat, whose artifacts are those of the project, and whose messages are those of Hardhat, unless the
 * options say otherwise. `setupWords`
 * are the words by which Node runs {@link SETUP_PROGRAM} in Hardhat, on the network {@link NETWORK}.
 */
export function startProjectRun(
  options: RunOptions,
  { root, artifacts }: HardhatPaths,
  setupWords: () => readonly string[],
  setupVariables: NodeJS.ProcessEnv,
): Promise<TestRun> {
  const known = { compat: 'hardhat' as const, ...(existsSync(artifacts) && { artifacts: [artifacts] }) };
  return startRun(
    { ...options, node: { ...known, ...options.node } },
    {
      ...processHost(root),
      importModule: async (path) => ({
        default: () => {
          const script = isAbsolute(path) ? path : resolve(root, path);
          const environment = { ...process.env, ...setupVariables, [SETUP_VARIABLE]: script };
          return runSetup(script, setupWords(), environment);
        },
      }),
    },
  );
}

// Ignition has to deploy anew to each chain of a run. On networks that it takes for lasting ones, it keeps a journal of what it deployed in
// the project, by chain id, and leaves out what is there: on the next chain of that id, nothing would be deployed at all.

/** The part of Ignition that is called here. */
interface Ignition {
  deploy(module: unknown, options?: Readonly<Record<string, unknown>>): Promise<unknown>;
}

function isIgnition(value: unknown): value is Ignition & Record<PropertyKey, unknown> {
  return isRecord(value) && typeof value.deploy === 'function';
}

/** Removes a folder that Ignition made for a deployment, unless there is something else in it. */
async function removeEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    // Each of several deployments at the same time leaves it to the last one.
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOENT') throw error;
  }
}

/** Returns Ignition with deployments that are forgotten, but for those that are given an id. */
function forgetful(ignition: Ignition & Record<PropertyKey, unknown>, folder: string): object {
  const deploy: Ignition['deploy'] = async (module, options = {}) => {
    if (options.deploymentId !== undefined) return ignition.deploy(module, options);
    const deploymentId = `node-cli-${randomUUID()}`;
    try {
      return await ignition.deploy(module, { ...options, deploymentId });
    } finally {
      const deployments = join(folder, 'deployments');
      await rm(join(deployments, deploymentId), { recursive: true, force: true });
      for (const made of [deployments, folder]) await removeEmpty(made);
    }
  };
  return new Proxy(ignition, {
    get(target, name) {
      if (name === 'deploy') return deploy;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/**
 * Has the Ignition that an object of Hardhat has, or is given later, forget what it deployed. `folder` is the one of the project in
 * which Ignition keeps its files.
 */
export function forgetDeployments(holder: object, folder: string): void {
  const shownFor = (value: unknown): unknown => (isIgnition(value) ? forgetful(value, folder) : value);
  let shown = shownFor(Reflect.get(holder, 'ignition'));
  Object.defineProperty(holder, 'ignition', {
    configurable: true,
    enumerable: true,
    get: () => shown,
    set(value: unknown) {
      shown = shownFor(value);
    },
  });
}
