/** Writes the file that a coverage ends in. */

import type { Coverage } from './coverage.ts';
import { coverageTable } from './coverage-table.ts';
import { lcovText } from './lcov.ts';

/** Returns the path of the file: `%p` in it stands for the number of the process, so that several do not write over each other. */
export function coveragePath(path: string, processId: number): string {
  return path.replaceAll('%p', `${processId}`);
}

/** Writes what ran so far as a tracefile. Resolves to what to tell the person: notes, and the table. Rejects as `write` does. */
export async function writeCoverage(
  coverage: Coverage,
  path: string,
  write: (path: string, text: string) => Promise<void>,
): Promise<{ readonly notes: readonly string[]; readonly table: readonly string[] }> {
  const { files, notes } = await coverage.report();
  await write(path, lcovText(files, notes));
  return { notes, table: coverageTable(files) };
}
