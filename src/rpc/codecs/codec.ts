import * as z from 'zod/mini';
import { InvalidParamsError, InvalidValueError } from '../errors.ts';

/** A JSON Schema (draft 2020-12) of what a caller may give. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** How one kind of JSON value is read: the schema that checks and converts it, and its description for callers. */
export interface Codec<T> {
  /** Checks and converts; the message of each issue says what was expected. */
  readonly schema: z.ZodMiniType<T>;
  /** What is accepted in its preferred form, for the OpenRPC document. */
  readonly jsonSchema: JsonSchema;
  /** Of a {@link leaf}: does the same as the schema, for callers that read very many values. */
  readonly leaf?: Leaf<T>;
}

/** The parts of a codec whose values are read as a whole; see {@link leaf}. */
interface Leaf<T> {
  readonly decode: (value: unknown) => T | undefined;
  readonly expected: string;
  readonly hasForm: (value: unknown) => boolean;
}

/** A complaint about a place inside a value. The params mark a value that is out of range. */
export interface Complaint {
  readonly message: string;
  readonly path: readonly PropertyKey[];
  readonly params: typeof OUT_OF_RANGE | undefined;
}

/** The result of reading a value: the decoded value, or the first complaint. */
export type Reading<T> = { readonly value: T } | Complaint;

/** Reads a value by a codec. */
export function readBy<T>({ schema, leaf: direct }: Codec<T>, value: unknown, otherwise: string): Reading<T> {
  if (direct !== undefined) {
    const decoded = direct.decode(value);
    return decoded === undefined ? complaintOf(direct, value) : { value: decoded };
  }
  const read = schema.safeParse(value);
  if (read.success) return { value: read.data };
  const [issue] = read.error.issues;
  if (issue === undefined) return { message: otherwise, path: [], params: undefined };
  const { message, path } = issue;
  return { message, path, params: isOutOfRange(issue) ? OUT_OF_RANGE : undefined };
}

/** The complaint about a value that a leaf does not accept. */
function complaintOf<T>({ expected, hasForm }: Leaf<T>, value: unknown): Complaint {
  return { message: expected, path: [], params: hasForm(value) ? OUT_OF_RANGE : undefined };
}

/** The value that a codec gives. */
export type Decoded<C> = C extends Codec<infer T> ? T : never;

/** Marks the complaint about a value that has the form of what is expected, and is beyond it. */
const OUT_OF_RANGE = { isOutOfRange: true };

/**
 * A codec for a value that is read as a whole. `decode` gives `undefined` for a value that it does not accept;
 * `expected` then tells the caller what is, by an {@link InvalidValueError} where `hasForm` says that only the range is
 * wrong.
 */
export function leaf<T>(
  expected: string,
  jsonSchema: JsonSchema,
  decode: (value: unknown) => T | undefined,
  hasForm: (value: unknown) => boolean = () => false,
): Codec<T> {
  const whole = { decode, expected, hasForm };
  const schema = z.pipe(
    z.unknown(),
    z.transform((value, context): T => {
      const decoded = decode(value);
      if (decoded !== undefined) return decoded;
      const { message, params } = complaintOf(whole, value);
      context.issues.push({ code: 'custom', message, input: value, params });
      return z.NEVER;
    }),
  );
  return { schema, jsonSchema: { ...jsonSchema, description: expected }, leaf: whole };
}

/** A codec for values of several forms: `choose` names the codec for a value by its form. */
export function chosenBy<T>(
  choose: (value: unknown) => Codec<T>,
  alternatives: readonly Codec<T>[],
): Codec<T> {
  const schema = z.pipe(
    z.unknown(),
    z.transform((value, context): T => {
      const chosen = choose(value).schema.safeParse(value);
      if (chosen.success) return chosen.data;
      for (const issue of chosen.error.issues) {
        const params = isOutOfRange(issue) ? OUT_OF_RANGE : undefined;
        context.issues.push({
          code: 'custom',
          message: issue.message,
          path: [...issue.path],
          input: value,
          params,
        });
      }
      return z.NEVER;
    }),
  );
  return { schema, jsonSchema: { oneOf: alternatives.map((alternative) => alternative.jsonSchema) } };
}

/** A codec for arrays of at most `maximum` items. */
export function arrayOf<T>(item: Codec<T>, expected: string, maximum = Number.POSITIVE_INFINITY): Codec<T[]> {
  const jsonSchema = { type: 'array', items: item.jsonSchema, description: expected };
  return {
    schema:
      item.leaf === undefined
        ? arraySchema(item, expected, maximum)
        : leavesSchema(item.leaf, expected, maximum),
    jsonSchema: Number.isFinite(maximum) ? { ...jsonSchema, maxItems: maximum } : jsonSchema,
  };
}

function arraySchema<T>(item: Codec<T>, expected: string, maximum: number): z.ZodMiniType<T[]> {
  const items = z.array(item.schema, { error: expected });
  if (!Number.isFinite(maximum)) return items;
  return items.check(z.refine((values) => values.length <= maximum, { error: expected }));
}

/** Of leaves there may be very many, of which the schema would take several times as long. */
function leavesSchema<T>(item: Leaf<T>, expected: string, maximum: number): z.ZodMiniType<T[]> {
  return z.pipe(
    z.unknown(),
    z.transform((value, context): T[] => {
      if (!Array.isArray(value) || value.length > maximum) {
        context.issues.push({ code: 'custom', message: expected, input: value });
        return z.NEVER;
      }
      const items: T[] = [];
      for (const [index, given] of value.entries()) {
        const decoded = item.decode(given);
        if (decoded === undefined) {
          const { message, params } = complaintOf(item, given);
          context.issues.push({ code: 'custom', message, path: [index], input: given, params });
          return z.NEVER;
        }
        items.push(decoded);
      }
      return items;
    }),
  );
}

