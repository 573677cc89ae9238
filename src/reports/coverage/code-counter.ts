/** Counts the items of files for one code, from counts of source ranges or from other items. */

import type { Steps } from '../../primitives/steps.ts';
import type { FileProbes, Probe } from './code-probes.ts';
import type { CompiledFiles, CountedFile, FileUse } from './covered-files.ts';
import { ItemCounts } from './file-coverage.ts';
import type {
  BlockEntry,
  BranchItem,
  FunctionItem,
  ItemLinks,
  SourceItems,
  StatementItem,
} from './source-items.ts';

/** A counted code, with the files of its compilation. */
export interface CountedCode {
  readonly files: CompiledFiles;
  /** False if an optimizer changed the code. */
  readonly isExact: boolean;
  /** The declarations of functions that are overridden in the contract. */
  readonly overridden: ReadonlySet<number>;
  probesOf(file: CountedFile): FileProbes;
}

/**
 * Maximum recursion depth, from a function to its callers and from a block to the block around it. Beyond
 * this depth an item counts as not run, because sources are untrusted and the stack is limited.
 */
const DEEPEST = 500;
/** Units of work per item. */
const ITEM_WORK = 1_000;

/** Counts the items of the files of one code. */
export class CodeCounter {
  readonly code: CountedCode;
  readonly #counters = new Map<CountedFile, FileCounter>();
  #depth = 0;

  constructor(code: CountedCode) {
    this.code = code;
  }

  /** Counts the items of a file. Yields between time slices. */
  *countsOf(file: CountedFile): Steps<ItemCounts> {
    return yield* this.#of(file).counts();
  }

  /** Returns how often the call statements of a function were reached. */
  callsBy(callers: readonly FileUse[]): number {
    return this.#sum(callers, ({ file, user }) => this.#of(file).arrivalsAt(user));
  }

  /** Returns how often the functions with a modifier ran. */
  runsOf(users: readonly FileUse[]): number {
    return this.#sum(users, ({ file, user }) => this.#of(file).callsOf(user));
  }

  #sum(uses: readonly FileUse[], timesOf: (use: FileUse) => number): number {
    return uses.reduce((sum, use) => sum + timesOf(use), 0);
  }

  /** Returns the result of `count`; 0 if the recursion is too deep. */
  inside(count: () => number): number {
    if (this.#depth >= DEEPEST) return 0;
    this.#depth++;
    try {
      return count();
    } finally {
      this.#depth--;
    }
  }

  #of(file: CountedFile): FileCounter {
    const counter = this.#counters.get(file) ?? new FileCounter(file, this);
    this.#counters.set(file, counter);
    return counter;
  }
}

/** Counts the items of one file for one code. */
class FileCounter {
  readonly #items: SourceItems;
  readonly #links: ItemLinks;
  readonly #probes: FileProbes;
  readonly #counter: CodeCounter;
  readonly #isExact: boolean;
  readonly #arrivals = new Map<number, number>();
  /** By statement: the arrivals at the next statement of its block that has code. */
  readonly #behind = new Map<number, number | null>();
  readonly #sides = new Map<number, readonly [number, number]>();
  #checks: ReadonlyMap<number, number> | null = null;

  constructor(file: CountedFile, counter: CodeCounter) {
    this.#items = file.items;
    this.#links = file.links;
    this.#probes = counter.code.probesOf(file);
    this.#counter = counter;
    this.#isExact = counter.code.isExact;
  }

