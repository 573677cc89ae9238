/** Decodes values from slots by Solidity and Vyper layouts, and formats them like decoded arguments. */

import { getAddress } from 'viem/utils';
import type { BytesType, StorageType, ValueType } from '../../artifacts/layout/storage-type.ts';
import { bigIntToFixedBytes, bytesToBigInt } from '../../primitives/bytes.ts';
import { toHex } from '../../primitives/hex.ts';
import { keccak256 } from '../../primitives/keccak.ts';

const WORD = 32;
const ADDRESS_SIZE = 20;
/** The decimal places of Vyper's `decimal`. */
export const DECIMAL_PLACES = 10;
/** Maximum bytes of a text or `bytes` value to return. */
const MAX_SHOWN_LENGTH = 4096;

/** Returns the 32 bytes of a slot. Throws `MissingStateError` if the slot must be fetched first. */
export type ReadSlot = (slot: bigint) => Uint8Array;

/** Numbers in decimal, bytes and addresses in hex, text unchanged. */
export type ShownValue = string | boolean;

/** Returns the slot number as 32 bytes, modulo 2^256 as in the EVM. */
export function slotBytes(slot: bigint): Uint8Array {
  return bigIntToFixedBytes(BigInt.asUintN(256, slot), WORD);
}

/** Decodes the value in a word. `offset` is its distance from the low end, in bytes. */
export function valueIn(type: ValueType, word: Uint8Array, offset: number): ShownValue {
  const part = word.subarray(WORD - offset - type.bytes, WORD - offset);
  switch (type.value) {
    case 'bool':
      return part.some((byte) => byte !== 0);
    case 'uint':
      return bytesToBigInt(part).toString();
    case 'int':
      return BigInt.asIntN(8 * part.length, bytesToBigInt(part)).toString();
    case 'decimal':
      return decimalText(BigInt.asIntN(8 * part.length, bytesToBigInt(part)));
    case 'address':
      return getAddress(toHex(part.subarray(-ADDRESS_SIZE)));
    case 'enum': {
      const number = bytesToBigInt(part);
      return type.names?.[Number(number)] ?? number.toString();
    }
    case 'bytes':
      return toHex(part.subarray(0, type.size));
    case 'function':
    case 'raw':
      return toHex(part);
  }
}

function decimalText(value: bigint): string {
  const sign = value < 0n ? '-' : '';
  const digits = (value < 0n ? -value : value).toString().padStart(DECIMAL_PLACES + 1, '0');
  return `${sign}${digits.slice(0, -DECIMAL_PLACES)}.${digits.slice(-DECIMAL_PLACES)}`;
}

/** Decodes a mapping key from a hash input. Values are padded to a word; text and bytes are not. */
export function keyValue(type: ValueType | BytesType, bytes: Uint8Array): ShownValue {
  if (type.kind === 'bytes') return shownBytes(bytes, bytes.length, type.isText);
  return valueIn({ ...type, bytes: WORD }, bytes, 0);
}

/** Returns the key's text within brackets. */
export function keyText(type: ValueType | BytesType, value: ShownValue): string {
  return type.kind === 'bytes' && type.isText ? JSON.stringify(value) : String(value);
}

/** Returns bytes as text or hex. Adds the whole length if they are a part. */
export function shownBytes(bytes: Uint8Array, length: number, isText: boolean): string {
  const text = isText ? Buffer.from(bytes).toString('utf8') : toHex(bytes);
  return length > bytes.length ? `${text}… (${length} bytes)` : text;
}

/** The length of a `bytes` or `string` value, and the location of its bytes. */
export interface LengthOfBytes {
  readonly length: number;
  /** The first slot of the bytes; `null` if they share the slot of the length. */
  readonly start: bigint | null;
}

/** Reads the length of Solidity's `bytes` or `string`; `null` if the slot's encoding is invalid. */
function lengthOfBytes(slot: bigint, word: Uint8Array): LengthOfBytes | null {
  const number = bytesToBigInt(word);
  if ((number & 1n) === 0n) {
    const length = Number(number & 0xffn) / 2;
    return length < WORD ? { length, start: null } : null;
  }
  const length = (number - 1n) / 2n;
  // No transaction could pay for a longer text.
  if (length < BigInt(WORD) || length > BigInt(Number.MAX_SAFE_INTEGER)) return null;
  return { length: Number(length), start: bytesToBigInt(keccak256(slotBytes(slot))) };
}

/**
 * Returns the displayed value: a value, text, bytes, or the length of an array. For an unknown type or an
 * invalid encoding, returns the word.
 */
export function shownValue(type: StorageType, slot: bigint, offset: number, read: ReadSlot): ShownValue {
  const word = read(slot);
  switch (type.kind) {
    case 'value':
      return valueIn(type, word, offset);
    case 'dynamicArray':
    case 'boundedArray':
      return bytesToBigInt(word).toString();
    case 'bytes': {
      const found = lengthOfBytes(slot, word);
      if (found === null) return toHex(word);
      if (found.start === null) return shownBytes(word.subarray(0, found.length), found.length, type.isText);
      return shownBytes(bytesFrom(found.start, found.length, read), found.length, type.isText);
    }
    case 'boundedBytes': {
      const length = bytesToBigInt(word);
      if (length > (type.slots - 1n) * BigInt(WORD)) return toHex(word);
      return shownBytes(bytesFrom(slot + 1n, Number(length), read), Number(length), type.isText);
    }
    default:
      return toHex(word);
  }
}

function bytesFrom(start: bigint, length: number, read: ReadSlot): Uint8Array {
  const bytes = new Uint8Array(Math.min(length, MAX_SHOWN_LENGTH));
  for (let at = 0; at < bytes.length; at += WORD) {
    bytes.set(read(BigInt.asUintN(256, start + BigInt(at / WORD))).subarray(0, bytes.length - at), at);
  }
  return bytes;
}
