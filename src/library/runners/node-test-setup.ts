/** Gives each test file of Node's runner its lane, before the file is loaded. `nodeCli()` has its process load this file first. */

import { after, afterEach, beforeEach, type TestContext } from 'node:test';
import { FileLane } from './file-lane.ts';
import type { NodeTestContext } from './node-test.ts';
import { factsFrom, factVariables, MEETING_POINT_VARIABLE } from './run-facts.ts';

/** Takes this file from the options of Node, so that no program that a test starts takes part in the run. */
function withoutThisFile(options: string): string {
  return options.replace(`--import ${import.meta.url}`, '').trim();
}

const { NODE_OPTIONS = '', [MEETING_POINT_VARIABLE]: place = '' } = process.env;
process.env.NODE_OPTIONS = withoutThisFile(NODE_OPTIONS);

const facts = await factsFrom(place);
const file = await FileLane.open(facts, process.argv[1] ?? '');
Object.assign(process.env, file.variables, factVariables(facts));

beforeEach(() => file.beforeTest());
afterEach(async (context) => {
  // Node types it as a context of both tests and suites; this hook is called for tests.
  const { fullName, passed, hasOwnLane } = context as TestContext & NodeTestContext;
  // The failures on a lane of the test's own are reported by that lane.
  if (!passed && hasOwnLane !== true) process.stderr.write(`${await file.failed(fullName)}\n`);
  const text = await file.afterTest(fullName);
  if (text !== null) process.stderr.write(`${text}\n`);
});
after(() => file.close());
