/**
 * The hooks around all tests of Node's runner in Hardhat 3. Hooks that exist before the runner starts belong
 * to no test, so this is the first test file of the process. A file without tests would count as a test, so
 * it imports the first real file.
 */

import { afterEach, beforeEach, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { HardhatGlobals } from './hardhat-lanes.ts';
import type { NodeTestContext } from './node-test.ts';

const { nodeCliLanes: lanes, nodeCliFirstTests: first } = globalThis as HardhatGlobals;

// Node types the contexts as test or suite contexts. These hooks run for tests only.
beforeEach(async (context) => lanes?.beforeTest((context as TestContext & NodeTestContext).fullName));
afterEach(async (context) => {
  const { fullName, passed } = context as TestContext & NodeTestContext;
  for (const text of (await lanes?.afterTest(fullName, !passed)) ?? []) process.stderr.write(`${text}\n`);
});

if (first !== undefined) await import(pathToFileURL(first).href);
