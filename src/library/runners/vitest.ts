/**
 * Vitest tests on lanes of one node. `nodeCli()` in the configuration starts a node for the run and gives
 * each test file a lane. `NODE_CLI_URL` and `ETH_RPC_URL` are its URL before the file is imported. `test`
 * gives each test a lane.
 */

import { test as base, inject, type TestAPI } from 'vitest';
import { openTestLane, testNameOf } from './file-lane.ts';
import type { RunFacts, RunOptions } from './run-facts.ts';
import type { TestLane } from './test-lane.ts';

export { lane } from './environment-lane.ts';
export type { Isolation, RunOptions, StartOptions } from './run-facts.ts';
export type { LaneCall, TestLane } from './test-lane.ts';
export { type NodeCliPlugin, nodeCli } from './vitest-plugin.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** True for a test with its own lane. */
    hasOwnLane?: boolean;
  }
  interface ProvidedContext {
    /** The options of the plugin. */
    nodeCliOptions: RunOptions;
    /** The facts of the run. */
    nodeCliRun: RunFacts;
  }
}

/** The fixtures of {@link test}. */
export interface LaneFixtures {
  /** The test's own copy of its file's lane, from the start of the test. */
  readonly lane: TestLane;
}

/** Vitest cannot extend `test` in the configuration, which also imports this file. */
const isInWorker = process.env.VITEST_WORKER_ID !== undefined;

/**
 * The `test` of Vitest with a lane for each test that uses one.
 *
 * @example
 * test('moves a token', async ({ lane }) => {
 *   const client = createTestClient({ chain, mode: 'anvil', transport: http(lane.url) });
 * });
 */
export const test: TestAPI<LaneFixtures> = isInWorker
  ? base.extend<LaneFixtures>({
      lane: async ({ task, onTestFinished }, use) => {
        const { filepath } = task.file;
        const own = await openTestLane(inject('nodeCliRun'), filepath, testNameOf(task));
        task.meta.hasOwnLane = true;
        onTestFinished(async () => {
          const text = await own.end(task.result?.state === 'fail');
          if (text !== null) process.stderr.write(`${text}\n`);
        });
        await use(own.lane);
      },
    })
  : (base as TestAPI<LaneFixtures>);
