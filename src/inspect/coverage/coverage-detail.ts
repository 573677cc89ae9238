/** The coverage of files line by line, of a whole file or of one contract in it. */

import type { CoveredContract } from './covered-files.ts';
import { type LcovFile, type LcovTotals, lcovTotals } from './lcov.ts';

/** The files of the answer, and the part of them that is wanted. */
export interface CoverageFilter {
  /** The name of a file, or the end of it from a `/` on; empty for all. */
  readonly file: string;
  /** The name of a contract; empty for all. */
  readonly contract: string;
}

/** The coverage of a file, by line. */
export interface CoveredFile extends LcovTotals {
  readonly name: string;
  /** The contracts in the file. */
  readonly contracts: readonly string[];
  readonly lineTimes: readonly { readonly line: number; readonly times: number }[];
  readonly functionTimes: readonly { readonly line: number; readonly name: string; readonly times: number }[];
  /** Each decision with how often it went each way; `null` where it was never come to. */
  readonly branchTimes: readonly { readonly line: number; readonly times: readonly number[] | null }[];
}

type ContractsOfFiles = ReadonlyMap<string, readonly CoveredContract[]>;

/** Returns what the filter leaves of the files: those of the name, and of them the lines of the contract. */
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

/** Returns what ran of a file. */
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
