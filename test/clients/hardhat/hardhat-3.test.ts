import { beforeAll, expect, it } from 'vitest';
import { startNode } from '../../support/node-process.ts';
import { copyProject, install, type ToolProject, testCounts } from './tool-project.ts';

/** In milliseconds. */
const LONGEST_INSTALL = 600_000;
const LONGEST_RUN = 240_000;

/** The number of tests in the project's `test/vault.js`. */
const TESTS = 9;

let project: ToolProject;

// Hardhat 3 does not run with Node 20.
beforeAll(async () => {
  await install('node-22');
  await install('hardhat-3', 'node-22');
  project = copyProject('hardhat-3', 'node-22');
  return () => project.remove();
}, LONGEST_INSTALL);

it.each<{ options: readonly string[]; network: string }>([
  { options: [], network: 'localhost' },
  { options: [], network: 'node33' },
  { options: ['--compat', 'anvil'], network: 'node33' },
])(
  'the tests of a Hardhat 3 project pass with the options $options on the network $network',
  async ({ options, network }) => {
    const node = await startNode(...options);
    try {
      const run = project.start('hardhat', ['test', 'nodejs', '--network', network], node.url);
      const { code, output } = await run.ended;
      const expected = { code: 0, passing: TESTS, failing: 0, pending: 0 };
      expect({ code, ...testCounts(output) }, output).toEqual(expected);
    } finally {
      await node.stop();
    }
  },
  LONGEST_RUN,
);
