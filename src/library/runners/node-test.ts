/**
 * Tests of Node's own runner on lanes of one node. A file that calls `nodeCli()`, and that `node --require <file> --test` loads
 * first, starts a node for the run and gives each test file a chain of its own, whose URL is in `NODE_CLI_URL` and
 * `ETH_RPC_URL` before the file is loaded.
 */

import { TestRunError } from './answers.ts';
import { openTestLane } from './file-lane.ts';
import { processHost, startRun, type TestRun } from './run.ts';
import { announcedFacts, MEETING_POINT_VARIABLE, openMeetingPoint, type RunOptions } from './run-facts.ts';
import type { TestLane } from './test-lane.ts';

export { lane } from './environment-lane.ts';
export type { Isolation, RunOptions, StartOptions } from './run-facts.ts';
export type { LaneCall, TestLane } from './test-lane.ts';

/** Makes the processes of test files load what gives them their lane. */
function preload(name: string): void {
  const option = `--import ${new URL(name, import.meta.url).href}`;
  process.env.NODE_OPTIONS = [process.env.NODE_OPTIONS, option].filter(Boolean).join(' ');
}

/** Ends the node when the tests are done. A run whose reports failed, as where gas grew, fails. */
async function close(run: TestRun): Promise<void> {
  try {
    await run.close();
  } catch (error) {
    process.stderr.write(`node-cli: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

/**
 * Starts a node for the run in the process of `node --test`; in those of the test files it does nothing, since they load the rest
 * by themselves. Throws a {@link TestRunError} where no run of tests was begun so.
 *
 * @example
 * // tests/node-cli.cjs, for: node --require ./tests/node-cli.cjs --test
 * require('node-cli/node-test').nodeCli({ node: { artifacts: ['out'] }, setup: './tests/deploy.js' });
 */
export function nodeCli(options: RunOptions = {}): void {
  if (process.env[MEETING_POINT_VARIABLE] !== undefined) return;
  const { execArgv } = process;
  if (!execArgv.includes('--test') || execArgv.some((word) => word.endsWith('isolation=none')))
    throw new TestRunError(
      'node-cli/node-test needs one process per test file; pass this file to node --test with --require, and remove --test-isolation=none',
    );
  const starting = startRun(options, processHost(process.cwd()));
  const place = openMeetingPoint(starting.then(({ facts }) => facts));
  process.env[MEETING_POINT_VARIABLE] = place.path;
  preload('node-test-setup.js');
  process.once('beforeExit', async () => {
    place.close();
    // The test files have reported where it could not be started.
    const run = await starting.catch(() => null);
    if (run !== null) await close(run);
  });
}

/** The context of a test, by the members that are read here. */
export interface NodeTestContext {
  readonly fullName: string;
  readonly passed: boolean;
  /** The path of the test file. */
  readonly filePath?: string | undefined;
  /** Set to true where the test has a lane of its own. */
  hasOwnLane?: boolean;
  after(action: () => Promise<void>): void;
}

/**
 * Resolves to a lane of the test's own, which begins as the lane of its file is now.
 *
 * @example
 * test('moves a token', async (t) => {
 *   const lane = await testLane(t);
 *   const client = createTestClient({ chain, mode: 'anvil', transport: http(lane.url) });
 * });
 */
export async function testLane(test: NodeTestContext): Promise<TestLane> {
  const { argv } = process;
  const own = await openTestLane(announcedFacts(process.env), test.filePath ?? argv[1] ?? '', test.fullName);
  test.hasOwnLane = true;
  test.after(async () => {
    const text = await own.end(!test.passed);
    if (text !== null) process.stderr.write(`${text}\n`);
  });
  return own.lane;
}
