/** Reads variables from stack, memory and calldata, and formats them like decoded arguments. */

import type { DecodedParameter } from '../../artifacts/decoding.ts';
import type { StorageType } from '../../artifacts/layout/storage-type.ts';
import { bigIntToFixedBytes, bytesToBigInt } from '../../primitives/bytes.ts';
import { toHex } from '../../primitives/hex.ts';
import { shownBytes } from '../storage/storage-value.ts';
import { calldataValue } from './calldata-value.ts';
import type { LiveVariable } from './frame-variables.ts';
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

/** The EVM state of a frame at an opcode. */
export interface MachineSnapshot {
  /** Returns a stack item, counted from the bottom. */
  readonly item: (index: number) => bigint;
  /** Returns bytes of memory; fewer at the end of memory. */
  readonly memory: (start: number, length: number) => Uint8Array;
  /** The call data. */
  readonly input: Uint8Array;
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
