/** Writes the file that a coverage ends in. */

import { runTask } from '../../primitives/task.ts';
import { WorkPieces } from '../../primitives/work-pieces.ts';
import type { Coverage } from './coverage.ts';
import { coverageTable, totalsOf } from './coverage-table.ts';
import { type LcovTotals, lcovTextInPieces, lcovTotals } from './lcov.ts';

/** The summary that is printed when the file is written. */
export interface WrittenCoverage {
  readonly notes: readonly string[];
  /** For people. */
  readonly table: readonly string[];
  /** For programs. */
  readonly total: LcovTotals;
  readonly files: readonly ({ readonly name: string } & LcovTotals)[];
}

/** Returns the path of the file: `%p` in it stands for the number of the process, so that several do not write over each other. */
export function coveragePath(path: string, processId: number): string {
  return path.replaceAll('%p', `${processId}`);
}

/** Writes what ran so far as a tracefile. Resolves to what is told of it. Rejects as `write` does. */
export async function writeCoverage(
  coverage: Coverage,
  path: string,
  write: (path: string, text: string) => Promise<void>,
): Promise<WrittenCoverage> {
  const { files, notes } = await coverage.report();
  await write(path, await runTask(lcovTextInPieces(files, notes, new WorkPieces())));
  return {
    notes,
    table: coverageTable(files),
    total: totalsOf(files),
    files: files.map((file) => ({ name: file.name, ...lcovTotals(file) })),
  };
}
