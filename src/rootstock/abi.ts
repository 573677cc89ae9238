// The Contract ABI as Rootstock's precompiles decode it.

import { PrecompileError } from '../evm/precompiles/precompiled-contract.ts';
import {
  bigIntToFixedBytes,
  bytesToBigInt,
  concatBytes,
  EMPTY_BYTES,
  joinBytes,
} from '../primitives/bytes.ts';
import { keccak256 } from '../primitives/keccak.ts';

/** A type of arguments and results (Solidity documentation, Contract ABI). */
export type AbiType =
  | `int${number}`
  | `uint${number}`
  | 'bool'
  | 'address'
  | 'bytes32'
  | 'bytes'
  | 'string'
  | AbiArrayType;

export type AbiArrayType = 'int256[]' | 'uint256[]' | 'address[]' | 'bytes32[]' | 'bytes[]' | 'string[]';

/** A value of an ABI type; addresses are 20 bytes. */
export type AbiValue<Type extends AbiType = AbiType> = Type extends `${infer Item extends AbiType}[]`
  ? readonly AbiValue<Item>[]
  : Type extends `int${number}` | `uint${number}`
    ? bigint
    : Type extends 'bool'
      ? boolean
      : Type extends 'string'
        ? string
        : Uint8Array;

export type AbiValues<Types extends readonly AbiType[]> = {
  readonly [Index in keyof Types]: AbiValue<Types[Index]>;
};

type AnyValue = bigint | boolean | string | Uint8Array | readonly AnyValue[];

const WORD = 32;
const ADDRESS_SIZE = 20;
const SELECTOR_SIZE = 4;
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });
const ENCODER = new TextEncoder();

/** Returns the function selector (4 bytes). */
export function abiSelector(name: string, inputs: readonly AbiType[]): Uint8Array {
  return keccak256(ENCODER.encode(`${name}(${inputs.join(',')})`)).subarray(0, SELECTOR_SIZE);
}

/**
 * Decodes the bytes after a selector. As on Rootstock, an empty input decodes to zeros. Numbers are read as
 * signed even if their type is unsigned. Only the last 32 bits of offsets and lengths count. Throws
 * `PrecompileError` for truncated bytes.
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
 * Returns the bytes after a selector, without trailing bytes that {@link decodeAbi} does not read. Pads the
 * last word with zeros. Throws `PrecompileError` for truncated bytes.
 */
export function trimAbi(types: readonly AbiType[], data: Uint8Array): Uint8Array {
  const reader = new AbiReader(data);
  readValues(reader, types);
  const trimmed = new Uint8Array(Math.ceil(reader.end / WORD) * WORD);
  trimmed.set(data.subarray(0, reader.end));
  return trimmed;
}

/** Encodes arguments or results. As on Rootstock, empty `bytes` and `string` have a word of zeros as data. */
export function encodeAbi<const Types extends readonly AbiType[]>(
  types: Types,
  values: AbiValues<Types>,
): Uint8Array {
  return encodeTuple(types, values);
}

/** Returns true for types encoded at an offset: arrays, bytes and strings. */
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

  /** The offset after the last byte read. */
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

  /** Reads an offset or a length. */
  size(start: number): number {
    return Number(BigInt.asIntN(WORD, this.#number(start)));
  }

  #array(item: AbiType, start: number): AnyValue[] {
    if (this.#data.length === 0) return [];
    const length = this.size(start);
    const items = start + WORD;
    // A malformed array of empty items could have more items than bytes.
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
