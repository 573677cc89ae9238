import { namesOf } from '../../json/json-writer.ts';
import { finish, type Steps } from '../../primitives/steps.ts';
import type { JsonSchema } from '../../wire/values.ts';
import { InvalidParamsError, InvalidValueError } from '../errors.ts';

/** Reads one kind of JSON value, and describes it for clients. */
export interface Codec<T> {
  /** Checks and converts a value. Returns a task that yields if the value may be large. */
  readonly read: (value: unknown) => Reading<T> | Steps<Reading<T>>;
  /** The schema of the preferred form, for the OpenRPC document. */
  readonly jsonSchema: JsonSchema;
  /** For an object: the names of its fields, to detect typos. */
  readonly fieldNames?: ReadonlySet<string>;
}

/**
 * A codec of a value that names a block or a transaction, or contains its name. On a fork, the upstream may
 * have that block or transaction. `defineMethod` therefore requires a fork rule for a parameter with this
 * codec.
 */
export interface HistoricCodec<T> extends Codec<T> {
  readonly isHistoric: true;
}

/** Marks a codec of a value that names a block or a transaction. */
export function historic<T>(codec: Codec<T>): HistoricCodec<T> {
  return { ...codec, isHistoric: true };
}

/** The result of reading a value: the decoded value, or the first complaint. */
export type Reading<T> = { readonly value: T } | Complaint;

/** The path of an invalid part of a value. `isOutOfRange` marks a valid form with a value out of range. */
export interface Complaint {
  readonly path: readonly (string | number)[];
  readonly expected: string;
  readonly isOutOfRange?: true;
}

export type Decoded<C> = C extends Codec<infer T> ? T : never;

/** Work units per array item, record entry or object, without their contents. */
export const ITEM_WORK = 64;

export function isUnfinished<T>(reading: Reading<T> | Steps<Reading<T>>): reading is Steps<Reading<T>> {
  return 'next' in reading;
}

/** Reads a small value without yielding. */
export function readSync<T>(codec: Codec<T>, value: unknown): Reading<T> {
  const begun = codec.read(value);
  if (!isUnfinished(begun)) return begun;
  return finish(begun);
}

/** Prefixes the path of a complaint with `key`. */
export function complaintBelow(key: string | number, complaint: Complaint): Complaint {
  return { ...complaint, path: [key, ...complaint.path] };
}

/**
 * A codec of a value without parts. `decode` returns `undefined` for an invalid value, and `expected` then
 * describes the valid ones. If `hasForm` is true for an invalid value, the error is an
 * {@link InvalidValueError}.
 */
export function leaf<T>(
  expected: string,
  jsonSchema: JsonSchema,
  decode: (value: unknown) => T | undefined,
  hasForm: (value: unknown) => boolean = () => false,
): Codec<T> {
  return {
    read: (value) => {
      const decoded = decode(value);
      if (decoded !== undefined) return { value: decoded };
      return hasForm(value) ? { path: [], expected, isOutOfRange: true } : { path: [], expected };
    },
    jsonSchema: { ...jsonSchema, description: expected },
  };
}

/** A codec of values with several forms. `choose` selects the codec by the form of the value. */
export function chosenBy<T>(
  choose: (value: unknown) => Codec<T>,
  alternatives: readonly Codec<T>[],
): Codec<T> {
  return {
    read: (value) => choose(value).read(value),
    jsonSchema: { oneOf: alternatives.map((alternative) => alternative.jsonSchema) },
  };
}

export function arrayOf<T>(item: Codec<T>, expected: string, maximum = Number.POSITIVE_INFINITY): Codec<T[]> {
  const jsonSchema = { type: 'array', items: item.jsonSchema, description: expected };
  return {
    read: (value) =>
      Array.isArray(value) && value.length <= maximum ? readItems(item, value) : { path: [], expected },
    jsonSchema: Number.isFinite(maximum) ? { ...jsonSchema, maxItems: maximum } : jsonSchema,
  };
}

function* readItems<T>(item: Codec<T>, given: readonly unknown[]): Steps<Reading<T[]>> {
  const items: T[] = [];
  for (const value of given) {
    const begun = item.read(value);
    const reading = isUnfinished(begun) ? yield* begun : begun;
    if (!('value' in reading)) return complaintBelow(items.length, reading);
    items.push(reading.value);
    yield ITEM_WORK;
  }
  return { value: items };
}

