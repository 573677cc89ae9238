/** Reads the variables that functions declare from solc's syntax trees: parameters, results and locals. */

import { type JsonObject, objectOf } from '../../artifacts/formats/contract-json.ts';
import { SyntaxDefinitions, treesOf } from '../../artifacts/layout/syntax-definitions.ts';
import { typesIn } from '../../artifacts/layout/tree-layout.ts';
import type { SourceRange } from '../../artifacts/source-map.ts';
import { nextIteration } from '../../scheduling/cancel-check.ts';
import type { KnownContract } from '../known-contracts.ts';
import { type DeclaredVariable, declared, definitionsIn, listOf, rangeOf } from './syntax-nodes.ts';

/** A function with the parameters that its caller pushes. */
export interface DeclaredFunction {
  readonly range: SourceRange;
  /** Includes unnamed parameters, because they occupy stack items too. */
  readonly parameters: readonly DeclaredVariable[];
  /** The body of a constructor, entered without a jump; `null` for others, and if a modifier runs first. */
  readonly constructorBody: SourceRange | null;
}

/** A parameter of a modifier. The function that uses the modifier evaluates the argument onto the stack. */
export interface ModifierArgument {
  readonly range: SourceRange;
  readonly parameter: DeclaredVariable;
}

/** A clause of a `try` statement. Its parameters are on top of the stack at the start of its block. */
export interface DeclaredClause {
  readonly block: SourceRange;
  readonly parameters: readonly DeclaredVariable[];
}

/** The functions and variables that a contract's files declare. */
export interface DeclaredVariables {
  readonly functions: readonly DeclaredFunction[];
  /** Results and locals, which the function itself pushes. */
  readonly variables: readonly DeclaredVariable[];
  readonly modifiers: readonly SourceRange[];
  readonly modifierArguments: readonly ModifierArgument[];
  readonly clauses: readonly DeclaredClause[];
  /** The functions and modifiers that declare the variables. */
  readonly owners: ReadonlyMap<DeclaredVariable, SourceRange>;
}

/** Variables to read before the next yield. */
const VARIABLES_IN_A_TURN = 1_000;
/** Maximum parameters of a function, because the stack has 1,024 items. */
const MAX_PARAMETERS = 1_024;

/** The declarations and `try` clauses of a body. Parameters of clauses are declarations of their clause only. */
interface BodyParts {
  readonly declarations: JsonObject[];
  readonly clauses: JsonObject[];
}

/** Returns the parts below a node. The walk is iterative because trees can be deep. */
function partsOf(root: unknown): BodyParts {
  const parts: BodyParts = { declarations: [], clauses: [] };
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    const node = Array.isArray(value) ? {} : objectOf(value);
    if (node.nodeType === 'VariableDeclaration') {
      parts.declarations.push(node);
    } else if (node.nodeType === 'TryCatchClause') {
      parts.clauses.push(node);
      open.push(node.block);
    } else for (const member of Object.values(value)) if (typeof member === 'object') open.push(member);
  }
  return parts;
}

function isConstructor({ kind, isConstructor: old }: JsonObject): boolean {
  return kind === 'constructor' || old === true;
}

function bodyOfConstructor(node: JsonObject): SourceRange | null {
  const isEntered = listOf(node.modifiers).every(({ kind }) => kind === 'baseConstructorSpecifier');
  return isConstructor(node) && isEntered ? rangeOf(objectOf(node.body)) : null;
}

function nonNull<Value>(value: Value | null): value is Value {
  return value !== null;
}

/** Resolves to the declarations in a contract's files; `null` without a syntax tree. */
export async function declaredVariables(contract: KnownContract): Promise<DeclaredVariables | null> {
  const { contract: indexed } = contract.match;
  const sources = await indexed.sources().catch(() => null);
  if (sources === null) return null;
  const definitions = new SyntaxDefinitions();
  const found: JsonObject[] = [];
  for await (const { tree } of treesOf(sources, indexed.sourceName)) {
    definitions.add(tree);
    for (const definition of definitionsIn(tree)) found.push(definition);
  }
  if (found.length === 0) return null;
  const typeOf = typesIn(definitions);
  const parametersOf = (node: JsonObject): (DeclaredVariable | null)[] =>
    listOf(objectOf(node.parameters).parameters).map((each) => declared(each, typeOf));
  const functions: DeclaredFunction[] = [];
  const variables: DeclaredVariable[] = [];
  const modifiers: SourceRange[] = [];
  const modifierArguments: ModifierArgument[] = [];
  const clauses: DeclaredClause[] = [];
  const owners = new Map<DeclaredVariable, SourceRange>();
  const own = (variables: readonly (DeclaredVariable | null)[], range: SourceRange): void => {
    for (const variable of variables) if (variable !== null) owners.set(variable, range);
  };
  /** The parameters of modifiers, by AST id. */
  const ofModifiers = new Map<unknown, (DeclaredVariable | null)[]>();
  const ranges = new Map(found.map((node) => [node, rangeOf(node)]));
  for (const [node, range] of ranges) {
    if (node.nodeType !== 'ModifierDefinition' || range === null) continue;
    modifiers.push(range);
    const parameters = parametersOf(node);
    own(parameters, range);
    ofModifiers.set(node.id, parameters);
  }
  let read = 0;
  for (const [node, range] of ranges) {
    if (range === null) continue;
    const parameters = parametersOf(node);
    own(parameters, range);
    // If one parameter is invalid, the stack positions of the others are unknown.
    const fitOnStack = parameters.length <= MAX_PARAMETERS;
    if (node.nodeType === 'FunctionDefinition' && fitOnStack && parameters.every(nonNull))
      functions.push({ range, parameters, constructorBody: bodyOfConstructor(node) });
    const parts = partsOf(node.body);
    for (const clause of parts.clauses) {
      const block = rangeOf(objectOf(clause.block));
      const caught = parametersOf(clause);
      own(caught, range);
      if (block !== null && caught.every(nonNull)) clauses.push({ block, parameters: caught });
    }
    for (const { modifierName, arguments: given } of listOf(node.modifiers)) {
      const named = ofModifiers.get(objectOf(modifierName).referencedDeclaration) ?? [];
      for (const [index, argument] of listOf(given).entries()) {
        const parameter = named[index] ?? null;
        const place = rangeOf(argument);
        if (parameter !== null && place !== null) modifierArguments.push({ range: place, parameter });
      }
    }
    const rest = [...listOf(objectOf(node.returnParameters).parameters), ...parts.declarations];
    for (const each of rest) {
      const variable = declared(each, typeOf);
      if (variable === null) continue;
      variables.push(variable);
      own([variable], range);
    }
    if (variables.length - read > VARIABLES_IN_A_TURN) {
      read = variables.length;
      await nextIteration();
    }
  }
  return { functions, variables, modifiers, modifierArguments, clauses, owners };
}
