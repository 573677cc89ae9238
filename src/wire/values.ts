// The JSON encoding of each kind of value in blocks, transactions and receipts, with its schema and its
// reader.

import { EMPTY_BYTES } from '../primitives/bytes.ts';
import { toHex, toQuantity } from '../primitives/hex.ts';
import type { FieldKind, KindValues } from '../protocol/field-kinds.ts';
import { BLOOM_SIZE } from '../protocol/receipt.ts';
import type { StrictValue } from './strict-value.ts';
import { asObject, tolerantData, tolerantFixedData, tolerantQuantity } from './tolerant.ts';

/** A JSON object that this node writes. */
export type Json = Readonly<Record<string, unknown>>;

/** A JSON Schema (draft 2020-12) of a value. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Returns the JSON Schema of DATA, of exactly `length` bytes if given. */
export function dataSchema(length?: number): { readonly type: 'string'; readonly pattern: string } {
  const digits = length === undefined ? '([0-9a-fA-F]{2})*' : `[0-9a-fA-F]{${2 * length}}`;
  return { type: 'string', pattern: `^0x${digits}$` };
}

/** Descriptions of DATA in errors: of any length, an address, 32 bytes. */
export const DATA_DESCRIPTIONS = {
  bytes: 'hexadecimal data: 0x and an even number of digits',
  address: 'an address: 0x and 40 hexadecimal digits',
  hash: '32 bytes: 0x and 64 hexadecimal digits',
} as const;

export function orNull(schema: JsonSchema): JsonSchema {
  return { oneOf: [schema, { type: 'null' }] };
}

