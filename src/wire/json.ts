/** An object of JSON that this node writes. */
export type Json = Readonly<Record<string, unknown>>;

/** A JSON Schema (draft 2020-12) of a value. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Returns the JSON Schema of DATA, of exactly `length` bytes where that is given. */
export function dataSchema(length?: number): { readonly type: 'string'; readonly pattern: string } {
  const digits = length === undefined ? '([0-9a-fA-F]{2})*' : `[0-9a-fA-F]{${2 * length}}`;
  return { type: 'string', pattern: `^0x${digits}$` };
}

/** The descriptions of DATA for callers: of any length, an address, 32 bytes. */
export const DATA_DESCRIPTIONS = {
  bytes: 'hexadecimal data: 0x and an even number of digits',
  address: 'an address: 0x and 40 hexadecimal digits',
  hash: '32 bytes: 0x and 64 hexadecimal digits',
} as const;

/** Returns the schema of a value that may be `null` too. */
export function orNull(schema: JsonSchema): JsonSchema {
  return { oneOf: [schema, { type: 'null' }] };
}

/** Returns the schema of an object that has all of the properties, and may have others. */
export function objectSchema(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties) };
}
