/** The lane of the current test file, from the environment. */

import { TestRunError } from './answers.ts';
import { laneAt, type TestLane } from './test-lane.ts';

/** Throws a {@link TestRunError} if `NODE_CLI_URL` is not set. */
export function laneOfEnvironment({ NODE_CLI_URL: url = '' }: NodeJS.ProcessEnv): TestLane {
  const [, base, key] = /^(https?:\/\/[^/]+)(?:\/([^/]+))?\/?$/.exec(url) ?? [];
  if (base === undefined)
    throw new TestRunError(
      'no lane for the tests: NODE_CLI_URL is not set; configure the test runner with nodeCli()',
    );
  return laneAt(base, key ?? null);
}

/** The lane of the current test file. The environment is read on each use. */
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
