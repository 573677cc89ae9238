/** Reads coverage items from solc's syntax tree. */

import type { SourceOutline } from '../../artifacts/source-outline.ts';
import type { Steps } from '../../primitives/steps.ts';
import {
  type BlockEntry,
  type BranchItem,
  type ContractItem,
  type FunctionItem,
  type FunctionUse,
  type SourceItems,
  type Span,
  type StatementItem,
  withUniqueNames,
} from './source-items.ts';

/** A node of the tree. A member of an unexpected type counts as missing. */
type Node = Readonly<Record<string, unknown>>;

type Open<Item> = { -readonly [Key in keyof Item]: Item[Key] };

const SRC = /^(\d+):(\d+):/;
/** Maximum nesting. Compilers do not produce deeper trees. */
const DEEPEST = 400;
const LOGICAL: ReadonlySet<unknown> = new Set(['&&', '||']);
const CHECKS: ReadonlySet<unknown> = new Set(['require', 'assert']);
const LOOPS: ReadonlySet<unknown> = new Set(['ForStatement', 'WhileStatement', 'DoWhileStatement']);
const ENDS: ReadonlySet<unknown> = new Set(['Return', 'RevertStatement', 'Throw', 'Break', 'Continue']);

function nodeOf(value: unknown): Node | null {
  return typeof value === 'object' && value !== null && 'nodeType' in value ? (value as Node) : null;
}

function nodesOf(value: unknown): Node[] {
  if (!Array.isArray(value)) return [];
  return value.map(nodeOf).filter((node) => node !== null);
}

function spanOf(node: Node | null): Span | null {
  const [, start, length] = SRC.exec(typeof node?.src === 'string' ? node.src : '') ?? [];
  return start === undefined ? null : { start: Number(start), end: Number(start) + Number(length) };
}

/** Units of work per function of the tree. */
const FUNCTION_WORK = 10_000;

/** Returns the items of a file; `null` if the value is not a syntax tree of solc 0.4.12 or later. */
export function* syntaxItems(tree: unknown, outline: SourceOutline): Steps<SourceItems | null> {
  const root = nodeOf(tree);
  if (root?.nodeType !== 'SourceUnit' || !Array.isArray(root.nodes)) return null;
  const reader = new SyntaxReader(outline);
  for (const node of nodesOf(root.nodes)) yield* reader.topLevel(node);
  return reader.items();
}

class SyntaxReader {
  readonly #outline: SourceOutline;
  readonly #statements: StatementItem[] = [];
  readonly #functions: Open<FunctionItem>[] = [];
  readonly #branches: BranchItem[] = [];
  readonly #contracts: ContractItem[] = [];
  readonly #calls: FunctionUse[] = [];
  readonly #modified: FunctionUse[] = [];
  /** The index of the current statement. */
  #statementIndex = -1;

  constructor(outline: SourceOutline) {
    this.#outline = outline;
  }

