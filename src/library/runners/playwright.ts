/**
 * Tests of Playwright on lanes of one node. What `nodeCli()` gives to the configuration starts a node for the run; `test` gives
 * each test a chain of its own, and pages a wallet on it.
 */

import { fileURLToPath } from 'node:url';
import {
  test as base,
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  type TestInfo,
  type TestType,
} from '@playwright/test';
import { urlVariables } from '../../config/url-variables.ts';
import { announcedFacts, announceOptions } from './announced.ts';
import { addWallet } from './browser-wallet.ts';
import { openTestLane } from './file-lane.ts';
import type { RunOptions } from './run-options.ts';
import type { TestLane } from './test-lane.ts';

export { expect } from '@playwright/test';
export type { Isolation, RunOptions, StartOptions } from './run-options.ts';
export type { LaneCall, TestLane } from './test-lane.ts';

/** The part of a configuration of Playwright that starts the node. */
export interface NodeCliPlaywrightConfig {
  readonly globalSetup: string;
}

/**
 * Returns what a configuration of Playwright spreads to run its tests on lanes.
 *
 * @example
 * // playwright.config.ts
 * import { nodeCli } from 'node-cli/playwright';
 * export default defineConfig({ ...nodeCli({ setup: './test/deploy.ts' }), testDir: 'test' });
 */
export function nodeCli(options: RunOptions = {}): NodeCliPlaywrightConfig {
  announceOptions(options, process.env);
  return { globalSetup: fileURLToPath(new URL('playwright-global-setup.js', import.meta.url)) };
}

/** The fixtures that {@link test} gives to each test. */
export interface LaneFixtures {
  /** A lane of the test's own, which begins as the base chain is, whose URL is in `NODE_CLI_URL` and `ETH_RPC_URL` meanwhile. */
  readonly lane: TestLane;
  /** The accounts of a wallet that pages find as `window.ethereum` and by EIP-6963, where a test takes it; the node signs for them. */
  readonly wallet: { readonly accounts: readonly string[] };
}

/** Returns the name of a test: a file is run more than once for several projects, and again after a failure. */
function nameOf({ titlePath, project, retry, repeatEachIndex }: TestInfo): string {
  return [
    ...titlePath.slice(1),
    ...(project.name === '' ? [] : [project.name]),
    ...(repeatEachIndex === 0 ? [] : [`repeat ${repeatEachIndex}`]),
    ...(retry === 0 ? [] : [`retry ${retry}`]),
  ].join(' > ');
}

/**
 * The `test` of Playwright, with a lane for each test, and a wallet for those that take one.
 *
 * @example
 * test('deposits', async ({ page, lane, wallet }) => {
 *   await page.goto('/');
 *   await page.getByRole('button', { name: 'Connect' }).click();
 * });
 */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & LaneFixtures,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
> = base.extend<LaneFixtures>({
  lane: [
    async ({ browserName: _ }, use, info) => {
      const own = await openTestLane(announcedFacts(process.env), info.file, nameOf(info), 'base');
      Object.assign(process.env, urlVariables(own.lane.url));
      await use(own.lane);
      const text = await own.end(info.status !== info.expectedStatus);
      // Reporters print it with the other errors of the test.
      if (text !== null) info.errors.push({ message: text });
    },
    { auto: true },
  ],
  wallet: async ({ context, lane }, use) => {
    await addWallet(context, lane);
    const accounts = await lane.request({ method: 'eth_accounts' });
    await use({ accounts: accounts as readonly string[] });
  },
});
