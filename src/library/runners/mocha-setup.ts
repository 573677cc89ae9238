/** Starts the node of a run of Mocha, and gives the lanes. `nodeCli()` names this file in `require`, so that it is loaded before the tests. */

import { type MochaHooks, mochaHooksOf } from './mocha-hooks.ts';
import { processHost, setUpApart, startRun, type TestRun } from './run.ts';
import { announcedFacts, announcedOptions, isRunAnnounced } from './run-facts.ts';

/** The processes of a parallel run load this file too, and find the run that is there. */
const run: TestRun | null = isRunAnnounced(process.env)
  ? null
  : await startRun(announcedOptions(process.env), {
      ...processHost(process.cwd()),
      importModule: async (path) => ({ default: () => setUpApart(path) }),
    });

export const mochaHooks: MochaHooks = mochaHooksOf(announcedFacts(process.env), process.env);

/** Called once, in the process that began the run, when all tests are done. */
export async function mochaGlobalTeardown(): Promise<void> {
  await run?.close();
}
