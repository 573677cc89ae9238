/** The types of single values in expressions: elementary types, enums, contracts and named value types. */

import { elementaryValue, type ValueType } from '../../artifacts/layout/storage-type.ts';

export interface IntegerType {
  readonly kind: 'integer';
  readonly label: string;
  readonly bits: number;
  readonly isSigned: boolean;
}

export interface FixedBytesType {
  readonly kind: 'fixedBytes';
  readonly label: string;
  readonly size: number;
}

export type ScalarType =
  | IntegerType
  | FixedBytesType
  | { readonly kind: 'bool'; readonly label: string }
  | { readonly kind: 'address'; readonly label: string }
  | {
      readonly kind: 'enum';
      readonly label: string;
      readonly size: number;
      /** `null` if unknown. */
      readonly names: readonly string[] | null;
    }
  | { readonly kind: 'contract'; readonly label: string; readonly name: string }
  /** A user-defined value type. */
  | { readonly kind: 'named'; readonly label: string; readonly underlying: ScalarType }
  /** A type without operations, such as a function reference or Vyper's `decimal`. */
  | { readonly kind: 'other'; readonly label: string; readonly shape: ValueType };

export const BOOL: ScalarType = { kind: 'bool', label: 'bool' };
export const ADDRESS: ScalarType = { kind: 'address', label: 'address' };
export const UINT256 = integer(256, false);
export const INT256 = integer(256, true);
export const BYTES1 = fixedBytes(1);
export const BYTES32 = fixedBytes(32);

export function integer(bits: number, isSigned: boolean): IntegerType {
  return { kind: 'integer', label: `${isSigned ? '' : 'u'}int${bits}`, bits, isSigned };
}

export function fixedBytes(size: number): FixedBytesType {
  return { kind: 'fixedBytes', label: `bytes${size}`, size };
}

export function contractType(name: string): ScalarType {
  return { kind: 'contract', label: `contract ${name}`, name };
}

/** Returns the elementary type of this name in an expression; `null` for other names. */
export function elementaryType(name: string): ScalarType | null {
  const found = elementaryValue(name);
  return found === null ? null : plainType(found);
}

function plainType(type: ValueType): ScalarType {
  const { label, size } = type;
  switch (type.value) {
    case 'uint':
    case 'int':
      return integer(8 * size, type.value === 'int');
    case 'bool':
      return BOOL;
    case 'address':
      return { kind: 'address', label };
    case 'bytes':
      return fixedBytes(size);
    default:
      return { kind: 'other', label, shape: type };
  }
}

const CONTRACT = 'contract ';

/** Returns the type of a value in a layout. */
export function scalarType(type: ValueType): ScalarType {
  const { label } = type;
  if (label.startsWith(CONTRACT)) {
    const name = label.slice(CONTRACT.length);
    return contractType(name.slice(name.lastIndexOf('.') + 1));
  }
  if (type.value === 'enum') return { kind: 'enum', label, size: type.size, names: type.names };
  const plain = plainType(type);
  if (plain.kind === 'other' || elementaryValue(label) !== null) return plain;
  return { kind: 'named', label, underlying: plain };
}

/** Returns the bytes of a value: its width in packed storage. */
export function sizeOf(type: ScalarType): number {
  switch (type.kind) {
    case 'integer':
      return type.bits / 8;
    case 'fixedBytes':
    case 'enum':
      return type.size;
    case 'bool':
      return 1;
    case 'address':
    case 'contract':
      return 20;
    case 'named':
      return sizeOf(type.underlying);
    case 'other':
      return type.shape.size;
  }
}

export function isSigned(type: ScalarType): boolean {
  if (type.kind === 'named') return isSigned(type.underlying);
  if (type.kind === 'other') return type.shape.value === 'int' || type.shape.value === 'decimal';
  return type.kind === 'integer' && type.isSigned;
}

/** Returns true if the high bytes of a word contain the value. */
export function isLeftAligned(type: ScalarType): boolean {
  if (type.kind === 'named') return isLeftAligned(type.underlying);
  if (type.kind === 'other') return type.shape.value === 'function' && type.shape.size === 24;
  return type.kind === 'fixedBytes';
}

/** Returns true if both types are the same type in the source. */
export function isSameType(left: ScalarType, right: ScalarType): boolean {
  if (left.kind === 'address' && right.kind === 'address') return true;
  return left.kind === right.kind && left.label === right.label;
}

/** Returns the smallest and the largest value of an integer type. */
export function boundsOf({ bits, isSigned: signed }: IntegerType): {
  readonly min: bigint;
  readonly max: bigint;
} {
  const size = BigInt(bits);
  return signed
    ? { min: -(2n ** (size - 1n)), max: 2n ** (size - 1n) - 1n }
    : { min: 0n, max: 2n ** size - 1n };
}

/** Returns the number modulo the width of the type. */
export function wrapped(type: IntegerType, number: bigint): bigint {
  return type.isSigned ? BigInt.asIntN(type.bits, number) : BigInt.asUintN(type.bits, number);
}
