// Values of other nodes, which spell them their own way: what they mean is read, and what cannot be meant is `undefined`.
import { padLeft, stripLeadingZeros } from '../primitives/bytes.ts';
import { fromHex } from '../primitives/hex.ts';

/** A JSON object of an upstream. Nodes of other makes leave fields out, add others and spell values their own way. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value as an object; `undefined` for anything else. */
export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

/**
 * A QUANTITY however it is spelled: leading zeros, `0x` alone, decimal digits, a JSON number; `undefined` for what is
 * absent, `null` or no number.
 */
export function tolerantQuantity(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined;
  if (typeof value !== 'string') return undefined;
  if (/^0x$/i.test(value)) return 0n;
  return /^(0x[0-9a-f]+|\d+)$/i.test(value) ? BigInt(value.toLowerCase()) : undefined;
}

/** DATA however it is spelled: an odd digit in front, upper case, no `0x`; `undefined` for what is absent or no data. */
export function tolerantData(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'string') return undefined;
  const digits = value.replace(/^0x/i, '');
  if (!/^[0-9a-f]*$/i.test(digits)) return undefined;
  return fromHex(`0x${digits.length % 2 === 1 ? '0' : ''}${digits}`);
}

/** DATA of that many bytes, zeros in front that were left out; `undefined` for what is absent, longer, or no data. */
export function tolerantFixedData(value: unknown, size: number): Uint8Array | undefined {
  const bytes = tolerantData(value);
  if (bytes === undefined || bytes.length > size) return undefined;
  return padLeft(bytes, size);
}

/** The value of a slot, without leading zeros, whatever its length on the wire; `undefined` for no data. */
export function tolerantWord(value: unknown): Uint8Array | undefined {
  const bytes = tolerantData(value);
  return bytes === undefined || bytes.length > 32 ? undefined : stripLeadingZeros(bytes);
}
