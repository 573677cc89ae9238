// The plugin of Vitest, for configurations that Vite reads as CommonJS: Vitest itself cannot be loaded by `require`, so that nothing
// here imports it.

import { fileURLToPath } from 'node:url';
import type { RunOptions } from './run-facts.ts';

export { lane } from './environment-lane.ts';

/** The part of a configuration of Vitest that the plugin changes. */
interface ConfigWithTests {
  test?: {
    globalSetup?: string | string[];
    setupFiles?: string | string[];
    provide?: object;
  };
}

/** A plugin of Vite, by the members that this one has. */
export interface NodeCliPlugin {
  readonly name: string;
  config(config: ConfigWithTests): void;
}

/** Returns the path of a file that is packed beside this one. */
function besidePath(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

function listOf(value: string | string[] | undefined): string[] {
  return value === undefined ? [] : [value].flat();
}

/**
 * Returns the plugin that runs tests on a node. Its global setup comes first, so that yours can deploy to the base chain at
 * `process.env.NODE_CLI_URL`, from which all lanes begin.
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

function refuseTest(): never {
  throw new Error(
    'require() cannot load the function test of node-cli/vitest; import it in a test file that Vitest runs',
  );
}

/**
 * Stands for the `test` of the module, which is Vitest's own: a test file is a module for Vitest, whatever package it is in. It throws
 * an `Error` that says so when it is called, and when a member such as `test.skip` is read.
 */
export const test: unknown = new Proxy(refuseTest, {
  get: (target, name) => (typeof name === 'string' ? refuseTest() : Reflect.get(target, name)),
});
