/** Reads variable declarations and source ranges from solc's syntax trees. */

import { type JsonObject, objectOf, textOf } from '../../artifacts/formats/contract-json.ts';
import { elementaryValue, type StorageType } from '../../artifacts/layout/storage-type.ts';
import type { TypeOfName } from '../../artifacts/layout/tree-layout.ts';
import type { SourceRange } from '../../artifacts/source-map.ts';

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

const PLACE = /^(?<start>\d{1,10}):(?<length>\d{1,10}):(?<file>\d{1,10})$/;
const LOCATION = / (?:storage|memory|calldata)(?: ref| pointer| slice)?/g;
const LOCATION_OF_TYPE = /_(?<location>storage|memory|calldata)(?:_ptr)?(?:_slice)?$/;
const DYNAMIC_IN_CALLDATA = /^t_(?:bytes|string|array\$.*\$dyn)_calldata/;

export function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

export function rangeOf({ src }: JsonObject): SourceRange | null {
  const { start, length, file } = PLACE.exec(textOf(src) ?? '')?.groups ?? {};
  if (start === undefined) return null;
  return { start: Number(start), length: Number(length), file: Number(file) };
}

function locationOf(identifier: string, label: string): DataLocation {
  if (label.startsWith('mapping(')) return 'storage';
  const location = LOCATION_OF_TYPE.exec(identifier)?.groups?.location;
  return location === 'memory' || location === 'calldata' || location === 'storage' ? location : 'stack';
}

export function declared(node: JsonObject, typeOf: TypeOfName): DeclaredVariable | null {
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

/** Returns the functions and modifiers of a file. */
export function definitionsIn(tree: unknown): JsonObject[] {
  const nodes = listOf(objectOf(tree).nodes);
  return [...nodes, ...nodes.flatMap(({ nodes: members }) => listOf(members))].filter(
    ({ nodeType }) => nodeType === 'FunctionDefinition' || nodeType === 'ModifierDefinition',
  );
}
