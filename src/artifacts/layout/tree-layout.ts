/**
 * Computes a storage layout from solc's syntax trees by Solidity's rules ("Layout of State Variables in
 * Storage"). Variables follow in order, most basic contract first. Values share a slot if they fit; structs
 * and arrays start a new slot.
 */

import { bytesToBigInt } from '../../primitives/bytes.ts';
import { fromHex } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import { objectOf, textOf } from '../formats/contract-json.ts';
import {
  containsItself,
  DEEPEST_LAYOUT,
  LayoutBoundError,
  LayoutNodes,
  MAX_LAYOUT_NODES,
  tooDeep,
  tooManyNodes,
} from './layout-bound.ts';
import {
  bytesOf,
  elementaryValue,
  type MappingType,
  type StorageLayout,
  type StorageNamespace,
  type StorageType,
  type StorageVariable,
  type StructType,
  slotsOf,
  slotsOfItems,
  valueType,
} from './storage-type.ts';
import {
  type DefinedContract,
  isNamedBy,
  type SyntaxDefinitions,
  type SyntaxNode,
} from './syntax-definitions.ts';

/** The syntax tree lacks a part that the layout depends on. */
class UnknownTypeError extends Error {
  override readonly name = 'UnknownTypeError';
}

/** The end of an array type's name in the tree: `t_array$_t_uint16_$5_storage_ptr`. */
const ARRAY_COUNT = /\$(?<count>\d{1,78})_(?:storage|memory|calldata)(?:_ptr)?$/;
const DATA_LOCATION = / (?:storage|memory|calldata)(?: ref| pointer| slice)?/g;
/** Since Solidity 0.8.8 an enum has at most 256 members. */
const MAX_BYTE_MEMBERS = 256;
const WORD = 32;

const STORAGE_LOCATION = /@custom:storage-location\s+erc7201:(?<id>\S+)/;

