/** The names that a contract's source declares, read from solc's syntax trees. */

import { type JsonObject, objectOf, textOf } from '../../artifacts/formats/contract-json.ts';
import type { StorageType } from '../../artifacts/layout/storage-type.ts';
import { SyntaxDefinitions, treesOf } from '../../artifacts/layout/syntax-definitions.ts';
import { type TypeOfName, typesIn } from '../../artifacts/layout/tree-layout.ts';
import type { SourceRange } from '../../artifacts/source-map.ts';
import { nextIteration } from '../../scheduling/cancel-check.ts';
import type { KnownContract } from '../known-contracts.ts';

/** Nodes to visit before the next yield. */
const NODES_IN_A_TURN = 20_000;

/** A constant or an immutable variable. */
export interface FixedVariable {
  readonly id: number;
  readonly name: string;
  readonly kind: 'constant' | 'immutable';
  readonly type: StorageType | null;
  readonly label: string;
  /** The place of the expression that a constant is declared with. */
  readonly value: SourceRange | null;
}

/** A function or modifier, with the names that it declares. */
export interface ScopedFunction {
  readonly range: SourceRange;
  readonly name: string;
  readonly isModifier: boolean;
  /** `internal`, `private`, `public` or `external`. */
  readonly visibility: string;
  /** Parameters, results and locals, also of inline assembly. */
  readonly names: ReadonlySet<string>;
}

/** A contract, interface or library; or the names at the top of the files. */
export interface ScopedContract {
  readonly name: string;
  /** `contract`, `interface` or `library`. */
  readonly kind: string;
  readonly fixed: ReadonlyMap<string, FixedVariable>;
  readonly types: ReadonlyMap<string, StorageType>;
  readonly functions: readonly ScopedFunction[];
}

/** The declarations that the functions of a contract can name. */
export interface ContractScope {
  /** The contract and its bases, most derived first; then the names at the top of the files. */
  readonly own: readonly ScopedContract[];
  /** All contracts of the files by name. */
  readonly contracts: ReadonlyMap<string, ScopedContract>;
}

const PLACE = /^(?<start>\d{1,10}):(?<length>\d{1,10}):(?<file>\d{1,10})$/;

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

function rangeOf({ src }: JsonObject): SourceRange | null {
  const { start, length, file } = PLACE.exec(textOf(src) ?? '')?.groups ?? {};
  if (start === undefined) return null;
  return { start: Number(start), length: Number(length), file: Number(file) };
}

const NAMED_NODES: ReadonlySet<unknown> = new Set(['VariableDeclaration', 'YulTypedName']);

/** Returns the names that are declared in a function. The walk is iterative because trees can be deep. */
function* namesIn(root: JsonObject): Generator<undefined, ReadonlySet<string>, undefined> {
  const names = new Set<string>();
  const open: unknown[] = [root];
  for (let visited = 0; open.length > 0; visited++) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value)) {
      const { nodeType, name } = objectOf(value);
      const text = textOf(name);
      if (NAMED_NODES.has(nodeType) && text !== null && text !== '') names.add(text);
    }
    for (const member of Object.values(value)) if (typeof member === 'object') open.push(member);
    if (visited % NODES_IN_A_TURN === NODES_IN_A_TURN - 1) yield;
  }
  return names;
}

async function functionOf(node: JsonObject): Promise<ScopedFunction | null> {
  const range = rangeOf(node);
  if (range === null) return null;
  const walk = namesIn(node);
  let walked = walk.next();
  while (walked.done !== true) {
    await nextIteration();
    walked = walk.next();
  }
  return {
    range,
    name: textOf(node.name) ?? '',
    isModifier: node.nodeType === 'ModifierDefinition',
    visibility: textOf(node.visibility) ?? 'public',
    names: walked.value,
  };
}

