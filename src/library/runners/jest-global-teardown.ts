/** Closes the node of a Jest run. */

import type { JestGlobals } from './jest-global-setup.ts';

/** Runs once after all tests. */
export default async function teardown(): Promise<void> {
  const globals = globalThis as JestGlobals;
  await globals.nodeCliRun?.close();
}
