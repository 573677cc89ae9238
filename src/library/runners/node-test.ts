/**
 * Tests of Node's own runner on lanes of one node. A file calls `nodeCli()`, and
 * `node --require <file> --test` loads it. It starts a node for the run. Each test file gets its own lane,
 * whose URL is in `NODE_CLI_URL` and `ETH_RPC_URL` before the file is loaded.
 */

import { TestRunError } from './answers.ts';
import { openTestLane } from './file-lane.ts';
import { processHost, startRun, type TestRun } from './run.ts';
import { announcedFacts, MEETING_POINT_VARIABLE, openMeetingPoint, type RunOptions } from './run-facts.ts';
import type { TestLane } from './test-lane.ts';

export { lane } from './environment-lane.ts';
export type { Isolation, RunOptions, StartOptions } from './run-facts.ts';
export type { LaneCall, TestLane } from './test-lane.ts';

/** Preloads a file of this folder in the processes of test files. */
function preload(name: string): void {
  const option = `--import ${new URL(name, import.meta.url).href}`;
  process.env.NODE_OPTIONS = [process.env.NODE_OPTIONS, option].filter(Boolean).join(' ');
}

/** Closes the node after the tests. The run fails if its reports fail, for example because gas grew. */
async function close(run: TestRun): Promise<void> {
  try {
    await run.close();
  } catch (error) {
    process.stderr.write(`node-cli: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

/**
 * Starts a node in the process of `node --test`. Does nothing in the processes of test files, which preload
 * the setup. Throws a {@link TestRunError} outside of `node --test`.
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
  const host = { ...processHost(process.cwd()), isOfTests: !execArgv.includes('--watch') };
  const starting = startRun(options, host);
  const place = openMeetingPoint(starting.then(({ facts }) => facts));
  process.env[MEETING_POINT_VARIABLE] = place.path;
  preload('node-test-setup.js');
  process.once('beforeExit', async () => {
    place.close();
    // The test files have already reported a failed start.
    const run = await starting.catch(() => null);
    if (run !== null) await close(run);
  });
}

/** The used part of a test context. */
export interface NodeTestContext {
  readonly fullName: string;
  readonly passed: boolean;
  /** The path of the test file. */
  readonly filePath?: string | undefined;
  /** True if the test has its own lane. */
  hasOwnLane?: boolean;
  after(action: () => Promise<void>): void;
}

/**
 * Creates a lane for the test as a copy of its file's lane.
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
