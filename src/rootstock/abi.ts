// The Contract ABI as the network's native contracts decode it.

import { PrecompileError } from '../evm/precompiles/precompiled-contract.ts';
import {
  bigIntToFixedBytes,
  bytesToBigInt,
  concatBytes,
  EMPTY_BYTES,
  joinBytes,
} from '../primitives/bytes.ts';
import { keccak256 } from '../primitives/keccak.ts';

/** A type of arguments and results of the network's contracts (Solidity documentation, Contract ABI). */
export type AbiType =
  | `int${number}`
  | `uint${number}`
  | 'bool'
  | 'address'
  | 'bytes32'
  | 'bytes'
  | 'string'
  | AbiArrayType;

/** An array of any length. */
export type AbiArrayType = 'int256[]' | 'uint256[]' | 'address[]' | 'bytes32[]' | 'bytes[]' | 'string[]';

/** A value of a type: addresses are 20 bytes. */
export type AbiValue<Type extends AbiType = AbiType> = Type extends `${infer Item extends AbiType}[]`
  ? readonly AbiValue<Item>[]
  : Type extends `int${number}` | `uint${number}`
    ? bigint
    : Type extends 'bool'
      ? boolean
      : Type extends 'string'
        ? string
        : Uint8Array;

/** The values of a list of types. */
export type AbiValues<Types extends readonly AbiType[]> = {
  readonly [Index in keyof Types]: AbiValue<Types[Index]>;
};

type AnyValue = bigint | boolean | string | Uint8Array | readonly AnyValue[];

const WORD = 32;
const ADDRESS_SIZE = 20;
const SELECTOR_SIZE = 4;
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });
const ENCODER = new TextEncoder();

/**
 * Returns the selector of a function: the first four bytes of the Keccak hash of its name with the types of its
 * arguments.
 */
export function abiSelector(name: string, inputs: readonly AbiType[]): Uint8Array {
  return keccak256(ENCODER.encode(`${name}(${inputs.join(',')})`)).subarray(0, SELECTOR_SIZE);
}

/**
 * Returns the values of the bytes after a selector. As on the network, no bytes at all mean zeros, numbers are read as
 * signed even if the type is unsigned, and of offsets and lengths only the last 32 bits count. Throws a
 * `PrecompileError` for bytes that end too early.
 */
export function decodeAbi<const Types extends readonly AbiType[]>(
  types: Types,
  data: Uint8Array,
): AbiValues<Types> {
  return readValues(new AbiReader(data), types) as AbiValues<Types>;
}

function readValues(reader: AbiReader, types: readonly AbiType[]): readonly AnyValue[] {
  return types.map((type, index) => {
    const head = index * WORD;
    return reader.value(type, isDynamic(type) ? reader.size(head) : head);
  });
}

/**
 * Returns the bytes after a selector without those that {@link decodeAbi} does not read at their end. The last word is filled
 * with zeros. Throws a `PrecompileError` for bytes that end too early.
 */
export function trimAbi(types: readonly AbiType[], data: Uint8Array): Uint8Array {
  const reader = new AbiReader(data);
  readValues(reader, types);
  const trimmed = new Uint8Array(Math.ceil(reader.end / WORD) * WORD);
  trimmed.set(data.subarray(0, reader.end));
  return trimmed;
}

/**
 * Returns the values as a call's arguments or results. As on the network, empty `bytes` and `string` take a word of
 * zeros.
 */
export function encodeAbi<const Types extends readonly AbiType[]>(
  types: Types,
  values: AbiValues<Types>,
): Uint8Array {
  return encodeTuple(types, values);
}

/** True for arrays, bytes and texts, which follow the heads at an offset. */
function isDynamic(type: AbiType): boolean {
  return type === 'bytes' || type === 'string' || type.endsWith('[]');
}

function itemOf(type: AbiType): AbiType | null {
  return type.endsWith('[]') ? (type.slice(0, -'[]'.length) as AbiType) : null;
}

class AbiReader {
  readonly #data: Uint8Array;
  #end = 0;

  constructor(data: Uint8Array) {
    this.#data = data;
  }

  /** The number of bytes up to the last one that was read. */
  get end(): number {
    return this.#end;
  }

  value(type: AbiType, start: number): AnyValue {
    const item = itemOf(type);
    if (item !== null) return this.#array(item, start);
    switch (type) {
      case 'bool':
        return this.#number(start) !== 0n;
      case 'address':
        return this.#word(start).subarray(WORD - ADDRESS_SIZE);
      case 'bytes32':
        return this.#word(start);
      case 'bytes':
        return this.#bytes(start);
      case 'string':
        return DECODER.decode(this.#bytes(start));
      default:
        return this.#number(start);
    }
  }

  /** Returns an offset or a length. */
  size(start: number): number {
    return Number(BigInt.asIntN(WORD, this.#number(start)));
  }

  #array(item: AbiType, start: number): AnyValue[] {
    if (this.#data.length === 0) return [];
    const length = this.size(start);
    const items = start + WORD;
    // A list of empty items could be longer than its data.
    this.#slice(items, length);
    return Array.from({ length }, (_, index) => {
      const head = items + index * WORD;
      return this.value(item, isDynamic(item) ? items + this.size(head) : head);
    });
  }

  #bytes(start: number): Uint8Array {
    const length = this.size(start);
    return length === 0 ? EMPTY_BYTES : this.#slice(start + WORD, length);
  }

  #number(start: number): bigint {
    return BigInt.asIntN(256, bytesToBigInt(this.#word(start)));
  }

  #word(start: number): Uint8Array {
    return this.#data.length === 0 ? new Uint8Array(WORD) : this.#slice(start, WORD);
  }

  #slice(start: number, length: number): Uint8Array {
    if (start < 0 || length < 0 || start + length > this.#data.length) {
      throw new PrecompileError('the arguments are too short');
    }
    this.#end = Math.max(this.#end, start + length);
    return this.#data.subarray(start, start + length);
  }
}

function encodeTuple(types: readonly AbiType[], values: readonly AnyValue[]): Uint8Array {
  const heads: Uint8Array[] = [];
  const tails: Uint8Array[] = [];
  let offset = types.length * WORD;
  types.forEach((type, index) => {
    const value = values[index];
    if (value === undefined) throw new Error(`no value can have the type ${type}`);
    const encoded = encodeValue(type, value);
    if (!isDynamic(type)) {
      heads.push(encoded);
      return;
    }
    heads.push(word(BigInt(offset)));
    tails.push(encoded);
    offset += encoded.length;
  });
  return joinBytes([...heads, ...tails]);
}

function encodeValue(type: AbiType, value: AnyValue): Uint8Array {
  const item = itemOf(type);
  if (typeof value === 'bigint') return word(value);
  if (typeof value === 'boolean') return word(value ? 1n : 0n);
  if (typeof value === 'string') return encodeBytes(ENCODER.encode(value));
  if (!(value instanceof Uint8Array)) {
    if (item === null) throw new Error(`the value is a list, but the type is ${type}`);
    const types = value.map(() => item);
    return concatBytes(word(BigInt(value.length)), encodeTuple(types, value));
  }
  return isDynamic(type) ? encodeBytes(value) : word(bytesToBigInt(value));
}

function encodeBytes(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.max(1, Math.ceil(bytes.length / WORD)) * WORD);
  padded.set(bytes);
  return concatBytes(word(BigInt(bytes.length)), padded);
}

function word(value: bigint): Uint8Array {
  return bigIntToFixedBytes(BigInt.asUintN(256, value), WORD);
}
