/** Starts the node of a run of Vitest. The plugin names this file in `globalSetup`. */

import type { TestProject } from 'vitest/node';
import { processHost, startRun } from './run.ts';

/** Starts the node, and provides the tests with its URL; resolves to what ends it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { provide, root } = project.config;
  const run = await startRun(provide.nodeCliOptions ?? {}, {
    ...processHost(root),
    // The module that sets the base up may be TypeScript, as the tests are.
    importModule: (path) => project.import(path),
  });
  project.provide('nodeCliRun', run.facts);
  return () => run.close();
}
