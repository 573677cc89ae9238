/** Starts the node of a run of Playwright. `nodeCli()` names this file in `globalSetup`. */

import { dirname } from 'node:path';
import type { FullConfig } from '@playwright/test';
import { processHost, startRun } from './run.ts';
import { announcedOptions } from './run-facts.ts';

/** Called once, before the workers are started, which inherit the environment; resolves to what is called after all tests. */
export default async function setup({ configFile, rootDir }: FullConfig): Promise<() => Promise<void>> {
  const root = configFile === undefined ? rootDir : dirname(configFile);
  const run = await startRun(announcedOptions(process.env), processHost(root));
  return () => run.close();
}
