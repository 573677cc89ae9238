/** Creates the lane of a test file of Node's runner. `nodeCli()` preloads it in the process of the file. */

import { after, afterEach, beforeEach, type TestContext } from 'node:test';
import { FileLane } from './file-lane.ts';
import type { NodeTestContext } from './node-test.ts';
import { factsFrom, factVariables, MEETING_POINT_VARIABLE } from './run-facts.ts';

/** Removes this file from Node's options, so that child processes of the tests do not join the run. */
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
  // Node types the context as a test or suite context. This hook runs for tests only.
  const { fullName, passed, hasOwnLane } = context as TestContext & NodeTestContext;
  // A test with its own lane reports failures itself.
  if (!passed && hasOwnLane !== true) process.stderr.write(`${await file.failed(fullName)}\n`);
  const text = await file.afterTest(fullName);
  if (text !== null) process.stderr.write(`${text}\n`);
});
after(() => file.close());