  *counts(): Steps<ItemCounts> {
    const counts = new ItemCounts(this.#items);
    for (const index of counts.statements.keys()) {
      counts.statements[index] = this.arrivalsAt(index);
      yield ITEM_WORK;
    }
    for (const index of counts.functions.keys()) counts.functions[index] = this.callsOf(index);
    for (const index of counts.branches.keys()) {
      const [first, second] = this.#sidesAt(index);
      counts.branches[index] = [first, second];
    }
    return counts;
  }

  /** Returns how often the statement began. */
  arrivalsAt(index: number): number {
    // Count earlier statements of the block first, so that a long block needs no deep recursion.
    const unknown: number[] = [];
    for (let at = index; at >= 0 && !this.#arrivals.has(at); at = this.#items.statements[at]?.before ?? -1) {
      unknown.push(at);
    }
    for (const at of unknown.toReversed()) {
      // Stops the recursion for a function that calls itself.
      this.#arrivals.set(at, 0);
      this.#arrivals.set(
        at,
        this.#counter.inside(() => this.#countArrivals(at)),
      );
    }
    return this.#arrivals.get(index) ?? 0;
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
    // A statement whose code was removed cannot fail or return, so the next statement runs equally often.
    const likely = measured ?? this.#measuredBehind(index);
    if (before >= 0) {
      const completions = this.#completionsOf(before);
      // Code shared with other statements may have been counted for only one of them.
      return likely === null || likely === 0 ? completions : Math.min(likely, completions);
    }
    if (likely === null) return this.#entriesOf(entry);
    // The function's own code did not run, but the optimizer may have inlined it into its callers.
    return likely === 0 && entry.kind === 'function' ? this.#calledTimes(entry.index) : likely;
  }