function listOf(value: unknown): SyntaxNode[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

/** Places variables or struct members one after the other. Also returns the number of slots. */
function placed(
  declared: Iterable<{ readonly name: string; readonly type: StorageType }>,
  start: bigint,
): { readonly variables: StorageVariable[]; readonly slots: bigint } {
  const variables: StorageVariable[] = [];
  let slot = start;
  let offset = 0;
  for (const { name, type } of declared) {
    const size = bytesOf(type);
    if (offset + size > WORD) {
      slot++;
      offset = 0;
    }
    variables.push({ name, slot, offset, type });
    if (type.kind === 'value') offset += size;
    else {
      slot += slotsOf(type);
      offset = 0;
    }
  }
  return { variables, slots: slot - start + (offset > 0 ? 1n : 0n) };
}

function labelOf({ typeDescriptions }: SyntaxNode): string {
  return (textOf(objectOf(typeDescriptions).typeString) ?? '').replace(DATA_LOCATION, '');
}

/** The types of one compiler run. */
class TreeTypes {
  readonly #definitions: SyntaxDefinitions;
  readonly #structs = new Map<SyntaxNode, StructType>();
  /** The structs whose members are being read. */
  readonly #open = new Set<SyntaxNode>();
  readonly #nodes = new LayoutNodes();

  constructor(definitions: SyntaxDefinitions) {
    this.#definitions = definitions;
  }

  /** Throws {@link LayoutBoundError} if the variables have too many nodes. */
  check(variables: readonly StorageVariable[]): void {
    this.#nodes.checkVariables(variables);
  }

  /** Returns the type of a `typeName` at its first access; an opaque type if unknown or above a bound. */
  lazyType(node: SyntaxNode): StorageType {
    try {
      return this.type(node);
    } catch (error) {
      if (!(error instanceof UnknownTypeError || error instanceof LayoutBoundError)) throw error;
      return { kind: 'opaque', label: labelOf(node), slots: 1n };
    }
  }

  /** Returns the type of a `typeName`. Throws {@link UnknownTypeError} or {@link LayoutBoundError}. */
  type(node: SyntaxNode, depth = 0): StorageType {
    const described = objectOf(node.typeDescriptions);
    const label = labelOf(node);
    if (depth > DEEPEST_LAYOUT) throw tooDeep();
    switch (node.nodeType) {
      case 'ElementaryTypeName': {
        if (label === 'string' || label === 'bytes')
          return { kind: 'bytes', label, isText: label === 'string' };
        const value = elementaryValue(label);
        if (value === null) throw new UnknownTypeError(label);
        return value;
      }
      case 'FunctionTypeName':
        return valueType(label, node.visibility === 'external' ? 24 : 8, 'function');
      case 'Mapping':
        return this.#mapping(node, label, depth);
      case 'ArrayTypeName':
        return this.#array(node, label, textOf(described.typeIdentifier) ?? '', depth);
      case 'UserDefinedTypeName':
        return this.#named(node, label, depth);
      default:
        throw new UnknownTypeError(label);
    }
  }

  #mapping(node: SyntaxNode, label: string, depth: number): MappingType {
    const key = this.type(objectOf(node.keyType), depth + 1);
    if (key.kind !== 'value' && key.kind !== 'bytes') throw new UnknownTypeError(label);
    const value = objectOf(node.valueType);
    return { kind: 'mapping', label, key, value: () => this.lazyType(value), order: 'keyFirst' };
  }

  #array(node: SyntaxNode, label: string, identifier: string, depth: number): StorageType {
    const base = objectOf(node.baseType);
    if (node.length === null || node.length === undefined) {
      return { kind: 'dynamicArray', label, item: () => this.lazyType(base) };
    }
    const digits = ARRAY_COUNT.exec(identifier)?.groups?.count;
    if (digits === undefined) throw new UnknownTypeError(label);
    const count = BigInt(digits);
    const item = this.type(base, depth + 1);
    return { kind: 'fixedArray', label, slots: slotsOfItems(item, count), count, item };
  }

  #named(node: SyntaxNode, label: string, depth: number): StorageType {
    const id = node.referencedDeclaration;
    if (label.startsWith('contract ')) return valueType(label, 20, 'address');
    const names = this.#definitions.enumeration(id, label);
    if (names !== null) {
      return valueType(label, names.length > MAX_BYTE_MEMBERS ? 2 : 1, 'enum', names);
    }
    const defined = this.#definitions.definition(id, 'UserDefinedValueTypeDefinition');
    if (defined !== null && isNamedBy(defined, label)) {
      const below = this.type(objectOf(defined.underlyingType), depth + 1);
      if (below.kind === 'value') return { ...below, label };
    }
    const struct = this.#definitions.definition(id, 'StructDefinition');
    if (struct === null || !isNamedBy(struct, label)) throw new UnknownTypeError(label);
    return this.struct(struct, label, depth);
  }

  /** Returns the type of a struct. Throws {@link UnknownTypeError} or {@link LayoutBoundError}. */
  struct(definition: SyntaxNode, label: string, depth = 0): StructType {
    const known = this.#structs.get(definition);
    if (known !== undefined) return known;
    if (this.#open.has(definition)) throw containsItself(label);
    this.#open.add(definition);
    try {
      return this.#makeStruct(definition, label, depth);
    } finally {
      this.#open.delete(definition);
    }
  }

  #makeStruct(definition: SyntaxNode, label: string, depth: number): StructType {
    const members = listOf(definition.members).map((member) => ({
      name: textOf(member.name) ?? '',
      type: this.type(objectOf(member.typeName), depth + 1),
    }));
    const { variables, slots } = placed(members, 0n);
    const made: StructType = { kind: 'struct', label, slots, members: variables };
    this.#nodes.check(made);
    this.#structs.set(definition, made);
    return made;
  }
}

/** Returns the type of a `typeName`; `null` if the trees lack a part of it, or if it exceeds a bound. */
export type TypeOfName = (typeName: unknown) => StorageType | null;

/** Returns a reader for the types of one compiler run. */
export function typesIn(definitions: SyntaxDefinitions): TypeOfName {
  const types = new TreeTypes(definitions);
  return (typeName) => {
    try {
      return types.type(objectOf(typeName));
    } catch (error) {
      if (error instanceof UnknownTypeError || error instanceof LayoutBoundError) return null;
      throw error;
    }
  };
}

