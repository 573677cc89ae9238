/** The items of a source file that coverage counts: statements, functions and branches. */

import type { Steps } from '../../primitives/steps.ts';

/** A source range in UTF-8 bytes. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The item with the count of a statement without code and without a previous statement in its block. */
export type BlockEntry =
  | { readonly kind: 'function'; readonly index: number }
  | { readonly kind: 'branch'; readonly index: number; readonly side: 0 | 1 }
  | { readonly kind: 'statement'; readonly index: number }
  | { readonly kind: 'catch'; readonly index: number };

export interface StatementItem {
  /** From 1. */
  readonly line: number;
  readonly span: Span;
  readonly isLoop: boolean;
  /** True for `return`, `revert`, `break`, `continue`: the next statement of the block does not run. */
  readonly isEnd: boolean;
  /** The index of the previous statement in its block; -1 for the first one. */
  readonly before: number;
  readonly entry: BlockEntry;
}

export interface FunctionItem {
  readonly line: number;
  readonly name: string;
  readonly span: Span;
  /** The index of the first statement of its body; -1 for none. */
  readonly first: number;
  /** The selector for outside calls (eight digits); `null` if they cannot call it, or if it is unknown. */
  readonly selector: string | null;
  readonly hasModifiers: boolean;
  readonly kind: 'function' | 'constructor' | 'receive' | 'fallback' | 'modifier';
  /** The AST id of its declaration, unique within a compilation; `null` without a syntax tree. */
  readonly declaration: number | null;
  /** The declarations of the functions that it overrides. */
  readonly overrides: readonly number[];
}

/** A use of a function or modifier, by its declaration. */
export interface FunctionUse {
  readonly declaration: number;
  /** The index of the calling statement, or of the function with the modifier. */
  readonly user: number;
}

/** The counted decisions; each has two sides. */
export type BranchKind = 'if' | 'conditional' | 'require' | 'or';

export interface BranchItem {
  readonly line: number;
  readonly kind: BranchKind;
  /** The range of the whole decision. */
  readonly span: Span;
  /** The code of the first and the second side; `null` for none. */
  readonly sides: readonly [Span | null, Span | null];
}

/** A contract and its base contracts. */
export interface ContractItem {
  readonly name: string;
  /** The AST id of its declaration; `null` in Vyper. */
  readonly declaration: number | null;
  /** The declarations of its base contracts, nearest first. The first one may be the contract itself. */
  readonly line: readonly number[];
  readonly functions: readonly number[];
}

export interface SourceItems {
  readonly contracts: readonly ContractItem[];
  readonly statements: readonly StatementItem[];
  readonly functions: readonly FunctionItem[];
  readonly branches: readonly BranchItem[];
  /** The statements that always call a function when they run, as an internal call. */
  readonly calls: readonly FunctionUse[];
  /** The functions with modifiers. */
  readonly modified: readonly FunctionUse[];
}

/** The links between the statements and decisions of a file. All codes of the file share them. */
export class ItemLinks {
  /** By statement: the next one in its block; -1 for none. */
  readonly #followers: Int32Array;
  /** By range of a statement that is a decision. */
  readonly #decisions = new Map<Span, number>();
  /** By start byte, in source order. */
  readonly #checks = new Map<number, number[]>();
  /** By decision: the last statement of each side. */
  readonly #lastOfSides = new Map<number, [number, number]>();
  readonly #firstInside = new Map<number, number>();
  readonly #branches: readonly BranchItem[];
  readonly #statements = new Map<Span, number>();

