/**
 * Reads which variables a function has at a place of its source, and which values are provable. Optimized code
 * moves variables and removes them, so their stack positions are unknown.
 */

import { type JsonObject, objectOf, textOf } from '../../artifacts/formats/contract-json.ts';
import { SyntaxDefinitions, treesOf } from '../../artifacts/layout/syntax-definitions.ts';
import { type TypeOfName, typesIn } from '../../artifacts/layout/tree-layout.ts';
import type { SourceRange } from '../../artifacts/source-map.ts';
import { nextIteration } from '../../scheduling/cancel-check.ts';
import type { KnownContract } from '../known-contracts.ts';
import { type DeclaredVariable, declared, definitionsIn, listOf, rangeOf } from './syntax-nodes.ts';

export interface ScopedVariable {
  readonly variable: DeclaredVariable;
  /** The block or function that the variable is visible in. */
  readonly scope: SourceRange;
  /** The first byte after the declaration; the start of the scope for parameters and results. */
  readonly from: number;
  /** The value of an integer that has a constant value and is never assigned; `null` for others. */
  readonly constant: string | null;
}

/** A function or modifier with its variables. */
export interface ScopedFunction {
  readonly range: SourceRange;
  /** In source order. */
  readonly variables: readonly ScopedVariable[];
  /**
   * The parameters in order, if messages are the only callers of the function; `null` if other functions can
   * call it.
   */
  readonly messageParameters: readonly MessageParameter[] | null;
  /** The selector as 8 hex digits; `null` if unknown. */
  readonly selector: string | null;
}

export interface MessageParameter {
  /** `null` if the declaration is invalid. */
  readonly variable: DeclaredVariable | null;
  /** True if the function never assigns it. */
  readonly isConstant: boolean;
}

const SCOPES: ReadonlySet<unknown> = new Set(['Block', 'UncheckedBlock', 'ForStatement', 'TryCatchClause']);
const INTEGER_CONSTANT = /^int_const (-?\d+)$/;
const INTEGER = /^u?int\d*$/;
/** Functions to read before the next yield. */
const FUNCTIONS_IN_A_TURN = 200;

/** The variables and assignments of a body. */
interface Body {
  readonly declarations: {
    readonly node: JsonObject;
    readonly scope: SourceRange;
    readonly from: number;
    readonly value: unknown;
  }[];
  /** AST ids of the variables that statements or assembly assign. */
  readonly assigned: Set<unknown>;
}

/** Adds the variables of the left-hand side of an assignment, also of tuples. */
function addAssigned(side: unknown, assigned: Set<unknown>): void {
  const open = [objectOf(side)];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.nodeType === 'Identifier') assigned.add(node.referencedDeclaration);
    if (node.nodeType === 'TupleExpression') open.push(...listOf(node.components));
  }
}

const ASSIGNING: ReadonlySet<unknown> = new Set(['++', '--', 'delete']);

/** Reads the body of a function. The walk is iterative because trees can be deep. */
function bodyOf(root: unknown, around: SourceRange): Body {
  const body: Body = { declarations: [], assigned: new Set() };
  const open: { readonly value: unknown; readonly scope: SourceRange; readonly isAssembly: boolean }[] = [
    { value: root, scope: around, isAssembly: false },
  ];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { value } = item;
    if (typeof value !== 'object' || value === null) continue;
    const node = Array.isArray(value) ? {} : objectOf(value);
    const scope = (SCOPES.has(node.nodeType) ? rangeOf(node) : null) ?? item.scope;
    const isAssembly = item.isAssembly || node.nodeType === 'InlineAssembly';
    // Assembly can assign each variable that it names.
    if (isAssembly && node.declaration !== undefined) body.assigned.add(node.declaration);
    if (node.nodeType === 'Assignment') addAssigned(node.leftHandSide, body.assigned);
    if (node.nodeType === 'UnaryOperation' && ASSIGNING.has(node.operator))
      addAssigned(node.subExpression, body.assigned);
    if (node.nodeType === 'VariableDeclarationStatement') {
      const range = rangeOf(node);
      const declarations = listOf(node.declarations).filter((each) => each.nodeType !== undefined);
      for (const each of declarations) {
        const from = range === null ? scope.start : range.start + range.length;
        const initial = declarations.length === 1 ? node.initialValue : null;
        body.declarations.push({ node: each, scope, from, value: initial });
      }
      open.push({ value: node.initialValue, scope, isAssembly });
      continue;
    }
    if (node.nodeType === 'TryCatchClause') {
      for (const each of listOf(objectOf(node.parameters).parameters))
        body.declarations.push({ node: each, scope, from: scope.start, value: null });
      open.push({ value: node.block, scope, isAssembly });
      continue;
    }
    for (const member of Object.values(value))
      if (typeof member === 'object') open.push({ value: member, scope, isAssembly });
  }
  return body;
}

