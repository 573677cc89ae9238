// Reads values of other nodes in any notation; invalid values are `undefined`.
import { padLeft, stripLeadingZeros } from '../primitives/bytes.ts';
import { fromHex } from '../primitives/hex.ts';

/** A JSON object of an upstream. Other kinds of nodes omit fields, add others and use other notations. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns the value as an object; `undefined` for other values. */
export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

/**
 * Reads a QUANTITY in any notation: leading zeros, `0x` alone, decimal digits, or a JSON number; `undefined`
 * if absent, `null` or invalid.
 */
export function tolerantQuantity(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined;
  if (typeof value !== 'string') return undefined;
  if (/^0x$/i.test(value)) return 0n;
  return /^(0x[0-9a-f]+|\d+)$/i.test(value) ? BigInt(value.toLowerCase()) : undefined;
}

/**
 * Reads DATA in any notation: an odd number of digits, upper case, no `0x`; `undefined` if absent or invalid.
 */
export function tolerantData(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'string') return undefined;
  const digits = value.replace(/^0x/i, '');
  if (!/^[0-9a-f]*$/i.test(digits)) return undefined;
  return fromHex(`0x${digits.length % 2 === 1 ? '0' : ''}${digits}`);
}

/** Reads DATA of `size` bytes, with leading zeros optional; `undefined` if absent, longer or invalid. */
export function tolerantFixedData(value: unknown, size: number): Uint8Array | undefined {
  const bytes = tolerantData(value);
  if (bytes === undefined || bytes.length > size) return undefined;
  return padLeft(bytes, size);
}

/**
 * Reads the value of a slot without leading zeros, from any number of bytes up to 32; `undefined` if invalid.
 */
export function tolerantWord(value: unknown): Uint8Array | undefined {
  const bytes = tolerantData(value);
  return bytes === undefined || bytes.length > 32 ? undefined : stripLeadingZeros(bytes);
}
