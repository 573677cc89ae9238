/** Starts the node of a Vitest run. The plugin adds this file to `globalSetup`. */

import type { TestProject } from 'vitest/node';
import { processHost, startRun } from './run.ts';

/** Starts the node and provides the facts of the run to the tests. Resolves to the teardown. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { provide, root } = project.config;
  const run = await startRun(provide.nodeCliOptions ?? {}, {
    ...processHost(root),
    // The setup module may be TypeScript, like the tests.
    importModule: (path) => project.import(path),
  });
  project.provide('nodeCliRun', run.facts);
  return () => run.close();
}