/** The decoded fields; `null` for a field that is `null` or absent. */
export type DecodedFields<Fields extends Readonly<Record<string, Codec<unknown>>>> = {
  readonly [Name in keyof Fields]: Decoded<Fields[Name]> | null;
};

const PROTOTYPE_KEY = '__proto__';
const NO_SUCH_KEY = 'no key with this name';
const MAX_SHOWN_LENGTH = 100;

/**
 * A codec of objects with optional fields. Unknown keys are ignored, because clients send fields of other
 * nodes. `__proto__` is rejected, because careless code takes it for the prototype of the object.
 */
export function objectOf<const Fields extends Readonly<Record<string, Codec<unknown>>>>(
  fields: Fields,
  expected: string,
): Codec<DecodedFields<Fields>> {
  const codecs = Object.entries(fields).map(([name, codec]) => ({ name, codec }));
  const properties = Object.fromEntries(codecs.map(({ name, codec }) => [name, codec.jsonSchema]));
  const absent = allNull(Object.keys(fields));
  return {
    read: (value) => {
      if (typeof value !== 'object' || value === null) return { path: [], expected };
      if (Object.hasOwn(value, PROTOTYPE_KEY)) return { path: [PROTOTYPE_KEY], expected: NO_SUCH_KEY };
      if (Array.isArray(value)) return { path: [], expected };
      return readFields<DecodedFields<Fields>>(codecs, value, { ...absent });
    },
    jsonSchema: { type: 'object', properties, description: expected },
    fieldNames: new Set(Object.keys(fields)),
  };
}

/**
 * Returns an object with `null` for each name. The object is parsed, because V8 gives a parsed object and its
 * copies one layout. An object with more than 16 members added by computed name becomes a hash table.
 */
function allNull(names: readonly string[]): Readonly<Record<string, null>> {
  return JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:null`).join(',')}}`);
}

/** The minimum number of characters of a text that takes long to convert and to process. */
const LONG_TEXT = 2 ** 16;

function isLongText(value: unknown): value is string {
  return typeof value === 'string' && value.length >= LONG_TEXT;
}

interface NamedCodec {
  readonly name: string;
  readonly codec: Codec<unknown>;
}

/** Reads the named fields into `fields`, which contains `null` for each. Returns a task if one takes long. */
function readFields<T>(
  codecs: readonly NamedCodec[],
  given: object,
  fields: Record<string, unknown>,
): Reading<T> | Steps<Reading<T>> {
  // Calls have some thirty optional fields, and an iterator makes an object per field.
  for (let index = 0; index < codecs.length; index++) {
    const { name, codec } = codecs[index] as NamedCodec;
    const value = (given as Readonly<Record<string, unknown>>)[name];
    if (value === undefined || value === null) continue;
    const begun = codec.read(value);
    if (isUnfinished(begun) || isLongText(value))
      return readLongFields(codecs.slice(index), begun, given, fields);
    if (!('value' in begun)) return complaintBelow(name, begun);
    fields[name] = begun.value;
  }
  return { value: fields as T };
}

/** As {@link readFields}, continuing from `begun`, the started reading of the first field. */
function* readLongFields<T>(
  codecs: readonly NamedCodec[],
  begun: Reading<unknown> | Steps<Reading<unknown>>,
  given: object,
  fields: Record<string, unknown>,
): Steps<Reading<T>> {
  for (const [index, { name, codec }] of codecs.entries()) {
    const value: unknown = Reflect.get(given, name);
    if (value === undefined || value === null) continue;
    const answer = index === 0 ? begun : codec.read(value);
    const reading = isUnfinished(answer) ? yield* answer : answer;
    if (!('value' in reading)) return complaintBelow(name, reading);
    fields[name] = reading.value;
    if (isLongText(value)) {
      yield value.length;
    }
  }
  yield ITEM_WORK;
  return { value: fields as T };
}

/** As {@link objectOf}, but rejects unknown keys, because a typo would change the effect unnoticed. */
export function exactObjectOf<const Fields extends Readonly<Record<string, Codec<unknown>>>>(
  fields: Fields,
  expected: string,
): Codec<DecodedFields<Fields>> {
  const { read, jsonSchema } = objectOf(fields, expected);
  return {
    read: (value) => {
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
        const unknown = namesOf(value).find((key) => !Object.hasOwn(fields, key));
        if (unknown !== undefined)
          return { path: [unknown.slice(0, MAX_SHOWN_LENGTH)], expected: NO_SUCH_KEY };
      }
      return read(value);
    },
    jsonSchema: { ...jsonSchema, additionalProperties: false },
  };
}

