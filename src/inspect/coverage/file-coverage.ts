/** Makes the counts of the lines, functions and branches of a file from those of its ranges: code by code, then in sum. */

import type { FileProbes, Probe } from './code-probes.ts';
import type { LcovFile } from './lcov.ts';
import type { BlockEntry, BranchItem, FunctionItem, ItemLinks, SourceItems } from './source-items.ts';

/** The counts of the items of a file, in their order. */
export class ItemCounts {
  /** How often each statement began. */
  readonly statements: number[];
  /** How often the body of each function began. */
  readonly functions: number[];
  /** How often each decision went one way and the other. */
  readonly branches: [number, number][];

  constructor({ statements, functions, branches }: SourceItems) {
    this.statements = statements.map(() => 0);
    this.functions = functions.map(() => 0);
    this.branches = branches.map(() => [0, 0]);
  }

  /** Adds the counts of another code. */
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

/** A file of which one code is counted. */
export interface CodeOfFile {
  readonly items: SourceItems;
  readonly links: ItemLinks;
  readonly probes: FileProbes;
  /** False for code that an optimizer touched. */
  readonly isExact: boolean;
  /** The declarations of functions that others override, in all files. */
  readonly overridden: ReadonlySet<number>;
}

/** Counts the items of one file by one code. */
class FileCounter {
  readonly #items: SourceItems;
  readonly #links: ItemLinks;
  readonly #probes: FileProbes;
  readonly #isExact: boolean;
  readonly #overridden: ReadonlySet<number>;
  readonly #arrivals = new Map<number, number>();
  readonly #sides: (readonly [number, number])[];

  constructor({ items, links, probes, isExact, overridden }: CodeOfFile) {
    this.#items = items;
    this.#links = links;
    this.#probes = probes;
    this.#isExact = isExact;
    this.#overridden = overridden;
    this.#sides = items.branches.map((branch) => this.#sidesOf(branch));
  }

  counts(): ItemCounts {
    const counts = new ItemCounts(this.#items);
    for (const index of counts.statements.keys()) counts.statements[index] = this.#arrivalsAt(index);
    for (const index of counts.functions.keys()) counts.functions[index] = this.#callsOf(index);
    for (const [index, [first, second]] of this.#sides.entries()) counts.branches[index] = [first, second];
    return counts;
  }

  /** Returns how often the statement began. */
  #arrivalsAt(index: number): number {
    const known = this.#arrivals.get(index);
    if (known !== undefined) return known;
    // A function that calls itself is not asked for the callers that it is one of.
    this.#arrivals.set(index, 0);
    const arrivals = this.#countArrivals(index);
    this.#arrivals.set(index, arrivals);
    return arrivals;
  }

  #countArrivals(index: number): number {
    const item = this.#items.statements[index];
    if (item === undefined) return 0;
    const { entry, before } = item;
    const branch = entry.kind === 'branch' ? this.#items.branches[entry.index] : undefined;
    if (branch !== undefined && before < 0 && this.#isDecided(branch)) return this.#entriesOf(entry);
    const measured = this.#measured(index);
    if (this.#isExact) {
      if (measured !== null) return measured;
      return before >= 0 ? this.#completionsOf(before) : this.#entriesOf(entry);
    }
    // A statement whose code is gone can neither fail nor return, so that the next one is come to as often.
    const likely = measured ?? this.#measuredBehind(index);
    if (before >= 0) {
      const completions = this.#completionsOf(before);
      // Code that is the same as that of other statements may have been counted there alone.
      return likely === null || likely === 0 ? completions : Math.min(likely, completions);
    }
    if (likely === null) return this.#entriesOf(entry);
    const called = likely === 0 && entry.kind === 'function' ? this.#items.functions[entry.index] : undefined;
    // The code of a function that did not run says nothing of the places where it is part of its callers.
    return called === undefined ? likely : this.#internalCallsOf(called);
  }

  /** Returns how often the code of the statement was come into; `null` where it has none. */
  #measured(index: number): number | null {
    const span = this.#items.statements[index]?.span;
    const probe = span === undefined ? null : this.#probes.of(span);
    return probe?.hasCode === true ? Math.round(probe.entries) : null;
  }

  /** Returns the same of the next statement in the block that has code; `null` for none. */
  #measuredBehind(index: number): number | null {
    for (let at = this.#links.followerOf(index); at >= 0; at = this.#links.followerOf(at)) {
      const measured = this.#measured(at);
      if (measured !== null) return measured;
    }
    return null;
  }

