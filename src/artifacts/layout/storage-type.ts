/** The layout of the variables of a contract in its storage, in one form for solc, Vyper and what is computed from syntax trees. */

/** The way in which the bytes of a value are read. */
export type ValueKind =
  | 'uint'
  | 'int'
  | 'bool'
  | 'address'
  | 'bytes'
  | 'enum'
  | 'function'
  | 'decimal'
  | 'raw';

/** A value that takes part of a slot, or all of it. */
export interface ValueType {
  readonly kind: 'value';
  /** As in the source: `uint256`, `enum Color`, `contract IERC20`. */
  readonly label: string;
  /** Bytes of the slot that it takes, 1 to 32. In Vyper's storage each value takes a slot. */
  readonly bytes: number;
  /** Bytes of the value itself, which are the lowest of those; of fixed bytes in a longer place the highest. */
  readonly size: number;
  readonly value: ValueKind;
  /** The names of an enumeration; `null` for other types, and where they are not known. */
  readonly names: readonly string[] | null;
}

/** Members beside each other. */
export interface StructType {
  readonly kind: 'struct';
  readonly label: string;
  readonly slots: bigint;
  /** Their slots count from that of the struct. */
  readonly members: readonly StorageVariable[];
}

/** Items beside each other, several in a slot where they fit. */
export interface FixedArrayType {
  readonly kind: 'fixedArray';
  readonly label: string;
  readonly slots: bigint;
  readonly count: bigint;
  readonly item: StorageType;
}

/** Solidity's array of any length: the length in its slot, the items from the hash of that slot on. */
export interface DynamicArrayType {
  readonly kind: 'dynamicArray';
  readonly label: string;
  /** Read when it is needed, since a struct may hold an array of itself. */
  readonly item: () => StorageType;
}

/** Vyper's `DynArray`: the length in its slot, the items behind it. */
export interface BoundedArrayType {
  readonly kind: 'boundedArray';
  readonly label: string;
  readonly slots: bigint;
  readonly count: bigint;
  readonly item: StorageType;
}

/** Solidity's `bytes` and `string`: in the slot itself when short, else from the hash of the slot on. */
export interface BytesType {
  readonly kind: 'bytes';
  readonly label: string;
  readonly isText: boolean;
}

/** Vyper's `Bytes` and `String`: the length in its slot, the bytes behind it. */
export interface BoundedBytesType {
  readonly kind: 'boundedBytes';
  readonly label: string;
  readonly slots: bigint;
  readonly isText: boolean;
}

/** Values at hashes of their keys and of the slot. */
export interface MappingType {
  readonly kind: 'mapping';
  readonly label: string;
  /** A value, bytes or text. */
  readonly key: ValueType | BytesType;
  /** Read when it is needed, as {@link DynamicArrayType.item}. */
  readonly value: () => StorageType;
  /** Solidity hashes the key before the slot; Vyper the slot before the key, of bytes and text their hash. */
  readonly order: 'keyFirst' | 'slotFirst';
}

/** A type whose members are not known. */
export interface OpaqueType {
  readonly kind: 'opaque';
  readonly label: string;
  readonly slots: bigint;
}

export type StorageType =
  | ValueType
  | StructType
  | FixedArrayType
  | DynamicArrayType
  | BoundedArrayType
  | BytesType
  | BoundedBytesType
  | MappingType
  | OpaqueType;

/** A variable, or a member of a struct. */
export interface StorageVariable {
  readonly name: string;
  readonly slot: bigint;
  /** Bytes of the slot below the value. */
  readonly offset: number;
  readonly type: StorageType;
}

/** The variables of a struct that stands at the hash of a name (ERC-7201). */
export interface StorageNamespace {
  /** `openzeppelin.storage.ERC20`. */
  readonly id: string;
  readonly slot: bigint;
  readonly type: StructType;
}

/** The storage of a contract. */
export interface StorageLayout {
  /** `compiler` for what it gave itself, `syntaxTree` for what was computed from the sources. */
  readonly origin: 'compiler' | 'syntaxTree';
  readonly variables: readonly StorageVariable[];
  readonly transient: readonly StorageVariable[];
  readonly namespaces: readonly StorageNamespace[];
}

/** Returns how many slots a type takes, at least one: a damaged description may have an array or a struct without any. */
export function slotsOf(type: StorageType): bigint {
  return 'slots' in type && type.slots > 0n ? type.slots : 1n;
}

/** Returns how many bytes of a slot a type takes: 32 for all but values. */
export function bytesOf(type: StorageType): number {
  return type.kind === 'value' ? type.bytes : WORD;
}

/** Returns how many items of an array one slot holds; 1 for those that take one slot or more. */
export function itemsPerSlot(item: StorageType): bigint {
  return BigInt(Math.floor(WORD / bytesOf(item)));
}

/** Returns how many slots the items of an array take. */
export function slotsOfItems(item: StorageType, count: bigint): bigint {
  const perSlot = itemsPerSlot(item);
  return perSlot === 1n ? count * slotsOf(item) : (count + perSlot - 1n) / perSlot;
}

const WORD = 32;
const INTEGER = /^(?<kind>u?int)(?<bits>\d*)$/;
const FIXED_BYTES = /^bytes(?<size>\d+)$/;

/** Returns the type of a value by its name in Solidity or Vyper; `null` for what is no elementary value. */
export function elementaryValue(name: string): ValueType | null {
  const integer = INTEGER.exec(name)?.groups;
  if (integer !== undefined) {
    const bits = integer.bits === '' ? 256 : Number(integer.bits);
    if (bits < 8 || bits > 256 || bits % 8 !== 0) return null;
    return valueType(name, bits / 8, integer.kind === 'int' ? 'int' : 'uint');
  }
  const size = Number(FIXED_BYTES.exec(name)?.groups?.size ?? 0);
  if (size >= 1 && size <= WORD) return valueType(name, size, 'bytes');
  if (name === 'byte') return valueType(name, 1, 'bytes');
  if (name === 'bool') return valueType(name, 1, 'bool');
  return name === 'address' || name === 'address payable' ? valueType(name, 20, 'address') : null;
}

export function valueType(
  label: string,
  bytes: number,
  value: ValueKind,
  names: readonly string[] | null = null,
): ValueType {
  return { kind: 'value', label, bytes, size: bytes, value, names };
}
