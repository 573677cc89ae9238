import { describe, expect, it } from 'vitest';
import { nearestTests, unrecorded } from './candidates.ts';

const SOURCE = 'src/fork/upstream/retry.ts';

/** Number of imports from each test file to the source. */
const DISTANCES = new Map([
  ['test/cli/forking.test.ts', 1],
  ['test/fork/answers.test.ts', 1],
  ['test/fork/upstream/requests.test.ts', 2],
  ['test/fork/upstream/rates.test.ts', 1],
  ['test/fork/retry.test.ts', 3],
  ['test/forks/recorded.test.ts', 2],
  ['test/rpc/methods/eth.test.ts', 4],
]);

const TESTS = ['test/fork/unrelated.test.ts', ...DISTANCES.keys()];

describe('nearestTests', () => {
  it('returns all tests of the module first: by name, then by folder, then by imports', () => {
    expect(nearestTests(SOURCE, TESTS, DISTANCES).own).toEqual([
      'test/fork/retry.test.ts',
      'test/fork/upstream/rates.test.ts',
      'test/fork/upstream/requests.test.ts',
      'test/fork/answers.test.ts',
    ]);
  });

  it('returns the tests of other modules by imports, without tests that do not import the source', () => {
    expect(nearestTests(SOURCE, TESTS, DISTANCES).others).toEqual([
      'test/cli/forking.test.ts',
      'test/forks/recorded.test.ts',
      'test/rpc/methods/eth.test.ts',
    ]);
  });

  it('returns no own tests for a source outside the modules', () => {
    expect(nearestTests('src/index.ts', TESTS, DISTANCES).own).toEqual([]);
  });
});

it('unrecorded returns candidates in the given order', () => {
  const paths = ['test/fork/retry.test.ts', 'test/fork/answers.test.ts'];
  expect(unrecorded(paths, true)).toEqual([
    { path: paths[0], seconds: 4, needsBuild: true },
    { path: paths[1], seconds: 4, needsBuild: true },
  ]);
});
