/** The order of the test files for a changed source, from imports and folders alone. */

import { basename, dirname } from 'node:path';

/** A test file that may detect a change. */
export interface Candidate {
  readonly path: string;
  readonly seconds: number;
  /** Whether the file starts the built program, and therefore needs a build of the changed source. */
  readonly needsBuild: boolean;
}

/** Assumed duration of a test file without a record. */
const ASSUMED_SECONDS = 4;

/** The test files that import a source directly or indirectly, the nearest first. */
export interface NearestTests {
  /** The tests of the source's module: `test/<module>` for `src/<module>`. */
  readonly own: readonly string[];
  readonly others: readonly string[];
}

/** Number of folders that the path of a test shares with the path of a source, below `test` and `src`. */
function sharedFolders(source: string, test: string): number {
  const [, ...folders] = dirname(source).split('/');
  const [, ...testFolders] = dirname(test).split('/');
  const different = folders.findIndex((folder, index) => folder !== testFolders[index]);
  return different === -1 ? folders.length : different;
}

function isNamedAfter(source: string, test: string): boolean {
  return basename(test, '.test.ts') === basename(source, '.ts');
}

/**
 * Sorts the test files that import a source. Tests of its module are sorted by name, then by folder, then by the number of
 * imports up to the source (`distances`). Tests of other modules are sorted by this number.
 */
export function nearestTests(
  source: string,
  tests: readonly string[],
  distances: ReadonlyMap<string, number>,
): NearestTests {
  const distanceOf = (test: string): number => distances.get(test) ?? Number.POSITIVE_INFINITY;
  const importing = tests
    .filter((test) => distances.has(test))
    .sort((left, right) => distanceOf(left) - distanceOf(right));
  const module = source.split('/')[1] ?? '';
  const isOwn = (test: string): boolean => test.startsWith(`test/${module}/`);
  const own = importing.filter(isOwn).sort((left, right) => {
    const byName = Number(isNamedAfter(source, right)) - Number(isNamedAfter(source, left));
    return byName === 0 ? sharedFolders(source, right) - sharedFolders(source, left) : byName;
  });
  return { own, others: importing.filter((test) => !isOwn(test)) };
}

/** Returns candidates for test files without a record. */
export function unrecorded(tests: readonly string[], needsBuild: boolean): readonly Candidate[] {
  return tests.map((path) => ({ path, seconds: ASSUMED_SECONDS, needsBuild }));
}