/** Returns the schema of an object that requires these properties and allows others. */
export function objectSchema(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

/** The files that contain blocks: a dump of this node, or an Anvil state file. */
export type FileForm = 'dump' | 'anvil';

/** Writes and reads one kind of value. */
export interface ValueCodec<T> {
  /** Returns the JSON value; `undefined` to omit it. */
  write(value: T): unknown;
  /** Returns the JSON value in a dump of this node, if different. */
  writeDump?(value: T): unknown;
  /** Throws `InvalidDumpError` with the path for an invalid value. */
  read(value: StrictValue, form: FileForm): T;
  /** Reads a value of another node in any notation; `undefined` if absent or invalid. */
  tolerate(value: unknown): T | undefined;
  /** Replaces a value that another node does not return. */
  readonly blank: T;
  readonly jsonSchema: JsonSchema;
  /** True for a QUANTITY. */
  readonly isQuantity?: true;
}

function fixed(length: number, description: string): ValueCodec<Uint8Array> {
  return {
    write: toHex,
    read: (value) => value.bytes(length),
    tolerate: (value) => tolerantFixedData(value, length),
    blank: new Uint8Array(length),
    jsonSchema: { ...dataSchema(length), description },
  };
}

/** An integer of at most `anvilBits` bits in Anvil's files. */
function unsigned(anvilBits: number): ValueCodec<bigint> {
  return {
    write: toQuantity,
    read: (value, form) => value.quantity(form === 'anvil' ? anvilBits : 256),
    tolerate: tolerantQuantity,
    blank: 0n,
    jsonSchema: { type: 'string', pattern: '^0x(0|[1-9a-f][0-9a-f]*)$' },
    isQuantity: true,
  };
}

/** Returns the codec of values that may be `null`, with `null` in JSON. */
export function nullOr<T>(codec: ValueCodec<T>): ValueCodec<T | null> {
  return {
    ...codec,
    write: (value) => (value === null ? null : codec.write(value)),
    read: (value, form) => value.orNull((present) => codec.read(present, form)),
    blank: null,
    jsonSchema: orNull(codec.jsonSchema),
  };
}

/** Returns the codec of lists. One invalid item makes the list of another node invalid. */
export function listOf<T>(item: ValueCodec<T>, most?: number): ValueCodec<readonly T[]> {
  const jsonSchema = { type: 'array', items: item.jsonSchema };
  return {
    write: (values) => values.map(item.write),
    read: (value, form) => value.items().map((each) => item.read(each, form)),
    tolerate: (value) => {
      if (!Array.isArray(value)) return undefined;
      const read = value.map(item.tolerate);
      return read.every((each) => each !== undefined) ? read : undefined;
    },
    blank: [],
    jsonSchema: most === undefined ? jsonSchema : { ...jsonSchema, maxItems: most },
  };
}

/** Writes and reads a value in files. */
export type FileCodec<T> = Pick<ValueCodec<T>, 'write' | 'read'>;

/** Returns the codec of objects in files with these fields, in this order. `T` must have no other fields. */
export function fileObjectOf<T extends object>(
  codecs: { readonly [Name in keyof T]-?: FileCodec<T[Name]> },
  otherNames: { readonly [Name in keyof T]?: string } = {},
): FileCodec<T> {
  const fields = Object.entries(codecs) as [keyof T & string, FileCodec<unknown>][];
  return {
    write: (value) => {
      const json: Record<string, unknown> = {};
      for (const [name, codec] of fields) json[name] = codec.write(value[name]);
      return json;
    },
    read: (value, form) => {
      const read: Partial<Record<keyof T, unknown>> = {};
      for (const [name, codec] of fields) read[name] = codec.read(value.either(name, otherNames[name]), form);
      return read as T;
    },
  };
}

/** Returns the codec of objects with these fields, in this order. `T` must have no other fields. */
export function objectOf<T extends object>(
  codecs: { readonly [Name in keyof T]-?: ValueCodec<T[Name]> },
  {
    optional = [],
    otherNames = {},
  }: {
    /** The fields that other nodes may omit. */
    readonly optional?: readonly (keyof T)[];
    /** Alternative names of fields. */
    readonly otherNames?: { readonly [Name in keyof T]?: string };
  } = {},
): ValueCodec<T> {
  const fields = (Object.keys(codecs) as (keyof T & string)[]).map((name) => ({
    name,
    codec: codecs[name] as ValueCodec<unknown>,
    other: otherNames[name],
    isOptional: optional.includes(name),
  }));
  return {
    ...fileObjectOf(codecs, otherNames),
    tolerate: (value) => {
      const given = asObject(value);
      if (given === undefined) return undefined;
      const read: Partial<Record<keyof T, unknown>> = {};
      for (const { name, codec, other, isOptional } of fields) {
        const found = given[name] ?? (other === undefined ? undefined : given[other]) ?? null;
        read[name] = isOptional && found === null ? codec.blank : codec.tolerate(found);
        if (read[name] === undefined) return undefined;
      }
      return read as T;
    },
    blank: Object.fromEntries(fields.map(({ name, codec }) => [name, codec.blank])) as T,
    jsonSchema: objectSchema(Object.fromEntries(fields.map(({ name, codec }) => [name, codec.jsonSchema]))),
  };
}

/** Returns the codec of values that may be `null`: dumps contain `null`, other forms omit the member. */
export function nullable<T>(codec: ValueCodec<T>): ValueCodec<T | null> {
  return {
    ...codec,
    write: (value) => (value === null ? undefined : codec.write(value)),
    writeDump: (value) => (value === null ? null : codec.write(value)),
    read: (value, form) => value.orNull((present) => codec.read(present, form)),
    blank: null,
  };
}

export const bytes: ValueCodec<Uint8Array> = {
  write: toHex,
  read: (value) => value.bytes(),
  tolerate: tolerantData,
  blank: EMPTY_BYTES,
  jsonSchema: { ...dataSchema(), description: DATA_DESCRIPTIONS.bytes },
};

/** An integer below 2^256, as QUANTITY. */
export const integer = unsigned(256);

/** An amount of gas, as QUANTITY. */
export const gas = unsigned(64);

export const flag: ValueCodec<boolean> = {
  write: (value) => value,
  read: (value) => value.flag(),
  tolerate: (value) => (typeof value === 'boolean' ? value : undefined),
  blank: false,
  jsonSchema: { type: 'boolean' },
};

/** 32 bytes, as DATA. */
export const hash = fixed(32, DATA_DESCRIPTIONS.hash);

/** 20 bytes, as DATA. */
export const address = fixed(20, DATA_DESCRIPTIONS.address);

/** A count, or seconds: a QUANTITY; in dumps of this node a JSON number. */
export const count: ValueCodec<number> = {
  ...integer,
  write: toQuantity,
  writeDump: (value) => value,
  read: (value) => value.count(),
  tolerate: (value) => {
    const quantity = tolerantQuantity(value);
    return quantity === undefined ? undefined : Number(quantity);
  },
  blank: 0,
};

const optionalHash = nullable(hash);

/** 32 bytes, or in dumps an empty value: headers of an old Anvil have an empty root. */
const optionalRoot: ValueCodec<Uint8Array | null> = {
  ...optionalHash,
  write: (value) => (value === null || value.length === 0 ? undefined : toHex(value)),
  read: (value, form) =>
    form === 'dump' && value.isData(0) ? value.bytes() : optionalHash.read(value, form),
};

export const FIELD_CODECS: { readonly [Kind in FieldKind]: ValueCodec<KindValues[Kind]> } = {
  hash,
  address,
  bloom: { ...fixed(BLOOM_SIZE, DATA_DESCRIPTIONS.bytes), jsonSchema: bytes.jsonSchema },
  bytes,
  integer,
  gas,
  byte: unsigned(8),
  count,
  flag,
  'optional integer': nullable(integer),
  'optional hash': optionalHash,
  'optional root': optionalRoot,
  'optional address': nullOr(address),
};
