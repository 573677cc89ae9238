// JSON objects in responses: their members in order, each with the codec and the source of its value.
// Writers, JSON Schemas and the checks of other nodes' responses derive from them.

import type { Json, JsonSchema, ValueCodec } from './values.ts';

/** The properties of a member. */
export interface MemberFeatures {
  /** If other kinds of nodes return it: always, or sometimes. A returned value is always valid. */
  readonly answered?: 'always' | 'sometimes';
  /** In results of other nodes, it is returned unchanged. */
  readonly isVerbatim?: true;
  /** Not guaranteed: not all objects have it, or its name depends on the compat mode. */
  readonly isUnpromised?: true;
}

/** The part of a codec that does not depend on the type of its values. */
export type MemberCodec = Pick<ValueCodec<unknown>, 'jsonSchema' | 'isQuantity' | 'tolerate'>;

/** A member of objects that are created from a `Source`. */
export interface Member<Source> extends MemberFeatures {
  readonly codec: MemberCodec;
  /** Returns the JSON value; `undefined` to omit the member. */
  readonly write: (source: Source) => unknown;
}

/** Members by name, in the order of responses. */
export type Members<Source> = Readonly<Record<string, Member<Source>>>;

/** Returns the member with the value of `of`. */
export function member<Source, Value>(
  codec: ValueCodec<Value>,
  of: (source: Source) => Value,
  traits: MemberFeatures = {},
): Member<Source> {
  const { write } = codec;
  return { ...traits, codec, write: (source) => write(of(source)) };
}

/**
 * Returns a function that writes objects with these members, in order. All its objects start as copies of one
 * template, so that they share a hidden class. Members that may be `undefined` must be last, because they are
 * added one by one.
 */
export function objectWriter<Source>(
  members: Members<Source>,
  optional: Members<Source> = {},
): (source: Source) => Record<string, unknown> {
  const template: Json = Object.fromEntries(Object.keys(members).map((name) => [name, null]));
  const always = Object.entries(members).map(([name, { write }]) => ({ name, write }));
  const rest = Object.entries(optional).map(([name, { write }]) => ({ name, write }));
  return (source) => {
    const json: Record<string, unknown> = { ...template };
    for (const { name, write } of always) json[name] = write(source);
    for (const { name, write } of rest) {
      const value = write(source);
      if (value !== undefined) json[name] = value;
    }
    return json;
  };
}

/** Returns the JSON Schemas of the guaranteed members. */
export function promisedProperties(members: Members<never>): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(members)
      .filter(([, { isUnpromised }]) => isUnpromised !== true)
      .map(([name, { codec }]) => [name, codec.jsonSchema]),
  );
}

/** Returns the names of the quantities. They are normalized in results of other nodes. */
export function quantityNames(members: Members<never>): string[] {
  return Object.entries(members)
    .filter(([, { codec, isVerbatim }]) => codec.isQuantity === true && isVerbatim !== true)
    .map(([name]) => name);
}

/** A member that every kind of node returns, always or with a valid value if present. */
export interface CertainMember {
  readonly name: string;
  readonly tolerate: MemberCodec['tolerate'];
  readonly isQuantity: boolean;
  readonly isOptional: boolean;
}

/** Returns the members that objects of every kind of node contain. */
export function certainMembers(members: Members<never>): CertainMember[] {
  return Object.entries(members).flatMap(([name, { codec, answered }]) =>
    answered === undefined
      ? []
      : [
          {
            name,
            tolerate: codec.tolerate,
            isQuantity: codec.isQuantity === true,
            isOptional: answered === 'sometimes',
          },
        ],
  );
}
