/** The layout of a contract's storage variables, in a common form for solc, Vyper and syntax trees. */

/** The encoding of a value. */
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

export interface ValueType {
  readonly kind: 'value';
  /** The type in the source: `uint256`, `enum Color`, `contract IERC20`. */
  readonly label: string;
  /** Bytes of the slot that it occupies, 1 to 32. In Vyper's storage each value occupies a slot. */
  readonly bytes: number;
  /** Bytes of the value itself: the low bytes of its place, or the high bytes for `bytesN`. */
  readonly size: number;
  readonly value: ValueKind;
  /** The member names of an enum; `null` for other types, and if unknown. */
  readonly names: readonly string[] | null;
}

export interface StructType {
  readonly kind: 'struct';
  readonly label: string;
  readonly slots: bigint;
  /** Member slots are relative to the slot of the struct. */
  readonly members: readonly StorageVariable[];
}

/** Consecutive items. Small items share a slot. */
export interface FixedArrayType {
  readonly kind: 'fixedArray';
  readonly label: string;
  readonly slots: bigint;
  readonly count: bigint;
  readonly item: StorageType;
}

/** Solidity's dynamic array: the length in its slot, the items from the hash of that slot. */
export interface DynamicArrayType {
  readonly kind: 'dynamicArray';
  readonly label: string;
  /** Lazy, because a struct may contain an array of itself. */
  readonly item: () => StorageType;
}

/** Vyper's `DynArray`: the length in its slot, the items in the next slots. */
export interface BoundedArrayType {
  readonly kind: 'boundedArray';
  readonly label: string;
  readonly slots: bigint;
  readonly count: bigint;
  readonly item: StorageType;
}

/** Solidity's `bytes` and `string`: short values in the slot itself, long values from the slot's hash. */
export interface BytesType {
  readonly kind: 'bytes';
  readonly label: string;
  readonly isText: boolean;
}

/** Vyper's `Bytes` and `String`: the length in its slot, the bytes in the next slots. */
export interface BoundedBytesType {
  readonly kind: 'boundedBytes';
  readonly label: string;
  readonly slots: bigint;
  readonly isText: boolean;
}

/** Each value is stored at the hash of its key and the mapping's slot. */
export interface MappingType {
  readonly kind: 'mapping';
  readonly label: string;
  /** A value, bytes or text. */
  readonly key: ValueType | BytesType;
  /** Lazy, like {@link DynamicArrayType.item}. */
  readonly value: () => StorageType;
  /**
   * Solidity hashes the key, then the slot. Vyper hashes the slot, then the key; it replaces bytes and text
   * keys with their hash.
   */
  readonly order: 'keyFirst' | 'slotFirst';
}

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

export interface StorageVariable {
  readonly name: string;
  readonly slot: bigint;
  /** The value's offset from the low end of the slot, in bytes. */
  readonly offset: number;
  readonly type: StorageType;
}

/** The variables of a struct at the hash of a name (ERC-7201). */
export interface StorageNamespace {
  /** `openzeppelin.storage.ERC20`. */
  readonly id: string;
  readonly slot: bigint;
  readonly type: StructType;
}

export interface StorageLayout {
  /** `compiler` for the compiler's own layout, `syntaxTree` for a layout computed from the sources. */
  readonly origin: 'compiler' | 'syntaxTree';
  readonly variables: readonly StorageVariable[];
  readonly transient: readonly StorageVariable[];
  readonly namespaces: readonly StorageNamespace[];
}

/** Returns the number of slots of a type, at least one, even if an invalid description has zero slots. */
export function slotsOf(type: StorageType): bigint {
  return 'slots' in type && type.slots > 0n ? type.slots : 1n;
}

/** Returns the bytes of a slot that a type occupies: 32 for all types except values. */
export function bytesOf(type: StorageType): number {
  return type.kind === 'value' ? type.bytes : WORD;
}

/** Returns the number of array items per slot; 1 for items of one slot or more. */
export function itemsPerSlot(item: StorageType): bigint {
  return BigInt(Math.floor(WORD / bytesOf(item)));
}

/** Returns the number of slots of an array's items. */
export function slotsOfItems(item: StorageType, count: bigint): bigint {
  const perSlot = itemsPerSlot(item);
  return perSlot === 1n ? count * slotsOf(item) : (count + perSlot - 1n) / perSlot;
}

const WORD = 32;
const INTEGER = /^(?<kind>u?int)(?<bits>\d*)$/;
const FIXED_BYTES = /^bytes(?<size>\d+)$/;

/** Returns the elementary type of this name in Solidity or Vyper; `null` for other types. */
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
