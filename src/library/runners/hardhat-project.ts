/** The node of a run of Hardhat: it knows the artifacts of the project, and a script of Hardhat sets its base chain up. */

import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { processHost, startRun, type TestRun } from './run.ts';
import type { RunOptions } from './run-options.ts';
import { runSetup } from './setup-process.ts';

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