/** Returns the value of a constant expression as the text of an integer; `null` for other expressions. */
function constantOf({ label }: DeclaredVariable, value: unknown): string | null {
  if (!INTEGER.test(label)) return null;
  const described = objectOf(objectOf(value).typeDescriptions);
  return INTEGER_CONSTANT.exec(textOf(described.typeString) ?? '')?.[1] ?? null;
}

/** Adds the names of all functions that expressions refer to, except by declaration. */
function addReferredNames(tree: unknown, names: Set<unknown>): void {
  const open: unknown[] = [tree];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    const node = Array.isArray(value) ? {} : objectOf(value);
    if (node.nodeType === 'Identifier') names.add(node.name);
    if (node.nodeType === 'MemberAccess') names.add(node.memberName);
    for (const member of Object.values(value)) if (typeof member === 'object') open.push(member);
  }
}

function scopedFunction(
  node: JsonObject,
  range: SourceRange,
  typeOf: TypeOfName,
  referred: ReadonlySet<unknown>,
): ScopedFunction {
  const { declarations, assigned } = bodyOf(node.body, range);
  const parameters = listOf(objectOf(node.parameters).parameters);
  const results = listOf(objectOf(node.returnParameters).parameters);
  const variables: ScopedVariable[] = [];
  const add = (each: JsonObject, scope: SourceRange, from: number, value: unknown): void => {
    const variable = declared(each, typeOf);
    if (variable === null || variable.name === '') return;
    const constant = assigned.has(each.id) ? null : constantOf(variable, value);
    variables.push({ variable, scope, from, constant });
  };
  for (const each of [...parameters, ...results]) add(each, range, range.start, null);
  declarations.sort((left, right) => left.from - right.from);
  for (const { node: each, scope, from, value } of declarations) add(each, scope, from, value);
  const { visibility, name, functionSelector } = node;
  // Other functions can call a public function by its name, also through a base contract.
  const isMessageOnly = visibility === 'external' || (visibility === 'public' && !referred.has(name));
  const messageParameters = parameters.map((each) => ({
    variable: declared(each, typeOf),
    isConstant: !assigned.has(each.id),
  }));
  return {
    range,
    variables,
    messageParameters: isMessageOnly && node.nodeType === 'FunctionDefinition' ? messageParameters : null,
    selector: textOf(functionSelector),
  };
}

/** Resolves to the functions and modifiers in a contract's files; `null` without a syntax tree. */
export async function scopedFunctions(contract: KnownContract): Promise<readonly ScopedFunction[] | null> {
  const { contract: indexed } = contract.match;
  const sources = await indexed.sources().catch(() => null);
  if (sources === null) return null;
  const definitions = new SyntaxDefinitions();
  const nodes: JsonObject[] = [];
  const referred = new Set<unknown>();
  for await (const { tree } of treesOf(sources, indexed.sourceName)) {
    definitions.add(tree);
    addReferredNames(tree, referred);
    for (const definition of definitionsIn(tree)) nodes.push(definition);
  }
  if (nodes.length === 0) return null;
  const typeOf = typesIn(definitions);
  const functions: ScopedFunction[] = [];
  for (const node of nodes) {
    const range = rangeOf(node);
    if (range !== null) functions.push(scopedFunction(node, range, typeOf, referred));
    if (functions.length % FUNCTIONS_IN_A_TURN === 0) await nextIteration();
  }
  return functions;
}