  /** Returns the entries into the statement's code; `null` if it has none. */
  #measured(index: number): number | null {
    const span = this.#items.statements[index]?.span;
    const probe = span === undefined ? null : this.#probes.of(span);
    return probe?.hasCode === true ? Math.round(probe.entries) : null;
  }

  /** Returns the entries of the next statement of the block with code; `null` for none. */
  #measuredBehind(index: number): number | null {
    // Cache the result for all skipped statements, so that a long block without code is searched once.
    const passed: number[] = [];
    let found: number | null = null;
    for (let at = index; at >= 0 && found === null; at = this.#links.followerOf(at)) {
      const known = this.#behind.get(at);
      if (known !== undefined) {
        found = known;
        break;
      }
      passed.push(at);
      const follower = this.#links.followerOf(at);
      found = follower < 0 ? null : this.#measured(follower);
    }
    for (const at of passed) this.#behind.set(at, found);
    return found;
  }

  /** Returns how often the statement completed and the next one followed. */
  #completionsOf(index: number): number {
    const item = this.#items.statements[index];
    if (item === undefined || item.isEnd) return 0;
    const arrivals = this.arrivalsAt(index);
    if (this.#isOfPlacelessConstructor(item)) return arrivals;
    const branch = this.#links.decisionOf(item);
    const kind = this.#items.branches[branch]?.kind;
    if (kind === 'if') return this.#sideCompletions(branch, 0) + this.#sideCompletions(branch, 1);
    const check = this.#links.checkOf(item);
    if (check >= 0) return Math.min(arrivals, this.#sidesAt(check)[0]);
    const whole = this.#probes.of(item.span);
    return whole.hasCode ? Math.min(arrivals, Math.round(whole.completions)) : arrivals;
  }

  /**
   * Returns true for a statement in a constructor body whose creation code has no source map. Only completed
   * creations are counted there, so each statement completed.
   */
  #isOfPlacelessConstructor({ entry }: StatementItem): boolean {
    if (this.#isExact || entry.kind !== 'function') return false;
    const item = this.#items.functions[entry.index];
    return item?.kind === 'constructor' && !this.#probes.of(item.span).hasCode;
  }

  /** Returns the statements in these constructors that are checks, by index of the check's branch. */
  #placelessChecks(): ReadonlyMap<number, number> {
    this.#checks ??= new Map(
      this.#items.statements.flatMap((item, index) =>
        this.#isOfPlacelessConstructor(item) ? [[this.#links.checkOf(item), index] as const] : [],
      ),
    );
    return this.#checks;
  }

  /** Returns how often a side of an `if` completed. */
  #sideCompletions(branch: number, side: 0 | 1): number {
    const last = this.#links.lastOfSide(branch, side);
    return last < 0 ? this.#sidesAt(branch)[side] : this.#completionsOf(last);
  }

  #entriesOf(entry: BlockEntry): number {
    if (entry.kind === 'branch') return this.#sidesAt(entry.index)[entry.side];
    if (entry.kind === 'function') return this.#runsOf(entry.index);
    const arrivals = this.arrivalsAt(entry.index);
    if (entry.kind === 'statement') return arrivals;
    const first = this.#links.firstInside(entry.index);
    return first < 0 || this.#isExact ? arrivals : Math.max(0, arrivals - this.arrivalsAt(first));
  }

  /** Returns how often the body of a function began. */
  callsOf(index: number): number {
    const item = this.#items.functions[index];
    if (item === undefined) return 0;
    return item.first >= 0 ? this.arrivalsAt(item.first) : this.#runsOf(index);
  }

  /** Returns how often a function ran whose body has no code at its start. */
  #runsOf(index: number): number {
    const item = this.#items.functions[index];
    if (item === undefined) return 0;
    const { returns, ends } = this.#probes.of(item.span);
    if (this.#isExact && (returns > 0 || ends > 0)) return returns > 0 ? returns : ends;
    const outside = this.#outsideCallsOf(index);
    // Only a creation runs a constructor.
    if (outside !== null && (outside > 0 || item.kind === 'constructor')) return outside;
    if (returns > 0 || ends > 0) return returns > 0 ? returns : ends;
    const used = this.#usesOf(item);
    return used > 0 || this.#isExact ? used : this.#internalCallsOf(item);
  }

  /** Returns how often a function was called, from other counts than its own code. */
  #calledTimes(index: number): number {
    const item = this.#items.functions[index];
    if (item === undefined) return 0;
    return (this.#outsideCallsOf(index) ?? 0) || this.#usesOf(item) || this.#internalCallsOf(item);
  }

  #outsideCallsOf(index: number): number | null {
    const known = this.#probes.outsideCalls(index);
    if (known === null) return null;
    return this.#items.functions[index]?.hasModifiers === true ? known.completions : known.calls;
  }

  /** Returns how often the functions with this modifier ran. */
  #usesOf({ declaration }: FunctionItem): number {
    const users = declaration === null ? undefined : this.#counter.code.files.modified.get(declaration);
    return users === undefined ? 0 : this.#counter.runsOf(users);
  }

  /**
   * Returns how often statements called a function. This is the only count of an inlined function. For an
   * overridden function the count is 0, because the tree does not show which override a call runs.
   */
  #internalCallsOf({ declaration }: FunctionItem): number {
    const { overridden, files } = this.#counter.code;
    if (declaration === null || overridden.has(declaration)) return 0;
    return this.#counter.callsBy(files.callers.get(declaration) ?? []);
  }

  #sidesAt(index: number): readonly [number, number] {
    const known = this.#sides.get(index);
    if (known !== undefined) return known;
    this.#sides.set(index, [0, 0]);
    const branch = this.#items.branches[index];
    const check = this.#placelessChecks().get(index);
    const measured = branch === undefined ? ([0, 0] as const) : this.#sidesOf(branch);
    const sides = check === undefined ? measured : ([this.arrivalsAt(check), 0] as const);
    this.#sides.set(index, sides);
    return sides;
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
        const passed = Math.min(Math.round(whole.completions), whole.entries);
        return [passed, whole.entries - passed];
      }
      case 'or':
        return [Math.max(0, whole.entries - (second?.entries ?? 0)), second?.entries ?? 0];
    }
  }

  /** Returns true if a conditional jump shows which side was taken. */
  #isDecided({ span }: BranchItem): boolean {
    return this.#probes.decision(span)?.isSeen === true;
  }

  #ifSides({ span }: BranchItem, first: Probe | null, second: Probe | null): readonly [number, number] {
    const probe = this.#probes.of(span);
    const statement = probe.hasCode || this.#isExact ? -1 : this.#links.statementAt(span);
    // If the optimizer merged two decisions, their jump counts for the other decision. The sides of this
    // decision still have their own counts.
    const arrivals = statement < 0 ? probe.entries : this.arrivalsAt(statement);
    const taken = first?.entries ?? Math.max(0, arrivals - (second?.entries ?? 0));
    return [taken, second?.entries ?? Math.max(0, arrivals - taken)];
  }

  #sideOf(side: BranchItem['sides'][number]): Probe | null {
    const probe = side === null ? null : this.#probes.of(side);
    return probe?.hasCode === true ? probe : null;
  }
}
