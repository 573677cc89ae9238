/** Makes the counts of the lines, functions and branches of a file from those of its ranges. */

import type { FileProbes, Probe } from './code-probes.ts';
import type { LcovFile } from './lcov.ts';
import type { BlockEntry, BranchItem, SourceItems } from './source-items.ts';

/** Counts the items of one file. */
class FileCounter {
  readonly #items: SourceItems;
  readonly #probes: FileProbes;
  readonly #usesIr: boolean;
  readonly #arrivals = new Map<number, number>();
  readonly #sides: (readonly [number, number])[];

  constructor(items: SourceItems, probes: FileProbes, usesIr: boolean) {
    this.#items = items;
    this.#probes = probes;
    this.#usesIr = usesIr;
    this.#sides = items.branches.map((branch) => this.#sidesOf(branch));
  }

  coverage(name: string): LcovFile {
    const { statements, functions, branches } = this.#items;
    const lines = new Map<number, number>();
    for (const [index, { line }] of statements.entries()) {
      lines.set(line, Math.max(lines.get(line) ?? 0, this.#arrivalsAt(index)));
    }
    const used = new Map<number, number>();
    return {
      name,
      lines,
      functions: functions.map(({ line, name: called }, index) => ({
        line,
        name: called,
        times: this.#callsOf(index),
      })),
      branches: branches.flatMap(({ line }, index) => {
        const block = used.get(line) ?? 0;
        used.set(line, block + 1);
        const [first, second] = this.#sides[index] ?? [0, 0];
        const isReached = first + second > 0;
        return [first, second].map((times, branch) => ({
          line,
          block: `${block}`,
          branch: `${branch}`,
          times: isReached ? times : null,
        }));
      }),
    };
  }

  /** Returns how often the statement began. */
  #arrivalsAt(index: number): number {
    const known = this.#arrivals.get(index);
    if (known !== undefined) return known;
    const arrivals = this.#countArrivals(index);
    this.#arrivals.set(index, arrivals);
    return arrivals;
  }

  #countArrivals(index: number): number {
    const item = this.#items.statements[index];
    if (item === undefined) return 0;
    const { entry } = item;
    const branch = entry.kind === 'branch' ? this.#items.branches[entry.index] : undefined;
    if (branch !== undefined && item.before < 0 && this.#isDecided(branch)) return this.#entriesOf(entry);
    const head = this.#probes.of(item.head);
    if (head.hasCode) return item.isLoop ? head.fallsIn : head.entries;
    const whole = this.#probes.of(item.span);
    if (whole.hasCode) return item.isLoop ? whole.fallsIn : whole.entries;
    if (item.before >= 0) return this.#completionsOf(item.before);
    return this.#entriesOf(entry);
  }

  /** Returns how often the statement was done and the next one followed. */
  #completionsOf(index: number): number {
    const item = this.#items.statements[index];
    if (item === undefined) return 0;
    const whole = this.#probes.of(item.span);
    return whole.hasCode ? whole.completions : this.#arrivalsAt(index);
  }

  #entriesOf(entry: BlockEntry): number {
    if (entry.kind === 'branch') return this.#sides[entry.index]?.[entry.side] ?? 0;
    return entry.kind === 'statement' ? this.#arrivalsAt(entry.index) : this.#runsOf(entry.index);
  }

  /** Returns how often the body of a function began. */
  #callsOf(index: number): number {
    const item = this.#items.functions[index];
    if (item === undefined) return 0;
    return item.first >= 0 ? this.#arrivalsAt(item.first) : this.#runsOf(index);
  }

  /** Returns how often a function ran whose body has no code at its beginning. */
  #runsOf(index: number): number {
    const item = this.#items.functions[index];
    if (item === undefined) return 0;
    const { returns, ends } = this.#probes.of(item.span);
    if (returns > 0 || ends > 0) return returns > 0 ? returns : ends;
    return item.users.reduce((sum, user) => sum + this.#callsOf(user), 0);
  }

  #sidesOf(branch: BranchItem): readonly [number, number] {
    const whole = this.#probes.of(branch.span);
    const [first, second] = branch.sides.map((side) => this.#sideOf(side));
    switch (branch.kind) {
      case 'if':
        if (this.#isDecided(branch)) return [whole.falls, whole.jumps];
        return this.#ifSides(branch, first ?? null, second ?? null);
      case 'conditional':
        if (this.#isDecided(branch)) return [whole.jumps, whole.falls];
        return [first?.entries ?? 0, second?.entries ?? Math.max(0, whole.entries - (first?.entries ?? 0))];
      case 'require': {
        if (whole.hasJump) return [whole.jumps, whole.falls];
        const passed = Math.min(whole.completions, whole.entries);
        return [passed, whole.entries - passed];
      }
      case 'or':
        if (whole.hasJump) return [whole.jumps, whole.falls];
        return [Math.max(0, whole.entries - (second?.entries ?? 0)), second?.entries ?? 0];
    }
  }

  /** True where a jump says which side was taken: the first one of an `if` is gone on with, that of the others jumped to. */
  #isDecided({ span }: BranchItem): boolean {
    return !this.#usesIr && this.#probes.of(span).hasJump;
  }

  #ifSides({ span }: BranchItem, first: Probe | null, second: Probe | null): readonly [number, number] {
    const statement = this.#items.statements.find((item) => item.span === span);
    const arrivals = statement === undefined ? 0 : this.#probes.of(statement.head).entries;
    const taken = first?.entries ?? Math.max(0, arrivals - (second?.entries ?? 0));
    return [taken, second?.entries ?? Math.max(0, arrivals - taken)];
  }

  #sideOf(side: BranchItem['sides'][number]): Probe | null {
    const probe = side === null ? null : this.#probes.of(side);
    return probe?.hasCode === true ? probe : null;
  }
}

/** Returns what ran of a file. With `usesIr` the code comes from the IR pipeline, whose jumps do not say which side they lead to. */
export function fileCoverage(
  name: string,
  items: SourceItems,
  probes: FileProbes,
  usesIr: boolean,
): LcovFile {
  return new FileCounter(items, probes, usesIr).coverage(name);
}
