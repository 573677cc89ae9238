// The Vitest plugin, without imports of Vitest: `require` cannot load Vitest, and Vite loads some
// configurations as CommonJS.

import { fileURLToPath } from 'node:url';
import type { RunOptions } from './run-facts.ts';

export { lane } from './environment-lane.ts';

/** The part of a Vitest configuration that the plugin changes. */
interface ConfigWithTests {
  test?: {
    globalSetup?: string | string[];
    setupFiles?: string | string[];
    provide?: object;
  };
}

/** The used part of a Vite plugin. */
export interface NodeCliPlugin {
  readonly name: string;
  config(config: ConfigWithTests): void;
}

/** Returns the path of a file in this folder of the package. */
function besidePath(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

function listOf(value: string | string[] | undefined): string[] {
  return value === undefined ? [] : [value].flat();
}

/**
 * Returns the plugin that runs tests on a node. Its global setup comes first, so that yours can deploy to the
 * base chain at `process.env.NODE_CLI_URL`. All lanes copy the base chain.
 *
 * @example
 * // vitest.config.ts
 * import { nodeCli } from 'node-cli/vitest';
 * export default defineConfig({ plugins: [nodeCli({ node: { artifacts: ['out'] } })] });
 */
export function nodeCli(options: RunOptions = {}): NodeCliPlugin {
  return {
    name: 'node-cli',
    config(config) {
      config.test ??= {};
      const { globalSetup, setupFiles, provide } = config.test;
      config.test.globalSetup = [besidePath('vitest-global-setup.js'), ...listOf(globalSetup)];
      config.test.setupFiles = [besidePath('vitest-setup.js'), ...listOf(setupFiles)];
      config.test.provide = { ...provide, nodeCliOptions: options };
    },
  };
}

function rejectTest(): never {
  throw new Error(
    'require() cannot load the function test of node-cli/vitest; import it in a test file that Vitest runs',
  );
}

/**
 * Replaces `test` for `require`, because Vitest loads test files only as ES modules. Calling it or reading a
 * member such as `test.skip` throws an `Error`.
 */
export const test: unknown = new Proxy(rejectTest, {
  get: (target, name) => (typeof name === 'string' ? rejectTest() : Reflect.get(target, name)),
});
