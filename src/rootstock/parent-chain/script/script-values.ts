// The values on the stack of a script: bytes, read as numbers and booleans.

import { ScriptError } from './script-error.ts';

export const TRUE: Uint8Array = Uint8Array.of(1);
const FALSE: Uint8Array = new Uint8Array(0);

/** The maximum size of an operand of arithmetic. */
export const NUMBER_SIZE = 4;
/** The maximum size of a lock time. */
export const LOCK_TIME_SIZE = 5;

/** Returns true unless the bytes are zero or negative zero. */
export function isTrue(value: Uint8Array): boolean {
  return value.some((byte, index) => byte !== 0 && !(index === value.length - 1 && byte === 0x80));
}

/** Decodes a number: little-endian, the sign in the top bit. Throws {@link ScriptError} if it is too long. */
export function decodeNumber(value: Uint8Array, maximum: number, requiresMinimal: boolean): number {
  if (value.length > maximum) throw new ScriptError('UNKNOWN');
  const last = value.at(-1) ?? 0;
  const before = value.at(-2) ?? 0;
  if (
    requiresMinimal &&
    value.length > 0 &&
    (last & 0x7f) === 0 &&
    (value.length === 1 || (before & 0x80) === 0)
  ) {
    throw new ScriptError('UNKNOWN');
  }
  let result = 0;
  for (const [index, byte] of value.entries()) {
    const isLast = index === value.length - 1;
    result += (isLast ? byte & 0x7f : byte) * 256 ** index;
  }
  return (last & 0x80) !== 0 ? -result : result;
}

/** Encodes a number in its shortest form; no bytes for zero. */
export function encodeNumber(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = Math.abs(value); rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256);
  const last = bytes.at(-1);
  if (last === undefined) return FALSE;
  if ((last & 0x80) !== 0) bytes.push(value < 0 ? 0x80 : 0);
  else if (value < 0) bytes[bytes.length - 1] = last | 0x80;
  return Uint8Array.from(bytes);
}

export function encodeBoolean(value: boolean): Uint8Array {
  return value ? TRUE : FALSE;
}
