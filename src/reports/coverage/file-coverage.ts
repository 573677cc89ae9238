/** The counts of a file's items, and the coverage of its lines, functions and branches. */

import type { LcovFile } from './lcov.ts';
import type { SourceItems } from './source-items.ts';

/** The counts of a file's items, in the order of the items. */
export class ItemCounts {
  /** How often each statement began. */
  readonly statements: number[];
  /** How often the body of each function began. */
  readonly functions: number[];
  /** How often each decision took each side. */
  readonly branches: [number, number][];

  constructor({ statements, functions, branches }: SourceItems) {
    this.statements = statements.map(() => 0);
    this.functions = functions.map(() => 0);
    this.branches = branches.map(() => [0, 0]);
  }

  add({ statements, functions, branches }: ItemCounts): void {
    for (const [index, times] of statements.entries()) {
      this.statements[index] = times + (this.statements[index] ?? 0);
    }
    for (const [index, times] of functions.entries()) {
      this.functions[index] = times + (this.functions[index] ?? 0);
    }
    for (const [index, [first, second]] of branches.entries()) {
      const [firstBefore, secondBefore] = this.branches[index] ?? [0, 0];
      this.branches[index] = [first + firstBefore, second + secondBefore];
    }
  }
}

/** Returns the coverage of a file. The count of a line is the maximum of its statements. */
export function fileCoverage(
  name: string,
  { statements, functions, branches }: SourceItems,
  counts: ItemCounts,
): LcovFile {
  const lines = new Map<number, number>();
  for (const [index, { line }] of statements.entries()) {
    lines.set(line, Math.max(lines.get(line) ?? 0, counts.statements[index] ?? 0));
  }
  const used = new Map<number, number>();
  return {
    name,
    lines,
    functions: functions.map(({ line, name: called }, index) => ({
      line,
      name: called,
      times: counts.functions[index] ?? 0,
    })),
    branches: branches.flatMap(({ line }, index) => {
      const block = used.get(line) ?? 0;
      used.set(line, block + 1);
      const sides = counts.branches[index] ?? [0, 0];
      const isReached = sides[0] + sides[1] > 0;
      return sides.map((times, branch) => ({
        line,
        block: `${block}`,
        branch: `${branch}`,
        times: isReached ? times : null,
      }));
    }),
  };
}
