import { namesOf } from '../json/json-writer.ts';
import { padLeft } from '../primitives/bytes.ts';
import { fromHex, isHexData, readHex } from '../primitives/hex.ts';
import { isRecord } from '../primitives/record.ts';
import { InvalidDumpError } from './errors.ts';

const QUANTITY = /^0x[0-9a-fA-F]{1,64}$/;
const MAX_SHOWN_LENGTH = 60;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= MAX_SHOWN_LENGTH ? text : `${text.slice(0, MAX_SHOWN_LENGTH)}…`;
}

/** A value of a JSON dump with its path. An invalid value throws {@link InvalidDumpError} with the path. */
export class StrictValue {
  readonly #value: unknown;
  readonly #name: string | number;
  readonly #owner: StrictValue | null;

  /** `name` is its path; with an `owner` its name or index there. */
  constructor(value: unknown, name: string | number, owner: StrictValue | null = null) {
    this.#value = value;
    this.#name = name;
    this.#owner = owner;
  }

  /** The path. It is composed for errors only. */
  get #place(): string {
    const name = this.#name;
    const above = this.#owner === null ? '' : this.#owner.#place;
    if (typeof name === 'number') return `${above}[${name}]`;
    return above === '' ? name : `${above}.${name}`;
  }

  /** Returns an error with the expected value at this path. */
  fault(expected: string): InvalidDumpError {
    const place = this.#place === '' ? '' : `${this.#place}: `;
    return new InvalidDumpError(`${place}expected ${expected}, got ${shown(this.#value)}`);
  }

  /** Returns an error with a problem of the value at this path. */
  problem(message: string): InvalidDumpError {
    return new InvalidDumpError(this.#place === '' ? message : `${this.#place}: ${message}`);
  }

  /** Throws the {@link fault}. */
  refuse(expected: string): never {
    throw this.fault(expected);
  }

  /** True for `null` and for a missing value. */
  get isNothing(): boolean {
    return this.#value === null || this.#value === undefined;
  }

  /** Returns the result of `read` for the value; `null` if absent. */
  orNull<T>(read: (value: StrictValue) => T): T | null {
    return this.isNothing ? null : read(this);
  }

  /** True for an object, but not for an array. */
  get isObject(): boolean {
    return isRecord(this.#value);
  }

  #object(): object {
    return isRecord(this.#value) ? this.#value : this.refuse('an object');
  }

  /** Returns a field of an object; an absent field has the value `undefined`. */
  field(name: string): StrictValue {
    const object = this.#object();
    const value: unknown = Object.hasOwn(object, name) ? Reflect.get(object, name) : undefined;
    return new StrictValue(value, name, this);
  }

  /** Returns the field `name`, or `other` if only that one is present. */
  either(name: string, other: string | undefined): StrictValue {
    const first = this.field(name);
    const second = first.isNothing && other !== undefined ? this.field(other) : first;
    return second.isNothing ? first : second;
  }

  /** Yields the items of an array one by one, because this needs less memory for long arrays. */
  *eachItem(): Generator<StrictValue, void, undefined> {
    if (!Array.isArray(this.#value)) return this.refuse('an array');
    let index = 0;
    for (const item of this.#value as readonly unknown[]) yield new StrictValue(item, index++, this);
  }

  /** Returns a copy of the object with another value of a field. */
  with(name: string, value: unknown): StrictValue {
    return new StrictValue({ ...this.#object(), [name]: value }, this.#name, this.#owner);
  }

  names(): readonly string[] {
    return namesOf(this.#object());
  }

  items(): StrictValue[] {
    if (!Array.isArray(this.#value)) return this.refuse('an array');
    return this.#value.map((item: unknown, index) => new StrictValue(item, index, this));
  }

  /** True for DATA, of exactly `length` bytes if given. */
  isData(length?: number): boolean {
    const value = this.#value;
    const isLong = length === undefined || (typeof value === 'string' && value.length === 2 + 2 * length);
    return typeof value === 'string' && isLong && isHexData(value);
  }

  /** Returns the bytes of DATA, exactly `length` bytes if given. */
  bytes(length?: number): Uint8Array {
    const value = this.#value;
    const isRight = typeof value === 'string' && (length === undefined || value.length === 2 + 2 * length);
    const bytes = isRight ? readHex(value) : undefined;
    return bytes ?? this.refuse(length === undefined ? 'DATA' : `DATA of ${length} bytes`);
  }

  /** Returns an unsigned integer of at most `bits` bits: hex with 0x, or a JSON number. */
  quantity(bits = 256): bigint {
    const value = this.#value;
    const isText = typeof value === 'string' && QUANTITY.test(value);
    const isNumber = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
    const quantity = isText || isNumber ? BigInt(value) : undefined;
    if (quantity === undefined || quantity >= 2n ** BigInt(bits))
      return this.refuse(`a QUANTITY of ${bits} bits`);
    return quantity;
  }

  /** Returns a {@link quantity} below 2^53 as a number. */
  count(): number {
    return Number(this.quantity(53));
  }

  /** Returns a JSON number that is an integer and may be negative. */
  integer(): number {
    const value = this.#value;
    return typeof value === 'number' && Number.isSafeInteger(value) ? value : this.refuse('a whole number');
  }

  /** Returns a positive, finite JSON number. */
  positive(): number {
    const value = this.#value;
    const isRight = typeof value === 'number' && Number.isFinite(value) && value > 0;
    return isRight ? value : this.refuse('a number above 0');
  }

  flag(): boolean {
    return typeof this.#value === 'boolean' ? this.#value : this.refuse('true or false');
  }

  text(): string {
    return typeof this.#value === 'string' ? this.#value : this.refuse('a string');
  }

  get isNumber(): boolean {
    return typeof this.#value === 'number';
  }

  get isArray(): boolean {
    return Array.isArray(this.#value);
  }

  /** The JSON value. */
  get json(): unknown {
    return this.#value;
  }
}

/**
 * Returns the bytes of DATA or of a QUANTITY, padded with zeros on the left to `length` bytes; `undefined`
 * for an invalid or longer text.
 */
export function readPadded(text: string, length: number): Uint8Array | undefined {
  if (!/^0x[0-9a-fA-F]*$/.test(text) || text.length > 2 + 2 * length) return undefined;
  return padLeft(fromHex(text.length % 2 === 0 ? text : `0x0${text.slice(2)}`), length);
}
