/** Reads the variables that functions declare from solc's syntax trees: parameters, results and locals. */

import { type JsonObject, objectOf, textOf } from '../../artifacts/formats/contract-json.ts';
import { elementaryValue, type StorageType } from '../../artifacts/layout/storage-type.ts';
import { SyntaxDefinitions, treesOf } from '../../artifacts/layout/syntax-definitions.ts';
import { type TypeOfName, typesIn } from '../../artifacts/layout/tree-layout.ts';
import type { SourceRange } from '../../artifacts/source-map.ts';
import { nextIteration } from '../../scheduling/cancel-check.ts';
import type { KnownContract } from '../known-contracts.ts';

/** The location of a variable's data. The stack has the value itself, or a pointer to it. */
export type DataLocation = 'stack' | 'memory' | 'calldata' | 'storage';

export interface DeclaredVariable {
  readonly name: string;
  /** The compiler's name of the type, without the data location: `uint256`, `struct Order`, `bytes`. */
  readonly label: string;
  readonly location: DataLocation;
  /** `null` if the trees do not describe the type. */
  readonly type: StorageType | null;
  /** The number of stack items: two for dynamic arrays in calldata and for external functions. */
  readonly items: 1 | 2;
  readonly range: SourceRange;
}

/** A function with the parameters that its caller pushes. */
export interface DeclaredFunction {
  readonly range: SourceRange;
  /** Includes unnamed parameters, because they occupy stack items too. */
  readonly parameters: readonly DeclaredVariable[];
  /** The body of a constructor, entered without a jump; `null` for others, and if a modifier runs first. */
  readonly constructorBody: SourceRange | null;
}

/** The functions and variables that a contract's files declare. */
export interface DeclaredVariables {
  readonly functions: readonly DeclaredFunction[];
  /** Results and locals, which the function itself pushes. */
  readonly variables: readonly DeclaredVariable[];
}

/** Variables to read before the next yield. */
const VARIABLES_IN_A_TURN = 1_000;
/** Maximum parameters of a function, because the stack has 1,024 items. */
const MAX_PARAMETERS = 1_024;

const PLACE = /^(?<start>\d{1,10}):(?<length>\d{1,10}):(?<file>\d{1,10})$/;
const LOCATION = / (?:storage|memory|calldata)(?: ref| pointer| slice)?/g;
const LOCATION_OF_TYPE = /_(?<location>storage|memory|calldata)(?:_ptr)?(?:_slice)?$/;
const DYNAMIC_IN_CALLDATA = /^t_(?:bytes|string|array\$.*\$dyn)_calldata/;

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

function rangeOf({ src }: JsonObject): SourceRange | null {
  const { start, length, file } = PLACE.exec(textOf(src) ?? '')?.groups ?? {};
  if (start === undefined) return null;
  return { start: Number(start), length: Number(length), file: Number(file) };
}

function locationOf(identifier: string, label: string): DataLocation {
  if (label.startsWith('mapping(')) return 'storage';
  const location = LOCATION_OF_TYPE.exec(identifier)?.groups?.location;
  return location === 'memory' || location === 'calldata' || location === 'storage' ? location : 'stack';
}

function declared(node: JsonObject, typeOf: TypeOfName): DeclaredVariable | null {
  const range = rangeOf(node);
  const described = objectOf(node.typeDescriptions);
  const label = (textOf(described.typeString) ?? '').replace(LOCATION, '');
  const identifier = textOf(described.typeIdentifier) ?? '';
  if (range === null || label === '') return null;
  const isPair = identifier.startsWith('t_function_external') || DYNAMIC_IN_CALLDATA.test(identifier);
  return {
    name: textOf(node.name) ?? '',
    label,
    location: locationOf(identifier, label),
    // A declaration with `var` has no type name.
    type: typeOf(node.typeName) ?? elementaryValue(label),
    items: isPair ? 2 : 1,
    range,
  };
}

/** Returns all declarations below a node. The walk is iterative because trees can be deep. */
function declarationsIn(root: unknown): JsonObject[] {
  const found: JsonObject[] = [];
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value) && objectOf(value).nodeType === 'VariableDeclaration')
      found.push(objectOf(value));
    else for (const member of Object.values(value)) if (typeof member === 'object') open.push(member);
  }
  return found;
}

function isConstructor({ kind, isConstructor: old }: JsonObject): boolean {
  return kind === 'constructor' || old === true;
}

function bodyOfConstructor(node: JsonObject): SourceRange | null {
  const isEntered = listOf(node.modifiers).every(({ kind }) => kind === 'baseConstructorSpecifier');
  return isConstructor(node) && isEntered ? rangeOf(objectOf(node.body)) : null;
}

function definitionsIn(tree: unknown): JsonObject[] {
  const nodes = listOf(objectOf(tree).nodes);
  return [...nodes, ...nodes.flatMap(({ nodes: members }) => listOf(members))].filter(
    ({ nodeType }) => nodeType === 'FunctionDefinition' || nodeType === 'ModifierDefinition',
  );
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
  const functions: DeclaredFunction[] = [];
  const variables: DeclaredVariable[] = [];
  let read = 0;
  for (const node of found) {
    const range = rangeOf(node);
    const parameters = listOf(objectOf(node.parameters).parameters).map((each) => declared(each, typeOf));
    // If one parameter is invalid, the stack positions of the others are unknown.
    const fitOnStack = parameters.length <= MAX_PARAMETERS;
    if (range !== null && node.nodeType === 'FunctionDefinition' && fitOnStack && parameters.every(nonNull))
      functions.push({ range, parameters, constructorBody: bodyOfConstructor(node) });
    const own = [...listOf(objectOf(node.returnParameters).parameters), ...declarationsIn(node.body)];
    for (const each of own) {
      const variable = declared(each, typeOf);
      if (variable !== null) variables.push(variable);
    }
    if (variables.length - read > VARIABLES_IN_A_TURN) {
      read = variables.length;
      await nextIteration();
    }
  }
  return { functions, variables };
}
