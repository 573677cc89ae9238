/** The environment of Node with a lane. `nodeCli()` names this file in `testEnvironment`. */

import { isRecord, TestRunError } from './answers.ts';
import { type JestEnvironmentClass, withLane } from './jest.ts';
import { ENVIRONMENT_PACKAGE, requireThrough } from './jest-packages.ts';

function isEnvironmentClass(value: unknown): value is JestEnvironmentClass {
  return typeof value === 'function';
}

/** Returns the environment that the Jest of the project has by default. */
function nodeEnvironment(): JestEnvironmentClass {
  const exported = requireThrough(ENVIRONMENT_PACKAGE);
  const found = isRecord(exported) ? exported.TestEnvironment : null;
  if (!isEnvironmentClass(found))
    throw new TestRunError(
      'node-cli/jest requires Jest 28 or later: jest-environment-node does not export TestEnvironment',
    );
  return found;
}

/** The environment that Jest makes for each test file. */
export default withLane(nodeEnvironment());
