/** Decodes variables in calldata: the encoding of the contract ABI, also nested. */

import type { StorageType } from '../../artifacts/layout/storage-type.ts';
import { bytesToBigInt } from '../../primitives/bytes.ts';
import { shownBytes } from '../storage/storage-value.ts';
import {
  itemsValue,
  MAX_BYTES_LENGTH,
  MAX_VALUES,
  type Read,
  sizeOf,
  type Value,
  WORD,
  wordAt,
  wordValue,
} from './word-value.ts';

/** Returns true if the encoding of the type has an offset in its place, and the data elsewhere. */
export function isDynamic(type: StorageType): boolean {
  if (type.kind === 'bytes' || type.kind === 'dynamicArray') return true;
  if (type.kind === 'fixedArray') return isDynamic(type.item);
  return type.kind === 'struct' && type.members.some((member) => isDynamic(member.type));
}

/** Returns the bytes of a type among the members of a tuple. */
export function headSize(type: StorageType): number {
  if (isDynamic(type)) return WORD;
  if (type.kind === 'fixedArray') return Number(type.count) * headSize(type.item);
  if (type.kind === 'struct') return type.members.reduce((sum, member) => sum + headSize(member.type), 0);
  return WORD;
}

/** The remaining values to decode, for a variable with its nested values. */
interface Budget {
  left: number;
}

/**
 * Decodes a variable in calldata. `length` is the number of items or bytes from the stack; `null` for types
 * without a length on the stack.
 */
export function calldataValue(
  type: StorageType | null,
  start: number,
  length: number | null,
  read: Read,
): Value {
  const budget = { left: MAX_VALUES };
  if (length !== null && type?.kind === 'bytes') return bytesValue(start, length, type.isText, read);
  if (length !== null && type?.kind === 'dynamicArray')
    return arrayValue(type.item(), start, length, read, budget);
  if (length === null && type !== null) return encodedValue(type, start, read, budget);
  return length === null ? `calldata ${start}` : `calldata ${start}, ${length} items`;
}

function bytesValue(start: number, length: number, isText: boolean, read: Read): Value {
  return shownBytes(read(start, Math.min(length, MAX_BYTES_LENGTH)), length, isText);
}

/** Decodes a type from the start of its data. */
function encodedValue(type: StorageType, start: number, read: Read, budget: Budget): Value {
  switch (type.kind) {
    case 'value':
      return wordValue(type, wordAt(read, start));
    case 'bytes':
    case 'dynamicArray': {
      const length = sizeOf(bytesToBigInt(wordAt(read, start)));
      if (length === null) return `calldata ${start}`;
      const data = start + WORD;
      if (type.kind === 'bytes') return bytesValue(data, length, type.isText, read);
      return arrayValue(type.item(), data, length, read, budget);
    }
    case 'fixedArray':
      return arrayValue(type.item, start, Number(type.count), read, budget);
    case 'struct': {
      let place = start;
      return type.members.map(({ name, type: of }) => {
        const value = memberValue(of, { start, place }, read, budget);
        place += headSize(of);
        return { name, type: of.label, value };
      });
    }
    default:
      return `calldata ${start}`;
  }
}

function arrayValue(item: StorageType, start: number, length: number, read: Read, budget: Budget): Value {
  const size = headSize(item);
  return itemsValue(item.label, length, (index) =>
    memberValue(item, { start, place: start + size * index }, read, budget),
  );
}

/** Decodes a member of a tuple or an array that begins at `start`. */
function memberValue(
  type: StorageType,
  { start, place }: { readonly start: number; readonly place: number },
  read: Read,
  budget: Budget,
): Value {
  budget.left--;
  if (budget.left <= 0) return `calldata ${place}`;
  if (!isDynamic(type)) return encodedValue(type, place, read, budget);
  const offset = sizeOf(bytesToBigInt(wordAt(read, place)));
  return offset === null ? `calldata ${place}` : encodedValue(type, start + offset, read, budget);
}
