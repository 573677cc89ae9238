/**
 * Tests of Mocha on lanes of one node. The options that `nodeCli()` returns for the configuration start a node for the run, and give each test
 * file a chain of its own. All files of a process find it at the same URL, in `NODE_CLI_URL` and `ETH_RPC_URL`.
 */

import { fileURLToPath } from 'node:url';
import { announceOptions, type RunOptions } from './run-facts.ts';

export { lane } from './environment-lane.ts';
export type { Isolation, RunOptions, StartOptions } from './run-facts.ts';
export type { LaneCall, TestLane } from './test-lane.ts';

/** The part of a configuration of Mocha that starts the node and gives the lanes. */
export interface NodeCliMochaConfig {
  readonly require: string[];
}

/**
 * Returns what a configuration of Mocha spreads to run its tests on lanes. Where it requires more, such as `tsx`, that comes first:
 * `require: ['tsx', ...nodeCli().require]`.
 *
 * @example
 * // .mocharc.cjs
 * const { nodeCli } = require('node-cli/mocha');
 * module.exports = { ...nodeCli({ node: { artifacts: ['out'] }, setup: './test/deploy.js' }), spec: 'test/*.test.js' };
 */
export function nodeCli(options: RunOptions = {}): NodeCliMochaConfig {
  announceOptions(options, process.env);
  return { require: [fileURLToPath(new URL('mocha-setup.js', import.meta.url))] };
}
