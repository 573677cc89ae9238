/** Starts the node of a Jest run. `nodeCli()` sets this file as `globalSetup`. */

import { requireThrough, TRANSFORM_PACKAGE } from './jest-packages.ts';
import { processHost, startRun, type TestRun } from './run.ts';
import { announcedOptions } from './run-facts.ts';

/** The global object that passes the run to the global teardown, as usual in Jest. */
export interface JestGlobals {
  nodeCliRun?: TestRun;
}

/** The part of `@jest/transform` that loads modules outside of tests. */
interface Transform {
  createScriptTransformer(config: object): Promise<{
    requireAndTranspileModule(path: string): Promise<unknown>;
  }>;
}

/** Runs once before the workers start, because they inherit the environment. */
export default async function setup(
  { watch, watchAll }: { readonly watch: boolean; readonly watchAll: boolean },
  config: { readonly rootDir: string },
): Promise<void> {
  const globals = globalThis as JestGlobals;
  globals.nodeCliRun = await startRun(announcedOptions(process.env), {
    ...processHost(config.rootDir),
    isOfTests: !watch && !watchAll,
    // The setup module may be in the same language as the tests.
    importModule: async (path) => {
      const { createScriptTransformer } = requireThrough(TRANSFORM_PACKAGE) as Transform;
      const transformer = await createScriptTransformer(config);
      return { default: await transformer.requireAndTranspileModule(path) };
    },
  });
}
