/** Reads structs, arrays and bytes in memory and calldata. */

import type { StorageType } from '../../artifacts/layout/storage-type.ts';
import { bytesToBigInt } from '../../primitives/bytes.ts';
import { OperationError } from './operators.ts';
import { scalarType } from './value-types.ts';
import { type CalldataPlace, type MemoryPlace, scalarIn, type Value } from './values.ts';

const WORD = 32;
/** Maximum bytes of a text or `bytes` value to read. */
export const MAX_VALUE_BYTES = 128 * 1024;

/** The data that a place refers to. */
export interface MachineData {
  readonly memory: Uint8Array;
  readonly input: Uint8Array;
}

/** Returns the word at an offset. Missing bytes are zero, as in the EVM. */
function wordAt(data: Uint8Array, start: number): Uint8Array {
  const word = new Uint8Array(WORD);
  word.set(data.subarray(start, start + WORD));
  return word;
}

/** Returns an offset or length in the data. Throws {@link OperationError} if it is outside. */
function placeIn(data: Uint8Array, number: bigint, what: string): number {
  if (number > BigInt(data.length)) throw new OperationError(`the ${what} is outside of the data`);
  return Number(number);
}

function bytesAt(data: Uint8Array, start: number, length: number, isText: boolean): Value {
  if (length > MAX_VALUE_BYTES)
    throw new OperationError(`the value has ${length} bytes; at most ${MAX_VALUE_BYTES} can be read`);
  const bytes = new Uint8Array(length);
  bytes.set(data.subarray(start, start + length));
  return { kind: 'bytes', isText, bytes };
}

function unknownType(type: StorageType): never {
  throw new OperationError(`a value of type ${type.label} cannot be read`);
}

/** Returns the value that a pointer to memory refers to. */
export function memoryValue(type: StorageType, start: bigint, { memory }: MachineData): Value {
  const at = placeIn(memory, start, 'pointer');
  if (type.kind === 'bytes') {
    const length = placeIn(memory, bytesToBigInt(wordAt(memory, at)), 'length');
    return bytesAt(memory, at + WORD, length, type.isText);
  }
  if (type.kind === 'struct' || type.kind === 'fixedArray' || type.kind === 'dynamicArray')
    return { kind: 'memory', type, start: at };
  return unknownType(type);
}

/** Returns the member or item in the word at an offset of memory. */
function memoryPart(type: StorageType, start: number, data: MachineData): Value {
  const word = wordAt(data.memory, start);
  if (type.kind === 'value') return scalarIn(scalarType(type), word);
  return memoryValue(type, bytesToBigInt(word), data);
}

/** A part of a struct or array, and its name or index. */
export interface Parts {
  /** The number of members or items. */
  readonly count: bigint;
  /** Names of the members; `null` for an array. */
  readonly names: readonly string[] | null;
  /** Returns a part. Throws {@link OperationError} if it cannot be read. */
  part(index: bigint): Value;
}

export function memoryParts({ type, start }: MemoryPlace, data: MachineData): Parts {
  switch (type.kind) {
    case 'struct': {
      // A mapping in a struct has no place in memory.
      const members = type.members.filter((member) => member.type.kind !== 'mapping');
      const part = (index: bigint): Value => {
        const member = members[Number(index)];
        if (member === undefined) throw new RangeError(`a struct has no member ${index}`);
        return memoryPart(member.type, start + WORD * Number(index), data);
      };
      return { count: BigInt(members.length), names: members.map(({ name }) => name), part };
    }
    case 'fixedArray': {
      const part = (index: bigint): Value => memoryPart(type.item, start + WORD * Number(index), data);
      return { count: type.count, names: null, part };
    }
    case 'dynamicArray': {
      const item = type.item();
      const part = (index: bigint): Value => memoryPart(item, start + WORD * (Number(index) + 1), data);
      return { count: bytesToBigInt(wordAt(data.memory, start)), names: null, part };
    }
    default:
      return unknownType(type);
  }
}

/** Returns true if the ABI encodes the type with an offset. */
function isDynamic(type: StorageType): boolean {
  switch (type.kind) {
    case 'bytes':
    case 'dynamicArray':
      return true;
    case 'fixedArray':
      return isDynamic(type.item);
    case 'struct':
      return type.members.some((member) => isDynamic(member.type));
    default:
      return false;
  }
}

/** Returns the bytes of the head of a type. */
function headSize(type: StorageType): number {
  if (isDynamic(type)) return WORD;
  if (type.kind === 'fixedArray') return Number(type.count) * headSize(type.item);
  if (type.kind === 'struct') return type.members.reduce((sum, member) => sum + headSize(member.type), 0);
  return WORD;
}

/** Returns the value of a reference to calldata. `length` is set for dynamic arrays and bytes. */
export function calldataValue(
  type: StorageType,
  start: bigint,
  length: bigint | null,
  { input }: MachineData,
): Value {
  const at = placeIn(input, start, 'offset');
  if (type.kind === 'bytes') return bytesAt(input, at, placeIn(input, length ?? 0n, 'length'), type.isText);
  if (type.kind === 'dynamicArray')
    return { kind: 'calldata', type, start: at, length: placeIn(input, length ?? 0n, 'length') };
  if (type.kind === 'struct' || type.kind === 'fixedArray')
    return { kind: 'calldata', type, start: at, length: null };
  return unknownType(type);
}

/** Returns the part whose head is at an offset. Offsets of dynamic parts are relative to `base`. */
function calldataPart(type: StorageType, head: number, base: number, data: MachineData): Value {
  const word = wordAt(data.input, head);
  if (type.kind === 'value') return scalarIn(scalarType(type), word);
  if (!isDynamic(type)) return calldataValue(type, BigInt(head), null, data);
  const start = placeIn(data.input, BigInt(base) + bytesToBigInt(word), 'offset');
  if (type.kind !== 'bytes' && type.kind !== 'dynamicArray')
    return calldataValue(type, BigInt(start), null, data);
  return calldataValue(type, BigInt(start + WORD), bytesToBigInt(wordAt(data.input, start)), data);
}

export function calldataParts({ type, start, length }: CalldataPlace, data: MachineData): Parts {
  switch (type.kind) {
    case 'struct': {
      const { members } = type;
      const part = (index: bigint): Value => {
        const member = members[Number(index)];
        if (member === undefined) throw new RangeError(`a struct has no member ${index}`);
        const before = members.slice(0, Number(index)).reduce((sum, one) => sum + headSize(one.type), 0);
        return calldataPart(member.type, start + before, start, data);
      };
      return { count: BigInt(members.length), names: members.map(({ name }) => name), part };
    }
    case 'fixedArray':
    case 'dynamicArray': {
      const item = type.kind === 'fixedArray' ? type.item : type.item();
      const size = headSize(item);
      const count = type.kind === 'fixedArray' ? type.count : BigInt(length ?? 0);
      const part = (index: bigint): Value => calldataPart(item, start + size * Number(index), start, data);
      return { count, names: null, part };
    }
    default:
      return unknownType(type);
  }
}
