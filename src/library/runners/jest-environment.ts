/** The Node environment with a lane. `nodeCli()` sets it as `testEnvironment`. */

import { isRecord, TestRunError } from './answers.ts';
import { type JestEnvironmentClass, withLane } from './jest.ts';
import { ENVIRONMENT_PACKAGE, requireThrough } from './jest-packages.ts';

function isEnvironmentClass(value: unknown): value is JestEnvironmentClass {
  return typeof value === 'function';
}

/** Returns the default environment of the project's Jest. */
function nodeEnvironment(): JestEnvironmentClass {
  const exported = requireThrough(ENVIRONMENT_PACKAGE);
  const found = isRecord(exported) ? exported.TestEnvironment : null;
  if (!isEnvironmentClass(found))
    throw new TestRunError(
      'node-cli/jest requires Jest 28 or later: jest-environment-node does not export TestEnvironment',
    );
  return found;
}

export default withLane(nodeEnvironment());
