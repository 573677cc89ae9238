import { padLeft, stripLeadingZeros } from '../primitives/bytes.ts';
import { fromHex } from '../primitives/hex.ts';
import { ForkPointError } from './errors.ts';

/** A JSON object of an upstream. Other node implementations omit fields, add others and encode values differently. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns the value as an object; `undefined` for anything else. */
export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

/**
 * Returns a QUANTITY in any encoding: leading zeros, `0x` alone, decimal digits, a JSON number; `undefined` for a
 * missing value, `null` or no number.
 */
export function tolerantQuantity(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined;
  if (typeof value !== 'string') return undefined;
  if (/^0x$/i.test(value)) return 0n;
  return /^(0x[0-9a-f]+|\d+)$/i.test(value) ? BigInt(value.toLowerCase()) : undefined;
}

/**
 * Returns DATA in any encoding: an odd number of digits, upper case, no `0x`; `undefined` for a missing value or no
 * data.
 */
export function tolerantData(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'string') return undefined;
  const digits = value.replace(/^0x/i, '');
  if (!/^[0-9a-f]*$/i.test(digits)) return undefined;
  return fromHex(`0x${digits.length % 2 === 1 ? '0' : ''}${digits}`);
}

/**
 * Returns DATA of that many bytes, with omitted leading zeros restored; `undefined` for a missing or longer value, or
 * no data.
 */
export function tolerantFixedData(value: unknown, size: number): Uint8Array | undefined {
  const bytes = tolerantData(value);
  if (bytes === undefined || bytes.length > size) return undefined;
  return padLeft(bytes, size);
}

/** Returns the value of a slot, without leading zeros, whatever its length on the wire; `undefined` for no data. */
export function tolerantWord(value: unknown): Uint8Array | undefined {
  const bytes = tolerantData(value);
  return bytes === undefined || bytes.length > 32 ? undefined : stripLeadingZeros(bytes);
}

/** Reads the fields of one object of the upstream, which error messages call `what`. */
export class UpstreamFields {
  readonly #fields: JsonObject;
  readonly #what: string;

  /** Throws a {@link ForkPointError} for a value that is no object. */
  constructor(value: unknown, what: string) {
    const fields = asObject(value);
    if (fields === undefined) throw new ForkPointError(`The upstream of the fork has no ${what}`);
    this.#fields = fields;
    this.#what = what;
  }

  /** Returns the field unchanged. */
  raw(name: string): unknown {
    return this.#fields[name];
  }

  /** Returns a required quantity. Throws a {@link ForkPointError} when it is missing. */
  quantity(name: string): bigint {
    return this.#required(name, tolerantQuantity(this.#fields[name]));
  }

  /** Returns a quantity, or `otherwise` when it is missing. */
  optionalQuantity<Otherwise>(name: string, otherwise: Otherwise): bigint | Otherwise {
    return tolerantQuantity(this.#fields[name]) ?? otherwise;
  }

  /** Returns a required count, index or time. Throws a {@link ForkPointError} when it is missing. */
  number(name: string): number {
    return Number(this.quantity(name));
  }

  /** Returns required bytes of a fixed size. Throws a {@link ForkPointError} when they are missing. */
  fixed(name: string, size: number): Uint8Array {
    return this.#required(name, tolerantFixedData(this.#fields[name], size));
  }

  /** Returns bytes of a fixed size, or `otherwise` when they are missing. */
  optionalFixed<Otherwise>(name: string, size: number, otherwise: Otherwise): Uint8Array | Otherwise {
    return tolerantFixedData(this.#fields[name], size) ?? otherwise;
  }

  /** Returns bytes; none when they are missing. */
  data(name: string): Uint8Array {
    return tolerantData(this.#fields[name]) ?? new Uint8Array(0);
  }

  #required<Value>(name: string, value: Value | undefined): Value {
    if (value !== undefined) return value;
    const given = JSON.stringify(this.#fields[name])?.slice(0, 80) ?? 'nothing';
    throw new ForkPointError(`The upstream of the fork gives ${given} as ${name} of its ${this.#what}`);
  }
}

/** Returns the number of a block, or `undefined` when the upstream has not mined the object yet. */
export function blockNumberOf(value: unknown, field = 'blockNumber'): number | undefined {
  const number = tolerantQuantity(asObject(value)?.[field]);
  return number === undefined ? undefined : Number(number);
}
