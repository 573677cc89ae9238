/** The short table of a coverage that is printed at the end. */

import { type LcovFile, type LcovTotal, type LcovTotals, lcovTotals } from './lcov.ts';

const HEADINGS = ['File', 'Lines', 'Functions', 'Branches'] as const;
/** Files that are listed one by one; of more the least covered are. */
const MOST_FILES = 100;

/** Returns the sum of totals. */
export function totalsOf(files: readonly LcovFile[]): LcovTotals {
  const each = files.map(lcovTotals);
  const sum = (key: keyof LcovTotals): LcovTotal => ({
    found: each.reduce((found, totals) => found + totals[key].found, 0),
    hit: each.reduce((hit, totals) => hit + totals[key].hit, 0),
  });
  return { lines: sum('lines'), functions: sum('functions'), branches: sum('branches') };
}

function cellOf({ found, hit }: LcovTotal): string {
  // Rounded down: 100 % is said of what is covered wholly only.
  const percent = Math.floor((1000 * hit) / Math.max(1, found)) / 10;
  return found === 0 ? '-' : `${percent.toFixed(1)} % (${hit}/${found})`;
}

function rowOf(name: string, { lines, functions, branches }: LcovTotals): readonly string[] {
  return [name, cellOf(lines), cellOf(functions), cellOf(branches)];
}

function share({ lines }: LcovTotals): number {
  return lines.found === 0 ? 1 : lines.hit / lines.found;
}

/** Returns the lines of the table, by file and in total. */
export function coverageTable(files: readonly LcovFile[]): string[] {
  const shown =
    files.length <= MOST_FILES
      ? files
      : [...files]
          .sort((left, right) => share(lcovTotals(left)) - share(lcovTotals(right)))
          .slice(0, MOST_FILES);
  const rows = shown.map((file) => rowOf(file.name, lcovTotals(file)));
  const omitted = files.length - shown.length;
  if (omitted > 0) rows.push([`${omitted} more files, covered better`, '', '', '']);
  const all = [HEADINGS, ...rows, rowOf('All files', totalsOf(files))];
  const widths = HEADINGS.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  '),
  );
}
