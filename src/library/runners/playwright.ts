/**
 * Playwright tests on lanes of one node. The options of `nodeCli()` start a node for the run. `test` gives
 * each test its own lane, and pages a wallet.
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
import { LaneAnswerError } from './answers.ts';
import { openTestLane } from './file-lane.ts';
import { announcedFacts, announceOptions, type RunOptions } from './run-facts.ts';
import type { TestLane } from './test-lane.ts';

interface PageCall {
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** The response to a page. A rejected promise would lose all properties except the message. */
type PageAnswer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } };

/** The used part of a Playwright browser context. */
interface PageContext {
  exposeFunction(name: string, action: (call: PageCall) => Promise<PageAnswer>): Promise<unknown>;
  addInitScript(script: (name: string) => void, name: string): Promise<unknown>;
}

/** The function of a page that calls the lane. */
const FUNCTION_NAME = '__askNodeCli';

/** Runs in each page before its own scripts. It must not use variables outside this function. */
function injectWallet(name: string): void {
  const page = globalThis as unknown as EventTarget & Record<string, unknown>;
  const ask = page[name] as (call: PageCall) => Promise<PageAnswer>;
  const listeners = new EventTarget();
  const wrappers = new Map<unknown, (said: Event) => void>();
  const provider = {
    async request({ method, params = [] }: PageCall): Promise<unknown> {
      const answer = await ask({ method, params });
      if ('error' in answer) throw Object.assign(new Error(answer.error.message), answer.error);
      return answer.result;
    },
    on(event: string, listener: (value: unknown) => void) {
      const wrapper = (said: Event): void => listener((said as CustomEvent).detail);
      wrappers.set(listener, wrapper);
      listeners.addEventListener(event, wrapper);
      return provider;
    },
    removeListener(event: string, listener: (value: unknown) => void) {
      const wrapper = wrappers.get(listener);
      if (wrapper !== undefined) listeners.removeEventListener(event, wrapper);
      return provider;
    },
  };
  page.ethereum = provider;
  const info = {
    uuid: '6d0cc1f4-8d55-4d0b-9c1b-3c6f2a0e8a11',
    name: 'node-cli',
    rdns: 'node-cli.wallet',
    icon: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>',
  };
  const announce = (): void => {
    const detail = Object.freeze({ info, provider });
    page.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
  };
  page.addEventListener('eip6963:requestProvider', announce);
  announce();
}

/** Adds a wallet with the accounts of the lane to all pages of a context. The node signs. */
export async function addWallet(context: PageContext, lane: TestLane): Promise<void> {
  await context.exposeFunction(FUNCTION_NAME, async (call) => {
    try {
      return { result: await lane.request(call) };
    } catch (error) {
      if (!(error instanceof LaneAnswerError)) throw error;
      const { code, message, data } = error;
      return { error: { code, message, data } };
    }
  });
  await context.addInitScript(injectWallet, FUNCTION_NAME);
}

export { expect } from '@playwright/test';
export type { Isolation, RunOptions, StartOptions } from './run-facts.ts';
export type { LaneCall, TestLane } from './test-lane.ts';

/** The part of a Playwright configuration that starts the node. */
export interface NodeCliPlaywrightConfig {
  readonly globalSetup: string;
}

/**
 * Returns options to spread in a Playwright configuration.
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

/** The fixtures of {@link test}. */
export interface LaneFixtures {
  /** The test's own copy of the base chain. Its URL is in `NODE_CLI_URL` and `ETH_RPC_URL`. */
  readonly lane: TestLane;
  /** A wallet as `window.ethereum` and over EIP-6963, if the test uses it. The node signs. */
  readonly wallet: { readonly accounts: readonly string[] };
}

/** Returns a unique name, because a file can run for several projects and be repeated or retried. */
function nameOf({ titlePath, project, retry, repeatEachIndex }: TestInfo): string {
  return [
    ...titlePath.slice(1),
    ...(project.name === '' ? [] : [project.name]),
    ...(repeatEachIndex === 0 ? [] : [`repeat ${repeatEachIndex}`]),
    ...(retry === 0 ? [] : [`retry ${retry}`]),
  ].join(' > ');
}

/**
 * The `test` of Playwright with a lane for each test, and an optional wallet.
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