  /** Returns how often the statement was done and the next one followed. */
  #completionsOf(index: number): number {
    const item = this.#items.statements[index];
    if (item === undefined || item.isEnd) return 0;
    const arrivals = this.#arrivalsAt(index);
    const branch = this.#links.decisionOf(item);
    const kind = this.#items.branches[branch]?.kind;
    if (kind === 'if') return this.#sideCompletions(branch, 0) + this.#sideCompletions(branch, 1);
    const check = this.#links.checkOf(item);
    if (check >= 0) return Math.min(arrivals, this.#sides[check]?.[0] ?? arrivals);
    const whole = this.#probes.of(item.span);
    return whole.hasCode ? Math.min(arrivals, whole.completions) : arrivals;
  }

  /** Returns how often a side of an `if` was come to its end. */
  #sideCompletions(branch: number, side: 0 | 1): number {
    const last = this.#links.lastOfSide(branch, side);
    return last < 0 ? (this.#sides[branch]?.[side] ?? 0) : this.#completionsOf(last);
  }

  #entriesOf(entry: BlockEntry): number {
    if (entry.kind === 'branch') return this.#sides[entry.index]?.[entry.side] ?? 0;
    if (entry.kind === 'function') return this.#runsOf(entry.index);
    const arrivals = this.#arrivalsAt(entry.index);
    if (entry.kind === 'statement') return arrivals;
    const first = this.#links.firstInside(entry.index);
    return first < 0 || this.#isExact ? arrivals : Math.max(0, arrivals - this.#arrivalsAt(first));
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
    if (this.#isExact && (returns > 0 || ends > 0)) return returns > 0 ? returns : ends;
    const known = this.#probes.outsideCalls(index);
    const outside = (item.hasModifiers ? known?.completions : known?.calls) ?? 0;
    // Nothing else calls a constructor.
    if (outside > 0 || (known !== null && item.kind === 'constructor')) return outside;
    if (returns > 0 || ends > 0) return returns > 0 ? returns : ends;
    const used = item.users.reduce((sum, user) => sum + this.#callsOf(user), 0);
    return used > 0 || this.#isExact ? used : this.#internalCallsOf(item);
  }

  /**
   * Returns how often a function was called by statements of its own file, which is all that is left of one that the optimizer put there.
   * Of a function that others override, the tree does not say whether it or another one was.
   */
  #internalCallsOf({ declaration, callers }: FunctionItem): number {
    if (declaration === null || this.#overridden.has(declaration)) return 0;
    return callers.reduce((sum, statement) => sum + this.#arrivalsAt(statement), 0);
  }

  #sidesOf(branch: BranchItem): readonly [number, number] {
    const whole = this.#probes.of(branch.span);
    const decision = this.#probes.decision(branch.span);
    if (decision?.isSeen === true) return [decision.first, decision.second];
    const [first, second] = branch.sides.map((side) => this.#sideOf(side));
    switch (branch.kind) {
      case 'if':
        return this.#ifSides(branch, first ?? null, second ?? null);
      case 'conditional':
        return [first?.entries ?? 0, second?.entries ?? Math.max(0, whole.entries - (first?.entries ?? 0))];
      case 'require': {
        const passed = Math.min(whole.completions, whole.entries);
        return [passed, whole.entries - passed];
      }
      case 'or':
        return [Math.max(0, whole.entries - (second?.entries ?? 0)), second?.entries ?? 0];
    }
  }

  /** True where a jump says which side was taken. */
  #isDecided({ span }: BranchItem): boolean {
    return this.#probes.decision(span)?.isSeen === true;
  }

  #ifSides({ span }: BranchItem, first: Probe | null, second: Probe | null): readonly [number, number] {
    const arrivals = this.#probes.of(span).entries;
    const taken = first?.entries ?? Math.max(0, arrivals - (second?.entries ?? 0));
    return [taken, second?.entries ?? Math.max(0, arrivals - taken)];
  }

  #sideOf(side: BranchItem['sides'][number]): Probe | null {
    const probe = side === null ? null : this.#probes.of(side);
    return probe?.hasCode === true ? probe : null;
  }
}

/** Returns how often the items of a file ran in one code. */
export function countsOfCode(code: CodeOfFile): ItemCounts {
  return new FileCounter(code).counts();
}

/** Returns what ran of a file. A line counts as often as that of its statements which ran most. */
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