/** The fields of an object; a field that is `null` or absent gives `null`. */
export type DecodedFields<Fields extends Readonly<Record<string, Codec<unknown>>>> = {
  readonly [Name in keyof Fields]: Decoded<Fields[Name]> | null;
};

type FieldSchemas<Fields extends Readonly<Record<string, Codec<unknown>>>> = {
  [Name in keyof Fields]: z.ZodMiniOptional<z.ZodMiniNullable<z.ZodMiniType<Decoded<Fields[Name]>>>>;
};

const PROTOTYPE_KEY = '__proto__';
const NO_SUCH_KEY = 'no key of this name';
const LONGEST_SHOWN = 100;

/** Refuses the key that no client sends in earnest: what reads such an object carelessly takes it for its prototype. */
const withoutPrototypeKey = z.unknown().check(
  z.refine((value) => typeof value !== 'object' || value === null || !Object.hasOwn(value, PROTOTYPE_KEY), {
    path: [PROTOTYPE_KEY],
    error: NO_SUCH_KEY,
  }),
);

/**
 * A codec for objects whose fields are all optional. Unknown keys are ignored, as every client sends some that
 * another node understands.
 */
export function objectOf<const Fields extends Readonly<Record<string, Codec<unknown>>>>(
  fields: Fields,
  expected: string,
): Codec<DecodedFields<Fields>> {
  const names = Object.keys(fields);
  const shape = Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, z.optional(z.nullable(field.schema))]),
  ) as FieldSchemas<Fields>;
  const schema = z.pipe(
    z.pipe(withoutPrototypeKey, z.object(shape, { error: expected })),
    z.transform((decoded): DecodedFields<Fields> => {
      const given: Readonly<Record<string, unknown>> = decoded;
      return Object.fromEntries(names.map((name) => [name, given[name] ?? null])) as DecodedFields<Fields>;
    }),
  );
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, field.jsonSchema]),
  );
  return { schema, jsonSchema: { type: 'object', properties, description: expected } };
}

/**
 * As {@link objectOf}, but a key that is not known is refused: for objects in which a mistyped one would go unnoticed and
 * make the answer a wrong one.
 */
export function exactObjectOf<const Fields extends Readonly<Record<string, Codec<unknown>>>>(
  fields: Fields,
  expected: string,
): Codec<DecodedFields<Fields>> {
  const { schema, jsonSchema } = objectOf(fields, expected);
  const onlyKnown = z.unknown().check(({ value, issues }) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const unknown = Object.keys(value).find((key) => !Object.hasOwn(fields, key));
    if (unknown === undefined) return;
    issues.push({
      code: 'custom',
      message: NO_SUCH_KEY,
      path: [unknown.slice(0, LONGEST_SHOWN)],
      input: value,
    });
  });
  return { schema: z.pipe(onlyKnown, schema), jsonSchema: { ...jsonSchema, additionalProperties: false } };
}

/**
 * The result of a further step: another value, or a complaint about a place inside it, which may be that the value
 * has the right form and is out of range.
 */
export type Refinement<T> =
  | { readonly value: T }
  | { readonly path: readonly string[]; readonly expected: string; readonly isOutOfRange?: true };

function isOutOfRange(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'custom' && issue.params?.isOutOfRange === true;
}

/** The codec with a further step. */
export function refined<T, U>(codec: Codec<T>, convert: (value: T) => Refinement<U>): Codec<U> {
  const schema = z.pipe(
    codec.schema,
    z.transform((value, context): U => {
      const converted = convert(value);
      if ('value' in converted) return converted.value;
      context.issues.push({
        code: 'custom',
        message: converted.expected,
        path: [...converted.path],
        input: value,
        params: converted.isOutOfRange === true ? OUT_OF_RANGE : undefined,
      });
      return z.NEVER;
    }),
  );
  return { schema, jsonSchema: codec.jsonSchema };
}

/** What a caller gave, in words short enough for an error message. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') {
    if (value.length <= LONGEST_SHOWN) return JSON.stringify(value);
    return `${JSON.stringify(value.slice(0, LONGEST_SHOWN))}… (${value.length} characters)`;
  }
  if (Array.isArray(value)) return `an array of ${value.length} item${value.length === 1 ? '' : 's'}`;
  if (typeof value !== 'object' || value === null) return String(value).slice(0, LONGEST_SHOWN);
  const keys = Object.keys(value);
  return keys.length === 0 ? 'an empty object' : `an object with ${keys.join(', ').slice(0, LONGEST_SHOWN)}`;
}

/** The kind of a value that must not be shown, in words. */
export function describeKind(value: unknown): string {
  if (value === undefined || value === null) return describeValue(value);
  if (typeof value === 'string') return `a text of length ${value.length}`;
  if (Array.isArray(value)) return describeValue(value);
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let place = value;
  for (const key of path) {
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, key)) return undefined;
    place = Reflect.get(place, key);
  }
  return place;
}

function pathText(name: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}.${String(key)}`),
    name,
  );
}

/**
 * The value of the parameter `name`. Throws {@link InvalidParamsError}, or {@link InvalidValueError} for a value out of
 * range, that names the place that is wrong, and says with `describe` what stands there.
 */
export function decodeWith<T>(
  codec: Codec<T>,
  name: string,
  value: unknown,
  describe: (value: unknown) => string = describeValue,
): T {
  const result = codec.schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const path = issue?.path ?? [];
  const ErrorClass = issue !== undefined && isOutOfRange(issue) ? InvalidValueError : InvalidParamsError;
  throw new ErrorClass(
    pathText(name, path),
    issue?.message ?? 'another value',
    describe(valueAt(value, path)),
  );
}