  items(): SourceItems {
    return {
      contracts: this.#contracts,
      statements: this.#statements,
      functions: withUniqueNames(this.#functions),
      branches: this.#branches,
      calls: this.#calls,
      modified: this.#modified,
    };
  }

  *topLevel(node: Node): Steps<void> {
    if (node.nodeType === 'FunctionDefinition') this.#function(node, null);
    if (node.nodeType !== 'ContractDefinition') return;
    const contract = typeof node.name === 'string' ? node.name : null;
    const first = this.#functions.length;
    for (const member of nodesOf(node.nodes)) {
      if (member.nodeType === 'FunctionDefinition' || member.nodeType === 'ModifierDefinition') {
        this.#function(member, contract);
      }
      yield FUNCTION_WORK;
    }
    if (contract === null || typeof node.id !== 'number') return;
    const line = Array.isArray(node.linearizedBaseContracts) ? node.linearizedBaseContracts : [node.id];
    this.#contracts.push({
      name: contract,
      declaration: node.id,
      line: line.filter((number) => typeof number === 'number'),
      functions: this.#functions.slice(first).map((_, index) => first + index),
    });
  }

  #function(node: Node, contract: string | null): void {
    const span = spanOf(node);
    const body = nodeOf(node.body);
    if (span === null || body === null) return;
    const index = this.#functions.length;
    const found: Open<FunctionItem> = {
      line: this.#lineOf(span),
      name: contract === null ? nameOf(node) : `${contract}.${nameOf(node)}`,
      span,
      first: -1,
      selector: typeof node.functionSelector === 'string' ? node.functionSelector : null,
      hasModifiers: nodesOf(node.modifiers).length > 0,
      kind: kindOf(node),
      declaration: typeof node.id === 'number' ? node.id : null,
      overrides: Array.isArray(node.baseFunctions)
        ? node.baseFunctions.filter((number) => typeof number === 'number')
        : [],
    };
    this.#functions.push(found);
    for (const { modifierName } of nodesOf(node.modifiers)) {
      const declaration = nodeOf(modifierName)?.referencedDeclaration;
      if (typeof declaration === 'number') this.#modified.push({ declaration, user: index });
    }
    const first = this.#statements.length;
    this.#block(body, { kind: 'function', index }, 0);
    if (this.#statements.length > first) found.first = first;
  }

  #block(block: Node, entry: BlockEntry, depth: number): void {
    let before = -1;
    for (const statement of nodesOf(block.statements)) {
      before = this.#statement(statement, before, entry, depth + 1) ?? before;
    }
  }

  /** Reads a body: a block, or one statement without braces. */
  #body(value: unknown, entry: BlockEntry, depth: number): void {
    const body = nodeOf(value);
    if (body === null) return;
    if (body.nodeType === 'Block') this.#block(body, entry, depth);
    else this.#statement(body, -1, entry, depth + 1);
  }

  /** Returns the index of the statement; `null` if it is not counted. */
  #statement(node: Node, before: number, entry: BlockEntry, depth: number): number | null {
    const span = spanOf(node);
    if (span === null || depth > DEEPEST) return null;
    const index = this.#statements.length;
    const item: StatementItem = {
      line: this.#lineOf(span),
      span,
      isLoop: LOOPS.has(node.nodeType),
      isEnd: ENDS.has(node.nodeType) || isRevert(node),
      before,
      entry,
    };
    this.#statements.push(item);
    this.#statementIndex = index;
    const inside: BlockEntry = { kind: 'statement', index };
    switch (node.nodeType) {
      case 'IfStatement': {
        const sides = [node.trueBody, node.falseBody].map((body) => firstOf(nodeOf(body)));
        const branch = this.#branch('if', span, [sides[0] ?? null, sides[1] ?? null]);
        this.#expressions(node.condition, depth);
        this.#body(node.trueBody, { kind: 'branch', index: branch, side: 0 }, depth);
        this.#body(node.falseBody, { kind: 'branch', index: branch, side: 1 }, depth);
        break;
      }
      case 'ForStatement':
        for (const part of [node.initializationExpression, node.condition, node.loopExpression]) {
          this.#expressions(part, depth, part !== node.loopExpression);
        }
        this.#body(node.body, inside, depth);
        break;
      case 'WhileStatement':
      case 'DoWhileStatement':
        this.#expressions(node.condition, depth);
        this.#body(node.body, inside, depth);
        break;
      case 'TryStatement':
        this.#expressions(node.externalCall, depth);
        for (const [number, clause] of nodesOf(node.clauses).entries()) {
          this.#body(clause.block, number === 0 ? inside : { kind: 'catch', index }, depth);
        }
        break;
      case 'UncheckedBlock':
      case 'Block':
        this.#block(node, inside, depth);
        break;
      default:
        this.#expressions(node, depth);
    }
    return index;
  }

  /**
   * Finds the branches and calls within an expression. `isCertain` is true if the expression is always
   * evaluated when its statement runs.
   */
  #expressions(value: unknown, depth: number, isCertain = true): void {
    const node = nodeOf(value);
    const span = spanOf(node);
    if (node === null || span === null || depth > DEEPEST) return;
    if (node.nodeType === 'InlineAssembly') return;
    if (node.nodeType === 'Conditional') {
      const sides = [node.trueExpression, node.falseExpression].map((side) => spanOf(nodeOf(side)));
      this.#branch('conditional', span, [sides[0] ?? null, sides[1] ?? null]);
    } else if (node.nodeType === 'BinaryOperation' && node.operator === '||') {
      this.#branch('or', span, [null, spanOf(nodeOf(node.rightExpression))]);
    } else if (node.nodeType === 'FunctionCall' && isCheck(nodeOf(node.expression))) {
      this.#branch('require', span, [null, null]);
    }
    const called = isCertain ? internallyCalled(node) : null;
    if (called !== null) this.#calls.push({ declaration: called, user: this.#statementIndex });
    const mayEndEarly = node.nodeType === 'BinaryOperation' && LOGICAL.has(node.operator);
    for (const [name, child] of Object.entries(node)) {
      const isCertainToo =
        isCertain && node.nodeType !== 'Conditional' && !(mayEndEarly && name === 'rightExpression');
      if (Array.isArray(child)) for (const item of child) this.#expressions(item, depth + 1, isCertainToo);
      else if (typeof child === 'object') this.#expressions(child, depth + 1, isCertainToo);
    }
  }

  #branch(kind: BranchItem['kind'], span: Span, sides: BranchItem['sides']): number {
    this.#branches.push({ line: this.#lineOf(span), kind, span, sides });
    return this.#branches.length - 1;
  }

  #lineOf({ start }: Span): number {
    return this.#outline.lineOf(start);
  }
}

