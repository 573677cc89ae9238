/** Creates the lane of a Vitest test file before its import. The plugin adds this file to `setupFiles`. */

import { afterAll, beforeEach, expect, inject } from 'vitest';
import { FileLane, testNameOf } from './file-lane.ts';

const { testPath = '' } = expect.getState();
const file = await FileLane.open(inject('nodeCliRun'), testPath);
Object.assign(process.env, file.variables);

function tell(text: string | null): void {
  if (text !== null) process.stderr.write(`${text}\n`);
}

beforeEach(async ({ task, onTestFinished }) => {
  await file.beforeTest();
  // Runs after all hooks, so that failed hooks count.
  onTestFinished(async () => {
    const name = testNameOf(task);
    // The lane of the test reports its failures itself.
    if (task.result?.state === 'fail' && task.meta.hasOwnLane !== true) tell(await file.failed(name));
    tell(await file.afterTest(name));
  });
});
afterAll(() => file.close());