  constructor({ statements, branches }: SourceItems) {
    this.#branches = branches;
    this.#followers = new Int32Array(statements.length).fill(-1);
    for (const [index, { span, kind }] of branches.entries()) {
      if (!this.#decisions.has(span)) this.#decisions.set(span, index);
      if (kind !== 'require') continue;
      const before = this.#checks.get(span.start);
      if (before === undefined) this.#checks.set(span.start, [index]);
      else before.push(index);
    }
    for (const [index, { span, before, entry }] of statements.entries()) {
      this.#statements.set(span, index);
      if (before >= 0 && this.#followers[before] === -1) this.#followers[before] = index;
      if (entry.kind === 'statement' && !this.#firstInside.has(entry.index)) {
        this.#firstInside.set(entry.index, index);
      }
      if (entry.kind !== 'branch') continue;
      const sides = this.#lastOfSides.get(entry.index) ?? [-1, -1];
      sides[entry.side] = index;
      this.#lastOfSides.set(entry.index, sides);
    }
  }

  /** Returns the index of the next statement in the block; -1 for none. */
  followerOf(statement: number): number {
    return this.#followers[statement] ?? -1;
  }

  /** Returns the index of the decision that the statement is; -1 for none. */
  decisionOf({ span }: StatementItem): number {
    return this.#decisions.get(span) ?? -1;
  }

  /** Returns the index of the statement with exactly this range; -1 for none. */
  statementAt(span: Span): number {
    return this.#statements.get(span) ?? -1;
  }

  /** Returns the index of the check (`require`, `assert`) that the statement is; -1 for none. */
  checkOf({ span }: StatementItem): number {
    const checks = this.#checks.get(span.start) ?? [];
    return checks.find((index) => (this.#branches[index]?.span.end ?? span.end + 1) <= span.end) ?? -1;
  }

  /** Returns the index of the last statement on a side of a decision; -1 for none. */
  lastOfSide(decision: number, side: 0 | 1): number {
    return this.#lastOfSides.get(decision)?.[side] ?? -1;
  }

  /** Returns the index of the first statement within a statement; -1 for none. */
  firstInside(statement: number): number {
    return this.#firstInside.get(statement) ?? -1;
  }
}

/** Returns the range as a map key. */
function keyOf({ start, end }: Span): string {
  return `${start}:${end}`;
}

/** Units of work per range, and per check for a loop in it. */
const RANGE_WORK = 500;
const LOOP_WORK = 5;

interface CountedRange {
  readonly span: Span;
  readonly isStatement: boolean;
  readonly hasLoop: boolean;
}

/** The counted ranges of a file. All codes of the file share them. */
export class FileRanges {
  /** In order of their start. */
  readonly ranges: readonly CountedRange[];
  /** The indexes of the ranges, by start and end. */
  readonly #indexes = new Map<string, number>();
  /** The decisions, by start and end of the whole. */
  readonly #branches = new Map<string, BranchItem>();
  /** The indexes of the ranges around another one, by its start and end. */
  readonly #around = new Map<string, readonly number[]>();

  private constructor(ranges: readonly CountedRange[], branches: readonly BranchItem[]) {
    this.ranges = ranges;
    for (const [index, { span }] of ranges.entries()) this.#indexes.set(keyOf(span), index);
    for (const item of branches) this.#branches.set(keyOf(item.span), item);
  }

  /** Collects the ranges of the items. Yields between time slices. */
  static *of(items: SourceItems): Steps<FileRanges> {
    const loops = items.statements.filter(({ isLoop }) => isLoop).map(({ span }) => span);
    const byKey = new Map<string, CountedRange>();
    const spans: (readonly [Span, boolean])[] = [
      ...items.statements.map(({ span }) => [span, true] as const),
      ...items.functions.map(({ span }) => [span, false] as const),
      ...items.branches.flatMap(({ span, sides }) =>
        [span, ...sides].flatMap((each) => (each === null ? [] : [[each, false] as const])),
      ),
    ];
    for (const [span, isStatement] of spans) {
      yield RANGE_WORK + LOOP_WORK * loops.length;
      if (byKey.has(keyOf(span))) continue;
      const hasLoop = loops.some((loop) => loop.start >= span.start && loop.end <= span.end);
      byKey.set(keyOf(span), { span, isStatement, hasLoop });
    }
    const ranges = [...byKey.values()].sort((left, right) => left.span.start - right.span.start);
    return new FileRanges(ranges, items.branches);
  }

  /** Returns the index of a range; -1 if it is not counted. */
  indexOf(span: Span): number {
    return this.#indexes.get(keyOf(span)) ?? -1;
  }

  /** Returns the decision with exactly this range; `undefined` for none. */
  decision(span: Span): BranchItem | undefined {
    return this.#branches.get(keyOf(span));
  }

  /** Returns the indexes of the ranges that contain this source range. */
  around(start: number, end: number): readonly number[] {
    const key = `${start}:${end}`;
    const known = this.#around.get(key);
    if (known !== undefined) return known;
    const found: number[] = [];
    for (const [index, { span }] of this.ranges.entries()) {
      if (span.start > start) break;
      if (span.end >= end) found.push(index);
    }
    this.#around.set(key, found);
    return found;
  }
}

/** Appends a number to names that several functions have: `Token.mint.0`, `Token.mint.1`. */
export function withUniqueNames(functions: readonly FunctionItem[]): FunctionItem[] {
  const total = new Map<string, number>();
  for (const { name } of functions) total.set(name, (total.get(name) ?? 0) + 1);
  const used = new Map<string, number>();
  return functions.map((item) => {
    if (total.get(item.name) === 1) return item;
    const number = used.get(item.name) ?? 0;
    used.set(item.name, number + 1);
    return { ...item, name: `${item.name}.${number}` };
  });
}