/** AST ids of the compiler's own declarations are negative, written as unsigned 32-bit or 64-bit numbers. */
const FIRST_BUILT_IN = 2 ** 31;

/** Returns true for the built-in function, false for a user's function of the same name. */
function isCheck(node: Node | null): boolean {
  if (node?.nodeType !== 'Identifier' || !CHECKS.has(node.name)) return false;
  const { referencedDeclaration: number } = node;
  return typeof number !== 'number' || number < 0 || number >= FIRST_BUILT_IN;
}

/** Returns the declaration of an internally called function; `null` for other expressions. */
function internallyCalled({ nodeType, expression }: Node): number | null {
  const called = nodeType === 'FunctionCall' ? nodeOf(expression) : null;
  const { typeIdentifier } = (called?.typeDescriptions ?? {}) as { readonly typeIdentifier?: unknown };
  const isInternal = typeof typeIdentifier === 'string' && typeIdentifier.startsWith('t_function_internal');
  return isInternal && typeof called?.referencedDeclaration === 'number'
    ? called.referencedDeclaration
    : null;
}

function isRevert({ nodeType, expression }: Node): boolean {
  const call = nodeType === 'ExpressionStatement' ? nodeOf(expression) : null;
  return call?.nodeType === 'FunctionCall' && nodeOf(call.expression)?.name === 'revert';
}

/** Returns the range of the first statement of a body; `null` for an empty one. */
function firstOf(body: Node | null): Span | null {
  if (body === null) return null;
  const isBlock = body.nodeType === 'Block' || body.nodeType === 'UncheckedBlock';
  if (!isBlock) return spanOf(body);
  const [first] = nodesOf(body.statements);
  return firstOf(first ?? null);
}

const KINDS = ['constructor', 'receive', 'fallback'] as const;

function kindOf(node: Node): FunctionItem['kind'] {
  if (node.nodeType === 'ModifierDefinition') return 'modifier';
  // Before 0.5, a function only has `isConstructor`, and the fallback function has an empty name.
  if (node.isConstructor === true) return 'constructor';
  if (node.kind === undefined && node.name === '') return 'fallback';
  return KINDS.find((kind) => kind === node.kind) ?? 'function';
}

/** Returns the name of a function or modifier, or its kind if it has no name. */
function nameOf(node: Node): string {
  if (typeof node.name === 'string' && node.name !== '') return node.name;
  return typeof node.kind === 'string' ? node.kind : kindOf(node);
}
