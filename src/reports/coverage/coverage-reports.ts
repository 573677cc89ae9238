/** Formats a coverage report: the printed table, the lines of files or of one contract, and the lcov file. */

import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import type { Coverage } from './coverage.ts';
import type { CoveredContract } from './covered-files.ts';
import { type LcovFile, type LcovTotal, type LcovTotals, lcovText, lcovTotals } from './lcov.ts';

const HEADINGS = ['File', 'Lines', 'Functions', 'Branches'] as const;
/** Maximum files in the table. If there are more, it lists the least covered files. */
const MAX_FILES = 100;

export function totalsOf(files: readonly LcovFile[]): LcovTotals {
  const each = files.map(lcovTotals);
  const sum = (key: keyof LcovTotals): LcovTotal => ({
    found: each.reduce((found, totals) => found + totals[key].found, 0),
    hit: each.reduce((hit, totals) => hit + totals[key].hit, 0),
  });
  return { lines: sum('lines'), functions: sum('functions'), branches: sum('branches') };
}

function cellOf({ found, hit }: LcovTotal): string {
  // Round down, so that only complete coverage shows 100 %.
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
    files.length <= MAX_FILES
      ? files
      : [...files]
          .sort((left, right) => share(lcovTotals(left)) - share(lcovTotals(right)))
          .slice(0, MAX_FILES);
  const rows = shown.map((file) => rowOf(file.name, lcovTotals(file)));
  const omitted = files.length - shown.length;
  if (omitted > 0)
    rows.push([
      `${omitted} more ${omitted === 1 ? 'file' : 'files'} with equal or better coverage`,
      '',
      '',
      '',
    ]);
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

/** Selects a part of the report. */
export interface CoverageFilter {
  /** The name of a file, or its end after a `/`; empty for all. */
  readonly file: string;
  /** The name of a contract; empty for all. */
  readonly contract: string;
}

/** The coverage of a file, by line. */
export interface CoveredFile extends LcovTotals {
  readonly name: string;
  readonly contracts: readonly string[];
  readonly lineTimes: readonly { readonly line: number; readonly times: number }[];
  readonly functionTimes: readonly { readonly line: number; readonly name: string; readonly times: number }[];
  /** Per decision, how often it took each side; `null` if it was never reached. */
  readonly branchTimes: readonly { readonly line: number; readonly times: readonly number[] | null }[];
}

type ContractsOfFiles = ReadonlyMap<string, readonly CoveredContract[]>;

/** Returns the files that match the filter, restricted to the lines of the contract. */
export function filteredFiles(
  files: readonly LcovFile[],
  contracts: ContractsOfFiles,
  { file: wanted, contract }: CoverageFilter,
): LcovFile[] {
  const named = files.filter(({ name }) => wanted === '' || name === wanted || name.endsWith(`/${wanted}`));
  if (contract === '') return named;
  return named.flatMap((file) => {
    const parts = (contracts.get(file.name) ?? []).filter(({ name }) => name === contract);
    const isIn = (line: number): boolean => parts.some(({ first, last }) => line >= first && line <= last);
    return parts.length === 0 ? [] : [linesOf(file, isIn)];
  });
}

function linesOf({ name, lines, functions, branches }: LcovFile, isIn: (line: number) => boolean): LcovFile {
  return {
    name,
    lines: new Map([...lines].filter(([line]) => isIn(line))),
    functions: functions.filter(({ line }) => isIn(line)),
    branches: branches.filter(({ line }) => isIn(line)),
  };
}

export function coveredFile(file: LcovFile, contracts: ContractsOfFiles): CoveredFile {
  const { name, lines, functions, branches } = file;
  const decisions = new Map<string, { readonly line: number; readonly sides: (number | null)[] }>();
  for (const { line, block, times } of branches) {
    const key = `${line}:${block}`;
    const decision = decisions.get(key) ?? { line, sides: [] };
    decisions.set(key, decision);
    decision.sides.push(times);
  }
  return {
    name,
    contracts: (contracts.get(name) ?? []).map((contract) => contract.name),
    ...lcovTotals(file),
    lineTimes: Array.from(lines, ([line, times]) => ({ line, times })),
    functionTimes: functions,
    branchTimes: Array.from(decisions.values(), ({ line, sides }) => ({
      line,
      times: sides.every((times) => times === null) ? null : sides.map((times) => times ?? 0),
    })),
  };
}

/** The summary that is printed after the file is written. */
export interface WrittenCoverage {
  readonly notes: readonly string[];
  /** For people. */
  readonly table: readonly string[];
  /** For programs. */
  readonly total: LcovTotals;
  readonly files: readonly ({ readonly name: string } & LcovTotals)[];
}

/** Replaces `%p` in the path by the process id, so that processes do not overwrite each other's file. */
export function coveragePath(path: string, processId: number): string {
  return path.replaceAll('%p', `${processId}`);
}

/** Writes the coverage so far as an lcov tracefile. Resolves to its summary. Rejects like `write`. */
export async function writeCoverage(
  coverage: Coverage,
  path: string,
  write: (path: string, text: string) => Promise<void>,
): Promise<WrittenCoverage> {
  const { files, notes } = await coverage.report();
  await write(path, await runTask(lcovText(files, notes), new TimeSlice()));
  return {
    notes,
    table: coverageTable(files),
    total: totalsOf(files),
    files: files.map((file) => ({ name: file.name, ...lcovTotals(file) })),
  };
}
