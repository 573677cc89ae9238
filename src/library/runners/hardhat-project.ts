/** The node of a Hardhat run: reads the project's artifacts, runs the setup script, and resets Ignition. */

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isRecord } from './answers.ts';
import { processHost, runSetup, startRun, type TestRun } from './run.ts';
import type { RunOptions } from './run-facts.ts';

/** The name of the network for lanes of the run's node. */
export const NETWORK = 'nodeCli';

/** The path of the setup script, for the process that runs it. */
export const SETUP_VARIABLE = 'TESTS_ON_NODE_CLI_SETUP';

/** The used part of a project's configuration. */
export interface HardhatPaths {
  readonly root: string;
  readonly artifacts: string;
}

/** The program that runs the setup script inside Hardhat. */
export const SETUP_PROGRAM: string = fileURLToPath(new URL('hardhat-base.js', import.meta.url));

/** A run is `in-process` if this process runs the tests and closes the run. */
export type RunPlace = 'in-process' | 'own-process';

/**
 * Starts the node of a Hardhat run, by default with the project's artifacts and in `hardhat` compat mode.
 * Node runs {@link SETUP_PROGRAM} in Hardhat with the arguments `setupWords` on the network {@link NETWORK}.
 */
export function startProjectRun(
  options: RunOptions,
  { root, artifacts }: HardhatPaths,
  setupWords: () => readonly string[],
  setupVariables: NodeJS.ProcessEnv,
  place: RunPlace,
): Promise<TestRun> {
  const known = { compat: 'hardhat' as const, ...(existsSync(artifacts) && { artifacts: [artifacts] }) };
  return startRun(
    { ...options, node: { ...known, ...options.node } },
    {
      ...processHost(root),
      isOfTests: place === 'in-process',
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

// On networks that Ignition considers persistent, it skips contracts in its journal of the project, by chain
// id. The next chain of a run has the same id, so that Ignition would deploy nothing.

/** The used part of Ignition. */
interface Ignition {
  deploy(module: unknown, options?: Readonly<Record<string, unknown>>): Promise<unknown>;
}

function isIgnition(value: unknown): value is Ignition & Record<PropertyKey, unknown> {
  return isRecord(value) && typeof value.deploy === 'function';
}

/** Removes a folder that Ignition created, unless it contains other files. */
async function removeEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    // The last of several parallel deployments removes the folder.
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOENT') throw error;
  }
}

/** Returns Ignition without a journal of its deployments, except for deployments with an explicit id. */
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
 * Makes the present or future Ignition of a Hardhat object forget its deployments. `folder` is Ignition's
 * folder in the project.
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
