/** Starts the node of a Mocha run, and creates the lanes. `nodeCli()` adds this file to `require`. */

import { type MochaHooks, mochaHooksOf } from './mocha-hooks.ts';
import { processHost, setUpApart, startRun, type TestRun } from './run.ts';
import { announcedFacts, announcedOptions, isRunAnnounced } from './run-facts.ts';

/** The node keeps its own process between the runs of `mocha --watch`. */
const isWatching = process.argv.some((word) => word === '--watch' || word === '-w');

/** In a parallel run, the worker processes also load this file, and use the existing run. */
const run: TestRun | null = isRunAnnounced(process.env)
  ? null
  : await startRun(announcedOptions(process.env), {
      ...processHost(process.cwd()),
      isOfTests: !isWatching,
      importModule: async (path) => ({ default: () => setUpApart(path) }),
    });

export const mochaHooks: MochaHooks = mochaHooksOf(announcedFacts(process.env), process.env);

/** Runs once after all tests, in the process that started the run. */
export async function mochaGlobalTeardown(): Promise<void> {
  await run?.close();
}
