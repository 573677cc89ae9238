/** Reads words, and limits the size of decoded variables. */

import type { DecodedParameter } from '../../artifacts/decoding.ts';
import type { StorageType } from '../../artifacts/layout/storage-type.ts';
import { toHex } from '../../primitives/hex.ts';
import { valueIn } from '../storage/storage-value.ts';

export const WORD = 32;
/** Maximum bytes of text and data to return. */
export const MAX_BYTES_LENGTH = 1_024;
/** Maximum array items to return. */
const MAX_ITEMS = 32;
/** Maximum items and members to read per variable, including nested ones. */
export const MAX_VALUES = 256;

export type Value = DecodedParameter['value'];

export type Read = (start: number, length: number) => Uint8Array;

/** Returns the word at this offset. Missing bytes are zero, as in the EVM. */
export function wordAt(read: Read, start: number): Uint8Array {
  const word = new Uint8Array(WORD);
  word.set(read(start, WORD));
  return word;
}

/** Returns an offset or length as a number; `null` if it exceeds 32 bits. */
export function sizeOf(number: bigint): number | null {
  return number <= 0xffffffffn ? Number(number) : null;
}

/** Decodes a value from a word of the stack, memory or calldata. */
export function wordValue(type: StorageType | null, word: Uint8Array): Value {
  return type?.kind === 'value' ? valueIn({ ...type, bytes: WORD }, word, 0) : toHex(word);
}

/** Decodes consecutive items; `one` decodes the item at an index. */
export function itemsValue(label: string, length: number, one: (index: number) => Value): Value {
  const shown = Math.min(length, MAX_ITEMS);
  const items = Array.from({ length: shown }, (_, index) => ({ name: '', type: label, value: one(index) }));
  if (length > shown) items.push({ name: '', type: '', value: `… ${length - shown} more` });
  return items;
}
