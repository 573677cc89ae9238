/** Ends the node of a run of Jest. */

import type { JestGlobals } from './jest-global-setup.ts';

/** Called once, when all tests are done. */
export default async function teardown(): Promise<void> {
  const globals = globalThis as JestGlobals;
  await globals.nodeCliRun?.close();
}
