/**
 * Mocha tests on lanes of one node. The options of `nodeCli()` start a node for the run. Each test file gets
 * its own chain. All files of a process use the same URL, in `NODE_CLI_URL` and `ETH_RPC_URL`.
 */

import { fileURLToPath } from 'node:url';
import { announceOptions, type RunOptions } from './run-facts.ts';

export { lane } from './environment-lane.ts';
export type { Isolation, RunOptions, StartOptions } from './run-facts.ts';
export type { LaneCall, TestLane } from './test-lane.ts';

/** The part of a Mocha configuration that starts the node and creates the lanes. */
export interface NodeCliMochaConfig {
  readonly require: string[];
}

/**
 * Returns options to spread in a Mocha configuration. Other required modules, such as `tsx`, come first:
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
