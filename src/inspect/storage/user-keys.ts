/** Parses mapping keys from a client, in the same format as reported mapping entries. */

import type { BytesType, MappingType, ValueType } from '../../artifacts/layout/storage-type.ts';
import { bigIntToFixedBytes, concatBytes, padLeft } from '../../primitives/bytes.ts';
import { fromHex } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';
import { MAX_PREIMAGE } from './preimages.ts';
import { DECIMAL_PLACES, slotBytes } from './storage-value.ts';

/** A key as JSON: `5`, `"5"`, `"0x70…"`, `true`, `"a text"`. */
export type UserKey = string | number | boolean;

export interface UserKeys {
  /** The full name of the mapping: `balances`, `pairs[5].owners`. */
  readonly variable: string;
  /** Each path has the key of the mapping, then the keys of inner mappings. */
  readonly paths: readonly (readonly UserKey[])[];
}

/** Thrown if no mapping has the name, or if a key does not fit its mapping. */
export class UserKeyError extends Error {
  override readonly name = 'UserKeyError';

  /** `path` is the name of the mapping, then the index of the path, then the index of its key. */
  constructor(
    readonly path: readonly (string | number)[],
    readonly expected: string,
    readonly got: unknown,
  ) {
    super(`expected ${expected}`);
  }
}

const WORD = 32;
const INTEGER = /^-?(?:\d{1,78}|0x[0-9a-f]{1,64})$/i;
const HEX = /^0x(?:[0-9a-f]{2})*$/i;
const DECIMAL = /^(?<sign>-?)(?<whole>\d{1,50})(?:\.(?<rest>\d{1,10}))?$/;

/** The hash inputs of a key. */
export interface HashedKey {
  /** The key as part of `input`. Vyper hashes text and bytes first. */
  readonly bytes: Uint8Array;
  /** The text or bytes before that hash; `null` for other keys. */
  readonly text: Uint8Array | null;
  /** The input whose hash is the slot of the entry. */
  readonly input: Uint8Array;
}

/** Returns the hash inputs for an entry of the mapping at a slot; `null` if the key has the wrong type. */
export function hashedKey({ key: type, order }: MappingType, slot: bigint, key: UserKey): HashedKey | null {
  const given = type.kind === 'bytes' ? bytesOf(type, key) : wordOf(type, key);
  if (given === null) return null;
  const isHashed = type.kind === 'bytes' && order === 'slotFirst';
  const bytes = isHashed ? keccak256(given) : given;
  const parts = [bytes, slotBytes(slot)];
  const input = concatBytes(...(order === 'keyFirst' ? parts : parts.reverse()));
  return { bytes, text: isHashed ? given : null, input };
}

/** Returns a description of the mapping's keys: `a key of type uint8`. */
export function expectedKey({ key: type }: MappingType): string {
  const names = type.kind === 'value' ? type.names : null;
  return names === null ? `a key of type ${type.label}` : `a key of type ${type.label}: ${names.join(', ')}`;
}

function bytesOf({ isText }: BytesType, key: UserKey): Uint8Array | null {
  if (typeof key !== 'string' || key.length > 2 * MAX_PREIMAGE) return null;
  const bytes = isText ? new TextEncoder().encode(key) : hexBytes(key);
  return bytes !== null && bytes.length <= MAX_PREIMAGE - WORD ? bytes : null;
}

function hexBytes(key: UserKey): Uint8Array | null {
  return typeof key === 'string' && HEX.test(key) ? fromHex(key as `0x${string}`) : null;
}

/** Returns the 32 bytes of a value as they are hashed. */
function wordOf(type: ValueType, key: UserKey): Uint8Array | null {
  switch (type.value) {
    case 'bool':
      return typeof key === 'boolean' ? slotBytes(key ? 1n : 0n) : null;
    case 'uint':
      return integerWord(integerOf(key), type.size, false);
    case 'int':
      return integerWord(integerOf(key), type.size, true);
    case 'decimal':
      return integerWord(decimalOf(key), type.size, true);
    case 'enum': {
      const index = type.names?.indexOf(String(key)) ?? -1;
      return integerWord(index < 0 ? integerOf(key) : BigInt(index), type.size, false);
    }
    case 'address': {
      const bytes = hexBytes(key);
      return bytes?.length === type.size ? padLeft(bytes, WORD) : null;
    }
    case 'bytes': {
      const bytes = hexBytes(key);
      return bytes?.length === type.size ? concatBytes(bytes, new Uint8Array(WORD - bytes.length)) : null;
    }
    case 'function':
    case 'raw': {
      const bytes = hexBytes(key);
      return bytes?.length === WORD ? bytes : null;
    }
  }
}

function integerOf(key: UserKey): bigint | null {
  if (typeof key === 'number') return Number.isSafeInteger(key) ? BigInt(key) : null;
  if (typeof key !== 'string' || !INTEGER.test(key)) return null;
  return key.startsWith('-') ? -BigInt(key.slice(1)) : BigInt(key);
}

/** Returns the number in the smallest unit of Vyper's `decimal`. */
function decimalOf(key: UserKey): bigint | null {
  const { sign, whole, rest = '' } = DECIMAL.exec(String(key))?.groups ?? {};
  if (whole === undefined) return null;
  const digits = BigInt(`${whole}${rest.padEnd(DECIMAL_PLACES, '0')}`);
  return sign === '-' ? -digits : digits;
}

function integerWord(number: bigint | null, size: number, isSigned: boolean): Uint8Array | null {
  if (number === null) return null;
  const bits = 8 * size;
  const held = isSigned ? BigInt.asIntN(bits, number) : BigInt.asUintN(bits, number);
  return held === number ? bigIntToFixedBytes(BigInt.asUintN(8 * WORD, number), WORD) : null;
}