/** Returns true if the variable occupies storage or transient storage. */
function isStored({ constant, mutability }: SyntaxNode): boolean {
  return constant !== true && mutability !== 'constant' && mutability !== 'immutable';
}

/** The slot of a namespace, by the formula of ERC-7201. */
export function namespaceSlot(id: string): bigint {
  const inner = bytesToBigInt(keccak256(Buffer.from(id))) - 1n;
  const outer = keccak256(fromHex(`0x${inner.toString(16).padStart(64, '0')}`));
  return bytesToBigInt(outer) & ~0xffn;
}

/** The slot in `contract … layout at …`; `null` if the tree does not have the value of the expression. */
function baseSlot(contract: SyntaxNode): bigint | null {
  if (contract.storageLayout === undefined || contract.storageLayout === null) return 0n;
  const expression = objectOf(objectOf(contract.storageLayout).baseSlotExpression);
  const text = textOf(expression.value);
  if (
    expression.nodeType === 'Literal' &&
    text !== null &&
    /^(?:\d+|0x[0-9a-fA-F]+)$/.test(text.replaceAll('_', ''))
  )
    return BigInt(text.replaceAll('_', ''));
  const constant = /^int_const (?<value>\d+)$/.exec(
    textOf(objectOf(expression.typeDescriptions).typeString) ?? '',
  );
  return constant?.groups?.value === undefined ? null : BigInt(constant.groups.value);
}

/** Finds the structs that the contract or a base contract places at the hash of a name. */
function namespacesOf(linearized: readonly SyntaxNode[], types: TreeTypes): StorageNamespace[] {
  return linearized.flatMap(({ nodes }) =>
    listOf(nodes).flatMap((node) => {
      const { documentation } = node;
      const text = typeof documentation === 'string' ? documentation : textOf(objectOf(documentation).text);
      const id = STORAGE_LOCATION.exec(text ?? '')?.groups?.id;
      if (node.nodeType !== 'StructDefinition' || id === undefined) return [];
      const name = textOf(node.canonicalName) ?? textOf(node.name) ?? id;
      return [{ id, slot: namespaceSlot(id), type: types.struct(node, `struct ${name}`) }];
    }),
  );
}

/** Computes the layout of a contract; `null` if the trees are incomplete. Throws {@link LayoutBoundError}. */
export function treeLayout({ definitions, contract }: DefinedContract): StorageLayout | null {
  const linearized = definitions.linearized(contract);
  if (linearized === null) return null;
  const types = new TreeTypes(definitions);
  try {
    const start = baseSlot(contract);
    if (start === null) return null;
    const declared = linearized.flatMap(({ name, nodes }) =>
      listOf(nodes)
        .filter((node) => node.nodeType === 'VariableDeclaration' && isStored(node))
        .map((node) => ({ node, contract: textOf(name) ?? '' })),
    );
    if (declared.length > MAX_LAYOUT_NODES) throw tooManyNodes();
    const counts = new Map<unknown, number>();
    for (const { node } of declared) counts.set(node.name, (counts.get(node.name) ?? 0) + 1);
    const typed = declared.map(({ node, contract: owner }) => {
      const name = textOf(node.name) ?? '';
      return {
        // Private variables of several contracts may have the same name.
        name: counts.get(node.name) === 1 ? name : `${owner}.${name}`,
        type: types.type(objectOf(node.typeName)),
        isTransient: node.storageLocation === 'transient',
      };
    });
    const { variables } = placed(
      typed.filter(({ isTransient }) => !isTransient),
      start,
    );
    const { variables: transient } = placed(
      typed.filter(({ isTransient }) => isTransient),
      0n,
    );
    const namespaces = namespacesOf(linearized, types);
    types.check([
      ...variables,
      ...transient,
      ...namespaces.map(({ id, slot, type }) => ({ name: id, slot, offset: 0, type })),
    ]);
    return { origin: 'syntaxTree', variables, transient, namespaces };
  } catch (error) {
    if (error instanceof UnknownTypeError) return null;
    throw error;
  }
}