/** Adds a step to a codec. The step converts the value, or returns a complaint about a part of it. */
export function refined<T, U>(codec: Codec<T>, convert: (value: T) => Reading<U>): Codec<U> {
  const refine = (reading: Reading<T>): Reading<U> => ('value' in reading ? convert(reading.value) : reading);
  return {
    read: (value) => {
      const begun = codec.read(value);
      return isUnfinished(begun) ? refineLater(begun, refine) : refine(begun);
    },
    jsonSchema: codec.jsonSchema,
    ...(codec.fieldNames && { fieldNames: codec.fieldNames }),
  };
}

function* refineLater<T, U>(
  steps: Steps<Reading<T>>,
  refine: (reading: Reading<T>) => Reading<U>,
): Steps<Reading<U>> {
  return refine(yield* steps);
}

/** Describes a value of a client, short enough for an error message. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') {
    if (value.length <= MAX_SHOWN_LENGTH) return JSON.stringify(value);
    return `${JSON.stringify(value.slice(0, MAX_SHOWN_LENGTH))}… (${value.length} characters)`;
  }
  if (Array.isArray(value)) return `an array of ${value.length} item${value.length === 1 ? '' : 's'}`;
  if (typeof value !== 'object' || value === null) return String(value).slice(0, MAX_SHOWN_LENGTH);
  const keys = namesOf(value).slice(0, MAX_SHOWN_LENGTH);
  return keys.length === 0
    ? 'an empty object'
    : `an object with ${keys.join(', ').slice(0, MAX_SHOWN_LENGTH)}`;
}

/** Describes the type of a secret value, without the value. */
export function describeKind(value: unknown): string {
  if (value === undefined || value === null) return describeValue(value);
  if (typeof value === 'string')
    return `a string of ${value.length} character${value.length === 1 ? '' : 's'}`;
  if (Array.isArray(value)) return describeValue(value);
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  let place = value;
  for (const key of path) {
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, key)) return undefined;
    place = Reflect.get(place, key);
  }
  return place;
}

function pathText(name: string, path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}.${key}`),
    name,
  );
}

/** A parameter value and its codec. */
interface OptionInput<T> {
  readonly codec: Codec<T>;
  readonly name: string;
  readonly value: unknown;
  /** Describes the invalid part of the value. */
  readonly describe: (value: unknown) => string;
}

/** Throws the error for a complaint. */
function requireRead<T>(
  reading: Reading<T>,
  { name, value, describe }: OptionInput<T>,
): { readonly value: T } {
  if ('value' in reading) return reading;
  const { path, expected, isOutOfRange } = reading;
  const ErrorClass = isOutOfRange === true ? InvalidValueError : InvalidParamsError;
  throw new ErrorClass(pathText(name, path), expected, describe(valueAt(value, path)));
}

function* decodeInSteps<T>(begun: Reading<T> | Steps<Reading<T>>, given: OptionInput<T>): Steps<T> {
  const reading = isUnfinished(begun) ? yield* begun : begun;
  if (isLongText(given.value)) {
    yield given.value.length;
  }
  return requireRead(reading, given).value;
}

/**
 * Decodes the value of a parameter; returns a task if the value may be large. Throws
 * {@link InvalidParamsError}, or {@link InvalidValueError} for a value out of range. The error contains the
 * path of the invalid part.
 */
export function beginDecoding<T>(given: OptionInput<T>): { readonly value: T } | Steps<T> {
  const begun = given.codec.read(given.value);
  const isShort = !isLongText(given.value);
  if (isShort && 'value' in begun) return begun;
  return isShort && !isUnfinished(begun) ? requireRead(begun, given) : decodeInSteps(begun, given);
}

/** As {@link beginDecoding}, but always a task. */
export function* decode<T>(codec: Codec<T>, name: string, value: unknown): Steps<T> {
  const begun = beginDecoding({ codec, name, value, describe: describeValue });
  return 'next' in begun ? yield* begun : begun.value;
}
