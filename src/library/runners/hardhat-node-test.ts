/**
 * The hooks around all tests that Hardhat 3 runs with Node's runner. They are loaded as the first test file of the process, since
 * hooks that are set before the runner begins belong to no test. The runner takes a file without tests for a test, so this one loads
 * those of the first file.
 */

import { afterEach, beforeEach, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { HardhatGlobals } from './hardhat-lanes.ts';
import type { NodeTestContext } from './node-test.ts';

const { nodeCliLanes: lanes, nodeCliFirstTests: first } = globalThis as HardhatGlobals;

// Node types the contexts as those of both tests and suites; these hooks are called for tests.
beforeEach(async (context) => lanes?.beforeTest((context as TestContext & NodeTestContext).fullName));
afterEach(async (context) => {
  const { fullName, passed } = context as TestContext & NodeTestContext;
  for (const text of (await lanes?.afterTest(fullName, !passed)) ?? []) process.stderr.write(`${text}\n`);
});

if (first !== undefined) await import(pathToFileURL(first).href);