function fixedOf(node: JsonObject, typeOf: TypeOfName): FixedVariable | null {
  const kind =
    node.constant === true || node.mutability === 'constant'
      ? 'constant'
      : node.mutability === 'immutable'
        ? 'immutable'
        : null;
  const name = textOf(node.name);
  if (kind === null || name === null || typeof node.id !== 'number') return null;
  const label = textOf(objectOf(node.typeDescriptions).typeString) ?? '';
  const value = node.value === null ? null : rangeOf(objectOf(node.value));
  return { id: node.id, name, kind, type: typeOf(node.typeName), label, value };
}

/** Returns the type that a definition declares; `null` for other nodes. */
function typeDefinedBy(node: JsonObject, typeOf: TypeOfName): StorageType | null {
  const labels: Readonly<Record<string, string>> = {
    EnumDefinition: 'enum ',
    StructDefinition: 'struct ',
    UserDefinedValueTypeDefinition: '',
  };
  const prefix = labels[textOf(node.nodeType) ?? ''];
  if (prefix === undefined) return null;
  const name = textOf(node.canonicalName) ?? textOf(node.name) ?? '';
  // The reader of types resolves a name that refers to the definition.
  return typeOf({
    nodeType: 'UserDefinedTypeName',
    referencedDeclaration: node.id,
    typeDescriptions: { typeString: `${prefix}${name}` },
  });
}

async function scopedContract(
  name: string,
  kind: string,
  nodes: readonly JsonObject[],
  typeOf: TypeOfName,
): Promise<ScopedContract> {
  const fixed = new Map<string, FixedVariable>();
  const types = new Map<string, StorageType>();
  const functions: ScopedFunction[] = [];
  for (const node of nodes) {
    if (node.nodeType === 'FunctionDefinition' || node.nodeType === 'ModifierDefinition') {
      const found = await functionOf(node);
      if (found !== null) functions.push(found);
      continue;
    }
    const variable = node.nodeType === 'VariableDeclaration' ? fixedOf(node, typeOf) : null;
    if (variable !== null) fixed.set(variable.name, variable);
    const type = typeDefinedBy(node, typeOf);
    const typeName = textOf(node.name);
    if (type !== null && typeName !== null) types.set(typeName, type);
  }
  return { name, kind, fixed, types, functions };
}

/** Resolves to the scope of a contract; `null` without syntax trees. */
export async function contractScope({ match }: KnownContract): Promise<ContractScope | null> {
  const { contract: indexed, artifact } = match;
  const sources = await indexed.sources().catch(() => null);
  if (sources === null || artifact.compiler.language !== 'Solidity') return null;
  const definitions = new SyntaxDefinitions();
  const nodes: JsonObject[] = [];
  let ownIds: unknown[] = [];
  for await (const { name, tree } of treesOf(sources, indexed.sourceName)) {
    definitions.add(tree);
    const top = listOf(objectOf(tree).nodes);
    nodes.push(...top);
    if (name === indexed.sourceName) {
      const own = top.find((node) => node.nodeType === 'ContractDefinition' && node.name === artifact.name);
      ownIds = Array.isArray(own?.linearizedBaseContracts) ? own.linearizedBaseContracts : [];
    }
  }
  if (nodes.length === 0) return null;
  const typeOf = typesIn(definitions);
  const contracts = new Map<string, ScopedContract>();
  const byId = new Map<unknown, ScopedContract>();
  for (const node of nodes.filter(({ nodeType }) => nodeType === 'ContractDefinition')) {
    const kind = textOf(node.contractKind) ?? 'contract';
    const name = textOf(node.name) ?? '';
    const scoped = await scopedContract(name, kind, listOf(node.nodes), typeOf);
    byId.set(node.id, scoped);
    if (!contracts.has(name)) contracts.set(name, scoped);
  }
  const top = await scopedContract('', 'file', nodes, typeOf);
  const own = ownIds.flatMap((id) => byId.get(id) ?? []);
  return { own: [...own, top], contracts };
}
