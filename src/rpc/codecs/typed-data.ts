import { JsonMembersError, JsonNestingError, readJson } from '../../primitives/json/json-reader.ts';
import type { Steps } from '../../primitives/steps.ts';
import type { WorkPieces } from '../../primitives/work-pieces.ts';
import type { TypedData, TypedDataField } from '../../wallet/typed-data.ts';
import { InvalidParamsError } from '../errors.ts';
import { recordOf } from './basic.ts';
import {
  arrayOf,
  type Codec,
  chosenBy,
  decode,
  describeValue,
  leaf,
  objectOf,
  type Reading,
  refined,
} from './codec.ts';

const text = leaf('a text', { type: 'string' }, (value) => (typeof value === 'string' ? value : undefined));

const values = leaf<Readonly<Record<string, unknown>>>(
  'an object of values under the names of their members',
  { type: 'object' },
  (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return Object.hasOwn(value, '__proto__') ? undefined : (value as Readonly<Record<string, unknown>>);
  },
);

const FIELD = 'an object with name and type';

const field: Codec<TypedDataField> = refined(
  objectOf({ name: text, type: text }, FIELD),
  ({ name, type }): Reading<TypedDataField> =>
    name === null || type === null ? { path: [], expected: FIELD } : { value: { name, type } },
);

const types = refined(
  recordOf(
    text,
    arrayOf(field, 'an array of members with name and type'),
    'an object of types by name',
    (name, fields) => [name, fields] as const,
  ),
  (entries) => ({ value: Object.fromEntries(entries) }),
);

const EXPECTED = 'typed data: an object (or its JSON text) with types, primaryType, domain and message';

const typedDataObject: Codec<TypedData> = refined(
  objectOf({ types, primaryType: text, domain: values, message: values }, EXPECTED),
  (fields): Reading<TypedData> => {
    const { types: given, primaryType, domain, message } = fields;
    if (given === null || primaryType === null || message === null) return { path: [], expected: EXPECTED };
    return { value: { types: given, primaryType, domain: domain ?? {}, message } };
  },
);

/** JSON that is not read yet. */
interface JsonText {
  readonly json: string;
}

const typedDataText: Codec<JsonText> = leaf(EXPECTED, { type: 'string' }, (value) =>
  typeof value === 'string' ? { json: value } : undefined,
);

/** Typed data (EIP-712) as an object or as its JSON text, which {@link readTypedData} reads; clients send either. */
export const typedData: Codec<TypedData | JsonText> = chosenBy<TypedData | JsonText>(
  (value) => (typeof value === 'string' ? typedDataText : typedDataObject),
  [typedDataObject, typedDataText],
);

/** How deep the JSON text of typed data may be nested: deeper than the data may be, which have an error of their own. */
const NESTING_LIMIT = 1_000;

/** The most members of an object in the JSON text: as many as one in a message may have. */
const MEMBER_LIMIT = 100_000;

/** The typed data of the parameter `name`. Throws an `InvalidParamsError` for a text that is none. */
export function* readTypedData(
  given: TypedData | JsonText,
  name: string,
  pieces: WorkPieces,
): Steps<TypedData> {
  if (!('json' in given)) return given;
  const { json } = given;
  let value: unknown;
  try {
    value = yield* readJson(json, { levels: NESTING_LIMIT, members: MEMBER_LIMIT, pieces });
  } catch (error) {
    if (
      error instanceof SyntaxError ||
      error instanceof JsonNestingError ||
      error instanceof JsonMembersError
    )
      throw new InvalidParamsError(name, EXPECTED, describeValue(json));
    throw error;
  }
  return yield* decode(typedDataObject, name, value, pieces);
}
