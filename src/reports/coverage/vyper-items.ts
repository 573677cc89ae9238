/** Reads coverage items from Vyper's syntax tree. */

import { LineTable } from '../../artifacts/source-map.ts';
import type { Steps } from '../../primitives/steps.ts';
import type {
  BlockEntry,
  BranchItem,
  FunctionItem,
  SourceItems,
  Span,
  StatementItem,
} from './source-items.ts';

/** A node of the tree. A member of an unexpected type counts as missing. */
type Node = Readonly<Record<string, unknown>>;

const ENDS: ReadonlySet<unknown> = new Set(['Return', 'Raise', 'Break', 'Continue']);
/** Maximum nesting. Compilers do not produce deeper trees. */
const DEEPEST = 400;
/** Units of work per function of the tree. */
const FUNCTION_WORK = 10_000;

function nodeOf(value: unknown): Node | null {
  return typeof value === 'object' && value !== null && 'ast_type' in value ? (value as Node) : null;
}

function nodesOf(value: unknown): Node[] {
  return Array.isArray(value) ? value.map(nodeOf).filter((node) => node !== null) : [];
}

/**
 * Returns the items of a module with this file name and text; `null` if `tree` is not a syntax tree of Vyper
 * 0.3 or later.
 */
export function* vyperItems(tree: unknown, name: string, content: string): Steps<SourceItems | null> {
  const members = typeof tree === 'object' && tree !== null && 'ast' in tree ? tree.ast : tree;
  const root = nodeOf(members);
  if (root?.ast_type !== 'Module') return null;
  const reader = new VyperReader(moduleName(name), yield* LineTable.read(content));
  for (const node of nodesOf(root.body)) {
    if (node.ast_type === 'FunctionDef') reader.function(node);
    yield FUNCTION_WORK;
  }
  return reader.items();
}

/** Returns the name of a Vyper contract: its file name without the extension. */
export function moduleName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1).replace(/[.]vy$/, '');
}

class VyperReader {
  readonly #module: string;
  readonly #lines: LineTable;
  readonly #statements: StatementItem[] = [];
  readonly #functions: FunctionItem[] = [];
  readonly #branches: BranchItem[] = [];

  constructor(module: string, lines: LineTable) {
    this.#module = module;
    this.#lines = lines;
  }

  items(): SourceItems {
    const functions = this.#functions.map((_, index) => index);
    return {
      contracts: [{ name: this.#module, declaration: null, line: [], functions }],
      statements: this.#statements,
      functions: this.#functions,
      branches: this.#branches,
      calls: [],
      modified: [],
    };
  }

  function(node: Node): void {
    const span = this.#spanOf(node);
    if (span === null || typeof node.name !== 'string') return;
    const index = this.#functions.length;
    const first = this.#statements.length;
    this.#block(node.body, { kind: 'function', index }, 0);
    this.#functions.push({
      line: lineOf(node),
      name: `${this.#module}.${node.name}`,
      span,
      first: this.#statements.length > first ? first : -1,
      selector: null,
      hasModifiers: false,
      kind: KINDS.get(node.name) ?? 'function',
      overrides: [],
      declaration: null,
    });
  }

  #block(body: unknown, entry: BlockEntry, depth: number): void {
    let before = -1;
    for (const statement of nodesOf(body)) {
      before = this.#statement(statement, before, entry, depth + 1) ?? before;
    }
  }

  /** Returns the index of the statement; `null` if it is not counted. */
  #statement(node: Node, before: number, entry: BlockEntry, depth: number): number | null {
    const span = this.#spanOf(node);
    if (span === null || depth > DEEPEST) return null;
    const index = this.#statements.length;
    const isLoop = node.ast_type === 'For';
    this.#statements.push({
      line: lineOf(node),
      span,
      isLoop,
      isEnd: ENDS.has(node.ast_type),
      before,
      entry,
    });
    if (node.ast_type === 'If') {
      const [first = null, second = null] = [node.body, node.orelse].map((body) => this.#firstOf(body));
      const branch = this.#branch(node, 'if', [first, second]);
      this.#expressions(node.test, depth);
      this.#block(node.body, { kind: 'branch', index: branch, side: 0 }, depth);
      this.#block(node.orelse, { kind: 'branch', index: branch, side: 1 }, depth);
    } else if (isLoop) {
      this.#expressions(node.iter, depth);
      this.#block(node.body, { kind: 'statement', index }, depth);
    } else {
      if (node.ast_type === 'Assert') this.#branch(node, 'require', [null, null]);
      for (const part of Object.values(node)) this.#expressions(part, depth);
    }
    return index;
  }

  /** Finds the branches within expressions. */
  #expressions(value: unknown, depth: number): void {
    if (depth > DEEPEST) return;
    if (Array.isArray(value)) {
      for (const item of value) this.#expressions(item, depth + 1);
      return;
    }
    const node = nodeOf(value);
    if (node === null) return;
    if (node.ast_type === 'IfExp') {
      this.#branch(node, 'conditional', [this.#spanOf(nodeOf(node.body)), this.#spanOf(nodeOf(node.orelse))]);
    } else if (node.ast_type === 'BoolOp' && nodeOf(node.op)?.ast_type === 'Or') {
      this.#branch(node, 'or', [null, this.#spanOf(nodesOf(node.values)[1] ?? null)]);
    }
    for (const child of Object.values(node)) this.#expressions(child, depth + 1);
  }

  #branch(node: Node, kind: BranchItem['kind'], sides: BranchItem['sides']): number {
    const span = this.#spanOf(node) ?? { start: 0, end: 0 };
    this.#branches.push({ line: lineOf(node), kind, span, sides });
    return this.#branches.length - 1;
  }

  #firstOf(body: unknown): Span | null {
    return this.#spanOf(nodesOf(body)[0] ?? null);
  }

  #spanOf(node: Node | null): Span | null {
    const place = [node?.lineno, node?.col_offset, node?.end_lineno, node?.end_col_offset];
    const range = this.#lines.rangeOf(place);
    return range === null ? null : { start: range.start, end: range.start + range.length };
  }
}

const KINDS: ReadonlyMap<string, FunctionItem['kind']> = new Map([
  ['__init__', 'constructor'],
  ['__default__', 'fallback'],
]);

function lineOf({ lineno }: Node): number {
  return typeof lineno === 'number' ? lineno : 1;
}
