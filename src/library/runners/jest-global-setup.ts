/** Starts the node of a run of Jest. `nodeCli()` names this file in `globalSetup`, and the one beside it in `globalTeardown`. */

import { requireThrough, TRANSFORM_PACKAGE } from './jest-packages.ts';
import { processHost, startRun, type TestRun } from './run.ts';
import { announcedOptions } from './run-facts.ts';

/** The object in which the global setup leaves what the global teardown needs, as Jest has them do. */
export interface JestGlobals {
  nodeCliRun?: TestRun;
}

/** The part of `@jest/transform` that loads modules outside of tests. */
interface Transform {
  createScriptTransformer(config: object): Promise<{
    requireAndTranspileModule(path: string): Promise<unknown>;
  }>;
}

/** Called once, before the workers are started, which inherit the environment. */
export default async function setup(_: unknown, config: { readonly rootDir: string }): Promise<void> {
  const globals = globalThis as JestGlobals;
  globals.nodeCliRun = await startRun(announcedOptions(process.env), {
    ...processHost(config.rootDir),
    // The module that sets the base up may be written as the tests are.
    importModule: async (path) => {
      const { createScriptTransformer } = requireThrough(TRANSFORM_PACKAGE) as Transform;
      const transformer = await createScriptTransformer(config);
      return { default: await transformer.requireAndTranspileModule(path) };
    },
  });
}
