/** The lane of the test file that runs, which the environment names. */

import { TestRunError } from './answers.ts';
import { laneAt, type TestLane } from './test-lane.ts';

/** Returns the lane whose URL is in the environment. Throws a {@link TestRunError} where there is none. */
export function laneOfEnvironment({ NODE_CLI_URL: url = '' }: NodeJS.ProcessEnv): TestLane {
  const [, base, key] = /^(https?:\/\/[^/]+)(?:\/([^/]+))?\/?$/.exec(url) ?? [];
  if (base === undefined)
    throw new TestRunError(
      'no lane for the tests: NODE_CLI_URL is not set; configure the test runner with nodeCli()',
    );
  return laneAt(base, key ?? null);
}

/** The lane of the test file that runs, which is read from the environment when it is used. */
export const lane: TestLane = {
  get key() {
    return laneOfEnvironment(process.env).key;
  },
  get url() {
    return laneOfEnvironment(process.env).url;
  },
  get webSocketUrl() {
    return laneOfEnvironment(process.env).webSocketUrl;
  },
  request: (call) => laneOfEnvironment(process.env).request(call),
  fork: (key) => laneOfEnvironment(process.env).fork(key),
  drop: () => laneOfEnvironment(process.env).drop(),
};
