/** Reads variables from stack, memory and calldata, and formats them like decoded arguments. */

import type { DecodedParameter } from '../../artifacts/decoding.ts';
import type { StorageType } from '../../artifacts/layout/storage-type.ts';
import { bigIntToFixedBytes, bytesToBigInt } from '../../primitives/bytes.ts';
import { toHex } from '../../primitives/hex.ts';
import { shownBytes, valueIn } from '../storage/storage-value.ts';
import type { LiveVariable } from './frame-variables.ts';

const WORD = 32;
/** Maximum bytes of text and data to return. */
const MAX_BYTES_LENGTH = 1_024;
/** Maximum array items to return. */
const MAX_ITEMS = 32;
/** Maximum items and members to read per variable, including nested ones. */
const MAX_VALUES = 256;

type Value = DecodedParameter['value'];

/** The EVM state of a frame at an opcode. */
export interface MachineSnapshot {
  /** Returns a stack item, counted from the bottom. */
  readonly item: (index: number) => bigint;
  /** Returns bytes of memory; fewer at the end of memory. */
  readonly memory: (start: number, length: number) => Uint8Array;
  /** The call data. */
  readonly input: Uint8Array;
}

type Read = (start: number, length: number) => Uint8Array;

/** Returns the word at this offset. Missing bytes are zero, as in the EVM. */
function wordAt(read: Read, start: number): Uint8Array {
  const word = new Uint8Array(WORD);
  word.set(read(start, WORD));
  return word;
}

/** Returns an offset or length as a number; `null` if it exceeds 32 bits. */
function sizeOf(number: bigint): number | null {
  return number <= 0xffffffffn ? Number(number) : null;
}

/** Decodes a value from a word of the stack, memory or calldata. */
function wordValue(type: StorageType | null, word: Uint8Array): Value {
  return type?.kind === 'value' ? valueIn({ ...type, bytes: WORD }, word, 0) : toHex(word);
}

/** Decodes consecutive items; `one` decodes the item at an index. */
function itemsValue(label: string, length: number, one: (index: number) => Value): Value {
  const shown = Math.min(length, MAX_ITEMS);
  const items = Array.from({ length: shown }, (_, index) => ({ name: '', type: label, value: one(index) }));
  if (length > shown) items.push({ name: '', type: '', value: `… ${length - shown} more` });
  return items;
}

/** Decodes a value in memory. Members larger than a word are pointers to memory. */
function memoryValue(
  type: StorageType | null,
  start: number,
  read: Read,
  budget: { left: number } = { left: MAX_VALUES },
): Value {
  const member = (of: StorageType, place: number): Value => {
    const word = wordAt(read, place);
    budget.left--;
    if (of.kind === 'value') return wordValue(of, word);
    const inner = sizeOf(bytesToBigInt(word));
    return inner === null || budget.left <= 0 ? toHex(word) : memoryValue(of, inner, read, budget);
  };
  switch (type?.kind) {
    case 'bytes': {
      const length = sizeOf(bytesToBigInt(wordAt(read, start)));
      if (length === null) return `memory ${start}`;
      return shownBytes(read(start + WORD, Math.min(length, MAX_BYTES_LENGTH)), length, type.isText);
    }
    case 'dynamicArray': {
      const length = sizeOf(bytesToBigInt(wordAt(read, start)));
      const item = type.item();
      if (length === null) return `memory ${start}`;
      return itemsValue(item.label, length, (index) => member(item, start + WORD * (index + 1)));
    }
    case 'fixedArray':
      return itemsValue(type.item.label, Number(type.count), (index) =>
        member(type.item, start + WORD * index),
      );
    case 'struct':
      return type.members
        .filter((each) => each.type.kind !== 'mapping')
        .map(({ name, type: of }, index) => ({
          name,
          type: of.label,
          value: member(of, start + WORD * index),
        }));
    default:
      return `memory ${start}`;
  }
}

/** Decodes a variable in calldata. For a nested encoding, returns only its location. */
function calldataValue(type: StorageType | null, start: number, length: number | null, read: Read): Value {
  if (length !== null && type?.kind === 'bytes')
    return shownBytes(read(start, Math.min(length, MAX_BYTES_LENGTH)), length, type.isText);
  const place = length === null ? `calldata ${start}` : `calldata ${start}, ${length} items`;
  if (length !== null && type?.kind === 'dynamicArray') {
    const item = type.item();
    if (item.kind !== 'value') return place;
    return itemsValue(item.label, length, (index) => wordValue(item, wordAt(read, start + WORD * index)));
  }
  if (type?.kind === 'fixedArray' && type.item.kind === 'value') {
    const { item, count } = type;
    return itemsValue(item.label, Number(count), (index) =>
      wordValue(item, wordAt(read, start + WORD * index)),
    );
  }
  if (type?.kind === 'struct' && type.members.every((each) => each.type.kind === 'value'))
    return type.members.map(({ name, type: of }, index) => ({
      name,
      type: of.label,
      value: wordValue(of, wordAt(read, start + WORD * index)),
    }));
  return place;
}

/** Returns the variable with its value. The value of a storage pointer is its slot. */
export function variableValue({ variable, item }: LiveVariable, machine: MachineSnapshot): DecodedParameter {
  const { name, label, location, type, items } = variable;
  const first = machine.item(item);
  const word = bigIntToFixedBytes(BigInt.asUintN(256, first), WORD);
  const made = (value: Value): DecodedParameter => ({ name, type: label, value });
  const start = sizeOf(first);
  switch (location) {
    case 'stack':
      if (items === 2) return made(toHex(word.subarray(-20)));
      return made(wordValue(type, word));
    case 'storage':
      return made(`storage ${toHex(word)}`);
    case 'memory':
      return made(start === null ? toHex(word) : memoryValue(type, start, machine.memory));
    case 'calldata': {
      const length = items === 2 ? sizeOf(machine.item(item + 1)) : null;
      if (start === null || (items === 2 && length === null)) return made(toHex(word));
      const read: Read = (from, count) => machine.input.subarray(from, from + count);
      return made(calldataValue(type, start, length, read));
    }
  }
}
