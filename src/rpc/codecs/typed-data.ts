import type { TypedData, TypedDataField } from '../../wallet/typed-data.ts';
import { arrayOf, type Codec, chosenBy, leaf, objectOf, type Refinement, refined } from './codec.ts';
import { recordOf } from './record.ts';

const text = leaf('a text', { type: 'string' }, (value) => (typeof value === 'string' ? value : undefined));

const values = leaf<Readonly<Record<string, unknown>>>(
  'an object of values under the names of their members',
  { type: 'object' },
  (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return Object.hasOwn(value, '__proto__') ? undefined : Object.fromEntries(Object.entries(value));
  },
);

const FIELD = 'an object with name and type';

const field: Codec<TypedDataField> = refined(
  objectOf({ name: text, type: text }, FIELD),
  ({ name, type }): Refinement<TypedDataField> =>
    name === null || type === null ? { path: [], expected: FIELD } : { value: { name, type } },
);

const types = refined(
  recordOf(text, arrayOf(field, 'an array of members with name and type'), 'an object of types by name'),
  (entries) => ({ value: Object.fromEntries(entries) }),
);

const EXPECTED = 'typed data: an object (or its JSON text) with types, primaryType, domain and message';

const typedDataObject: Codec<TypedData> = refined(
  objectOf({ types, primaryType: text, domain: values, message: values }, EXPECTED),
  (fields): Refinement<TypedData> => {
    const { types: given, primaryType, domain, message } = fields;
    if (given === null || primaryType === null || message === null) return { path: [], expected: EXPECTED };
    return { value: { types: given, primaryType, domain: domain ?? {}, message } };
  },
);

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const typedDataText: Codec<TypedData> = refined(
  leaf(EXPECTED, { type: 'string' }, (value) => (typeof value === 'string' ? { json: value } : undefined)),
  ({ json }) => {
    const read = typedDataObject.schema.safeParse(parsed(json));
    if (read.success) return { value: read.data };
    return { path: [], expected: read.error.issues[0]?.message ?? EXPECTED };
  },
);

/** Typed data (EIP-712) as an object or as its JSON text; clients send either. */
export const typedData: Codec<TypedData> = chosenBy(
  (value) => (typeof value === 'string' ? typedDataText : typedDataObject),
  [typedDataObject, typedDataText],
);
