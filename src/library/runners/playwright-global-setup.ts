/** Starts the node of a Playwright run. `nodeCli()` sets this file as `globalSetup`. */

import { dirname } from 'node:path';
import type { FullConfig } from '@playwright/test';
import { processHost, startRun } from './run.ts';
import { announcedOptions } from './run-facts.ts';

/** Runs once before the workers start, because they inherit the environment. Resolves to the teardown. */
export default async function setup({ configFile, rootDir }: FullConfig): Promise<() => Promise<void>> {
  const root = configFile === undefined ? rootDir : dirname(configFile);
  const run = await startRun(announcedOptions(process.env), processHost(root));
  return () => run.close();
}
