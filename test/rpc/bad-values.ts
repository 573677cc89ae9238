import { QUANTITY_JSON_SCHEMA } from '../../src/rpc/codecs/hex-values.ts';
import type { JsonSchema } from '../../src/wire/values.ts';

const bytesOf = (digits: string, length: number) => `0x${digits.repeat(length)}`;

/** Values that are invalid for most parameters. The schema decides about each parameter. */
const CANDIDATES: readonly unknown[] = [
  -1,
  1.5,
  1e300,
  true,
  {},
  [],
  [[]],
  '',
  '0x',
  '0X1',
  '0x1',
  '0x123',
  '-0x1',
  '0xzz',
  'newest',
  'LATEST',
  '1'.repeat(100),
  // 2^256
  `0x1${'0'.repeat(64)}`,
  bytesOf('ff', 19),
  bytesOf('ff', 20),
  `0X${'ff'.repeat(20)}`,
  bytesOf('ff', 21),
  bytesOf('f', 39),
  bytesOf('zz', 20),
  bytesOf('ff', 31),
  bytesOf('ff', 32),
  `0X${'ff'.repeat(32)}`,
  bytesOf('ff', 33),
  bytesOf('f', 63),
  bytesOf('zz', 32),
];

const DECIMAL = /^[0-9]{1,78}$/;
const MAX_QUANTITY_LENGTH = 2 + 64;

function isWrongText(schema: JsonSchema, value: unknown): boolean {
  if (typeof schema.pattern !== 'string') return typeof value === 'object' || typeof value === 'boolean';
  if (typeof value === 'number') return !Number.isSafeInteger(value) || value < 0;
  if (typeof value !== 'string') return true;
  if (schema.pattern === QUANTITY_JSON_SCHEMA.pattern && value.length > MAX_QUANTITY_LENGTH) return true;
  // Clients also write quantities in decimal and with leading zeros.
  return !new RegExp(schema.pattern).test(value) && !DECIMAL.test(value) && !/^0x0[0-9]+$/.test(value);
}

function isWrong(schema: JsonSchema, value: unknown): boolean {
  if (Array.isArray(schema.oneOf)) {
    return schema.oneOf.every((alternative: JsonSchema) => isWrong(alternative, value));
  }
  if (Array.isArray(schema.enum)) return !schema.enum.includes(value);
  switch (schema.type) {
    case 'string':
      return isWrongText(schema, value);
    case 'boolean':
      return typeof value !== 'boolean';
    case 'array':
      return !Array.isArray(value);
    case 'object':
      return typeof value !== 'object' || Array.isArray(value);
    default:
      return false;
  }
}

/** An invalid value for a parameter, and its path in the error. */
export interface BadValue {
  readonly place: string;
  readonly value: unknown;
}

function badMembers(schema: JsonSchema, place: string): BadValue[] {
  if (schema.type === 'array') {
    // Each index of a tuple has its own schema.
    if (schema.items === undefined) return [];
    const items = badValues(schema.items as JsonSchema, `${place}[0]`);
    return items.map((item) => ({ place: item.place, value: [item.value] }));
  }
  if (schema.type !== 'object') return [];
  const properties = Object.entries((schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>);
  const members = properties.flatMap(([name, property]) =>
    badValues(property, `${place}.${name}`).map((member) => ({
      place: member.place,
      value: { [name]: member.value },
    })),
  );
  return [...members, { place, value: JSON.parse('{"__proto__":{"to":"0x"}}') }];
}

/** Values that violate a schema at `place`, including values inside arrays and objects. */
export function badValues(schema: JsonSchema, place: string): BadValue[] {
  const whole = CANDIDATES.filter((value) => isWrong(schema, value)).map((value) => ({ place, value }));
  const alternatives = Array.isArray(schema.oneOf) ? (schema.oneOf as JsonSchema[]) : [schema];
  return [...whole, ...alternatives.flatMap((alternative) => badMembers(alternative, place))];
}
