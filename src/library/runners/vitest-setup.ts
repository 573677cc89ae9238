/** Gives each test file of Vitest its lane, before the file is imported. The plugin names this file in `setupFiles`. */

import { afterAll, afterEach, beforeEach, expect, inject } from 'vitest';
import { FileLane } from './file-lane.ts';
import { testNameOf } from './vitest.ts';

const { testPath = '' } = expect.getState();
const file = await FileLane.open(inject('nodeCliRun'), testPath);
Object.assign(process.env, file.variables);

beforeEach(async ({ task, onTestFailed }) => {
  await file.beforeTest();
  onTestFailed(async () => {
    // The lane of the test reports its failures itself.
    if (task.meta.hasOwnLane === true) return;
    process.stderr.write(`${await file.failed(testNameOf(task))}\n`);
  });
});
afterEach(() => file.afterTest());
afterAll(() => file.close());
