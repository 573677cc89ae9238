/** Writes, reads and sums coverage as lcov tracefiles (geninfo(1), section FILES). */

import type { Steps } from '../../primitives/steps.ts';

export interface LcovFunction {
  readonly line: number;
  /** Unique within its line. */
  readonly name: string;
  readonly times: number;
}

/** One side of a decision. */
export interface LcovBranch {
  readonly line: number;
  /** Together with `branch`, identifies a side of a decision. Each decision of a line has its own block. */
  readonly block: string;
  readonly branch: string;
  /** `null` if the decision was never reached. */
  readonly times: number | null;
}

export interface LcovFile {
  readonly name: string;
  /** How often each line with code ran, by line number from 1. */
  readonly lines: ReadonlyMap<number, number>;
  readonly functions: readonly LcovFunction[];
  readonly branches: readonly LcovBranch[];
}

/** The number of items of one kind, and how many of them ran. */
export interface LcovTotal {
  readonly found: number;
  readonly hit: number;
}

/** Thrown if a text is not an lcov tracefile. */
export class LcovError extends Error {
  override readonly name = 'LcovError';
}

export interface LcovTotals {
  readonly lines: LcovTotal;
  readonly functions: LcovTotal;
  readonly branches: LcovTotal;
}

function totalOf(times: readonly (number | null)[]): LcovTotal {
  return { found: times.length, hit: times.filter((count) => (count ?? 0) > 0).length };
}

export function lcovTotals({ lines, functions, branches }: LcovFile): LcovTotals {
  return {
    lines: totalOf([...lines.values()]),
    functions: totalOf(functions.map(({ times }) => times)),
    branches: totalOf(branches.map(({ times }) => times)),
  };
}

/** Returns the tracefile. Each comment becomes a line that begins with `#`, which lcov readers ignore. */
export function* lcovText(files: readonly LcovFile[], comments: readonly string[] = []): Steps<string> {
  const parts = comments.map((comment) => `# ${comment}\n`);
  for (const file of files) {
    parts.push(`TN:\n${recordOf(file).join('\n')}\n`);
    yield workOf(file);
  }
  return parts.join('');
}

function recordOf(file: LcovFile): string[] {
  const { name, lines, functions, branches } = file;
  const totals = lcovTotals(file);
  return [
    `SF:${name}`,
    ...functions.map(({ line, name: called }) => `FN:${line},${called}`),
    ...functions.map(({ name: called, times }) => `FNDA:${times},${called}`),
    `FNF:${totals.functions.found}`,
    `FNH:${totals.functions.hit}`,
    ...branches.map(({ line, block, branch, times }) => `BRDA:${line},${block},${branch},${times ?? '-'}`),
    `BRF:${totals.branches.found}`,
    `BRH:${totals.branches.hit}`,
    ...[...lines].sort(([left], [right]) => left - right).map(([line, times]) => `DA:${line},${times}`),
    `LF:${totals.lines.found}`,
    `LH:${totals.lines.hit}`,
    'end_of_record',
  ];
}

/** Returns a collator for texts with numbers. Share it: creating one takes longer than using it. */
function placeOrder(): Intl.Collator {
  return new Intl.Collator('en', { numeric: true });
}

/** A file whose counts are being added. */
class OpenFile {
  readonly name: string;
  readonly #lines = new Map<number, number>();
  readonly #functions = new Map<string, LcovFunction>();
  readonly #branches = new Map<string, LcovBranch>();

  constructor(name: string) {
    this.name = name;
  }

  line(line: number, times: number): void {
    this.#lines.set(line, (this.#lines.get(line) ?? 0) + times);
  }

  function({ line, name, times }: LcovFunction): void {
    const key = `${line} ${name}`;
    this.#functions.set(key, { line, name, times: (this.#functions.get(key)?.times ?? 0) + times });
  }

  branch({ line, block, branch, times }: LcovBranch): void {
    const key = `${line} ${block} ${branch}`;
    const before = this.#branches.get(key)?.times ?? null;
    const sum = before === null || times === null ? (before ?? times) : before + times;
    this.#branches.set(key, { line, block, branch, times: sum });
  }

