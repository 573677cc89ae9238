/** The values of expressions. */

import type { StorageType } from '../../artifacts/layout/storage-type.ts';
import { bigIntToFixedBytes, bytesToBigInt } from '../../primitives/bytes.ts';
import { isLeftAligned, isSigned, type ScalarType, sizeOf } from './value-types.ts';

const WORD = 32;

/** A value of at most one word. */
export interface Scalar {
  readonly kind: 'scalar';
  readonly type: ScalarType;
  /** The number; the bytes as a number for `bytesN`; 0 or 1 for `bool`. */
  readonly number: bigint;
}

/** A number literal, or the result of an operation on number literals. */
export interface LiteralNumber {
  readonly kind: 'number';
  readonly numerator: bigint;
  readonly denominator: bigint;
  /** The digits of a hexadecimal literal; `null` for other numbers. */
  readonly hexDigits: string | null;
}

export interface LiteralText {
  readonly kind: 'text';
  readonly bytes: Uint8Array;
  readonly isHex: boolean;
}

/** A value of `bytes` or `string`. */
export interface Bytes {
  readonly kind: 'bytes';
  readonly isText: boolean;
  readonly bytes: Uint8Array;
}

/** A struct, array or mapping in storage. */
export interface StoragePlaceValue {
  readonly kind: 'storage';
  readonly type: StorageType;
  readonly slot: bigint;
  readonly offset: number;
  readonly isTransient: boolean;
}

/** A struct or array in memory. */
export interface MemoryPlace {
  readonly kind: 'memory';
  readonly type: StorageType;
  readonly start: number;
}

/** A struct or array in calldata. */
export interface CalldataPlace {
  readonly kind: 'calldata';
  readonly type: StorageType;
  readonly start: number;
  /** The number of items of a dynamic array; otherwise `null`. */
  readonly length: number | null;
}

/** A member of a struct, or an item of an array without a name. */
export interface NamedValue {
  readonly name: string;
  readonly value: Value;
}

/** A struct, array or tuple whose items are known. */
export interface List {
  readonly kind: 'list';
  readonly label: string;
  readonly isArray: boolean;
  readonly items: readonly NamedValue[];
}

export type Value =
  | Scalar
  | LiteralNumber
  | LiteralText
  | Bytes
  | StoragePlaceValue
  | MemoryPlace
  | CalldataPlace
  | List;

export function scalar(type: ScalarType, number: bigint): Scalar {
  return { kind: 'scalar', type, number };
}

export function literal(numerator: bigint, denominator = 1n): LiteralNumber {
  return { kind: 'number', numerator, denominator, hexDigits: null };
}

/** Returns the value at the offset from the low end of a word. The value occupies `bytes` bytes of it. */
export function scalarIn(type: ScalarType, word: Uint8Array, offset = 0, bytes = WORD): Scalar {
  const part = word.subarray(WORD - offset - bytes, WORD - offset);
  const size = Math.min(sizeOf(type), bytes);
  const own = isLeftAligned(type) ? part.subarray(0, size) : part.subarray(part.length - size);
  const number = bytesToBigInt(own);
  return scalar(type, isSigned(type) ? BigInt.asIntN(8 * size, number) : number);
}

/** Returns the value as a word: numbers right-aligned, fixed bytes left-aligned. */
export function wordOf({ type, number }: Scalar): Uint8Array {
  const shift = isLeftAligned(type) ? BigInt(8 * (WORD - sizeOf(type))) : 0n;
  return bigIntToFixedBytes(BigInt.asUintN(256, number << shift), WORD);
}

/** Returns the name of the value's type in the source. */
export function typeLabel(value: Value): string {
  switch (value.kind) {
    case 'scalar':
      return value.type.label;
    case 'number':
      return value.denominator === 1n
        ? `int_const ${value.numerator}`
        : `rational_const ${value.numerator} / ${value.denominator}`;
    case 'text':
      return value.isHex ? 'literal bytes' : 'literal string';
    case 'bytes':
      return value.isText ? 'string' : 'bytes';
    case 'list':
      return value.label;
    default:
      return value.type.label;
  }
}
