import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const IMPORT = /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+\.ts)'/g;

/** Returns the paths of the TypeScript files that a file imports. */
function importsOf(path: string): string[] {
  return Array.from(readFileSync(path, 'utf8').matchAll(IMPORT), ([, target = '']) =>
    join(dirname(path), target),
  );
}

/** Returns for each file those that import it. */
function importersOf(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  for (const file of files)
    for (const target of importsOf(file)) importers.set(target, [...(importers.get(target) ?? []), file]);
  return importers;
}

/**
 * Returns the test files in the order in which they are likely to notice a change of a source file: those that import it
 * directly first, then by the number of imports in between, then those that do not import it (they may run the built
 * program). Files at the same distance stand in the order of their names.
 */
export function nearestTests(
  source: string,
  sources: readonly string[],
  tests: readonly string[],
): readonly string[] {
  const importers = importersOf([...sources, ...tests]);
  const distances = new Map([[source, 0]]);
  const queue = [source];
  for (const file of queue) {
    for (const importer of importers.get(file) ?? []) {
      if (distances.has(importer)) continue;
      distances.set(importer, (distances.get(file) ?? 0) + 1);
      queue.push(importer);
    }
  }
  const distanceOf = (test: string): number => distances.get(test) ?? Number.POSITIVE_INFINITY;
  return tests.toSorted((left, right) =>
    distanceOf(left) === distanceOf(right) ? (left < right ? -1 : 1) : distanceOf(left) - distanceOf(right),
  );
}
