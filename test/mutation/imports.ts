import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const IMPORT = /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+\.ts)'/g;

/** The imports between TypeScript files, read from their text. */
export class Imports {
  readonly #importsOf = new Map<string, readonly string[]>();
  readonly #importersOf = new Map<string, string[]>();

  constructor(files: readonly string[]) {
    for (const file of files) {
      const targets = Array.from(readFileSync(file, 'utf8').matchAll(IMPORT), ([, target = '']) =>
        join(dirname(file), target),
      );
      this.#importsOf.set(file, targets);
      for (const target of targets)
        this.#importersOf.set(target, [...(this.#importersOf.get(target) ?? []), file]);
    }
  }

  /** Returns the file and all files that it imports, directly or indirectly. */
  closureOf(file: string): readonly string[] {
    return [...distancesFrom(file, this.#importsOf).keys()];
  }

  /**
   * Returns the files that import a file, directly or indirectly, with the number of imports on the shortest path. The file
   * itself has the number 0.
   */
  importersOf(file: string): ReadonlyMap<string, number> {
    return distancesFrom(file, this.#importersOf);
  }
}

function distancesFrom(
  start: string,
  edges: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, number> {
  const distances = new Map([[start, 0]]);
  // The loop also visits the entries that it adds, so that the nearest files come first.
  for (const [file, distance] of distances) {
    for (const next of edges.get(file) ?? []) if (!distances.has(next)) distances.set(next, distance + 1);
  }
  return distances;
}