  /** Returns the sum. Its order does not depend on the order of the counts. */
  file(order: Intl.Collator): LcovFile {
    const sorted = <Item>(items: ReadonlyMap<string, Item>): Item[] =>
      [...items].sort(([left], [right]) => order.compare(left, right)).map(([, item]) => item);
    return {
      name: this.name,
      lines: new Map([...this.#lines].sort(([left], [right]) => left - right)),
      functions: sorted(this.#functions),
      branches: sorted(this.#branches),
    };
  }
}

/** Units of work per tracefile record. */
const RECORD_WORK = 200;

function workOf({ lines, functions, branches }: LcovFile): number {
  return RECORD_WORK * (1 + lines.size + functions.length + branches.length);
}

/** Returns the sum of tracefiles by file, line, function and branch. Files are sorted by name. */
export function* mergeLcov(files: Iterable<LcovFile>): Steps<LcovFile[]> {
  const open = new Map<string, OpenFile>();
  for (const file of files) {
    const { name, lines, functions, branches } = file;
    const sum = open.get(name) ?? new OpenFile(name);
    open.set(name, sum);
    for (const [line, times] of lines) sum.line(line, times);
    for (const each of functions) sum.function(each);
    for (const each of branches) sum.branch(each);
    yield workOf(file);
  }
  const sorted = [...open.values()].sort((left, right) =>
    left.name < right.name ? -1 : left.name > right.name ? 1 : 0,
  );
  const merged: LcovFile[] = [];
  const order = placeOrder();
  for (const sum of sorted) {
    const file = sum.file(order);
    merged.push(file);
    yield workOf(file);
  }
  return merged;
}

/** Ignored records: test names, versions, and totals. The totals are computed again. */
const PASSED_OVER = /^(?:#|TN:|VER:|FNF:|FNH:|BRF:|BRH:|LF:|LH:|MCDC:|MCF:|MCH:|\s*$)/;
const LINE = /^DA:(\d+),(\d+)(?:,.*)?$/;
const FUNCTION = /^FN:(\d+),(?:\d+,)?(.*)$/;
const CALLS = /^FNDA:(\d+),(.*)$/;
const BRANCH = /^BRDA:(\d+),(e?\d+),(.+),(-|\d+)$/;

/** Reads a tracefile of any tool. Throws {@link LcovError} with the line of an unknown record. */
export function parseLcov(text: string): LcovFile[] {
  const files: LcovFile[] = [];
  const order = placeOrder();
  let file: OpenFile | null = null;
  let places = new Map<string, number[]>();
  for (const [index, row] of text.split(/\r?\n/).entries()) {
    const fail = (): LcovError =>
      new LcovError(`line ${index + 1} is not an lcov record: ${row.slice(0, 100)}`);
    if (PASSED_OVER.test(row)) continue;
    if (row.startsWith('SF:')) {
      if (file !== null) throw fail();
      file = new OpenFile(row.slice('SF:'.length));
      places = new Map();
    } else if (file === null) throw fail();
    else if (row === 'end_of_record') {
      files.push(file.file(order));
      file = null;
    } else if (!addRow(file, row, places)) throw fail();
  }
  if (file !== null) throw new LcovError(`the lcov record of ${file.name} has no line end_of_record`);
  return files;
}

/**
 * Adds a record to the file; returns false if it is unknown. `places` has the lines of functions by name. If
 * several have the same name, as with constructors in other tools, their calls follow in the same order.
 */
function addRow(file: OpenFile, row: string, places: Map<string, number[]>): boolean {
  const [, line, times] = LINE.exec(row) ?? [];
  if (line !== undefined) {
    file.line(Number(line), Number(times));
    return true;
  }
  const [, at, called = ''] = FUNCTION.exec(row) ?? [];
  if (at !== undefined) {
    places.set(called, [...(places.get(called) ?? []), Number(at)]);
    file.function({ line: Number(at), name: called, times: 0 });
    return true;
  }
  const [, calls, name = ''] = CALLS.exec(row) ?? [];
  const [place, ...others] = places.get(name) ?? [];
  if (calls !== undefined && place !== undefined) {
    if (others.length > 0) places.set(name, others);
    file.function({ line: place, name, times: Number(calls) });
    return true;
  }
  const [, where, block = '', branch = '', taken] = BRANCH.exec(row) ?? [];
  if (where === undefined) return false;
  file.branch({ line: Number(where), block, branch, times: taken === '-' ? null : Number(taken) });
  return true;
}
