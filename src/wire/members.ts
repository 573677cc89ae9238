// Objects of answers: their members in order, each with the codec of its values and the place where its value comes from.
// Writers, JSON Schemas and the checks of other nodes' answers are made from the same members.

import type { Json, JsonSchema, ValueCodec } from './values.ts';

/** The ways in which a member differs from others. */
export interface MemberTraits {
  /** Nodes of other makes answer it always, or it is as described where they do. */
  readonly answered?: 'always' | 'sometimes';
  /** Answers of other nodes are passed on with it as it is spelled there. */
  readonly isVerbatim?: true;
  /** Not promised to callers: not all objects have it, or its name depends on the dialect. */
  readonly isUnpromised?: true;
}

/** The part of a codec that does not depend on the type of its values. */
export type MemberCodec = Pick<ValueCodec<unknown>, 'jsonSchema' | 'isQuantity' | 'tolerate'>;

/** A member of objects that are made of a `Source`. */
export interface Member<Source> extends MemberTraits {
  readonly codec: MemberCodec;
  /** Returns the JSON value; `undefined` where the object has no such member. */
  readonly write: (source: Source) => unknown;
}

/** Members by name, in the order of answers. */
export type Members<Source> = Readonly<Record<string, Member<Source>>>;

/** Returns the member with the value that `of` takes from the source. */
export function member<Source, Value>(
  codec: ValueCodec<Value>,
  of: (source: Source) => Value,
  traits: MemberTraits = {},
): Member<Source> {
  const { write } = codec;
  return { ...traits, codec, write: (source) => write(of(source)) };
}

/**
 * Returns the function that writes objects with these members, in their order. All objects that it returns begin as copies
 * of one template, so that they share their hidden class whatever the members are. Members that may be `undefined` must
 * come last, as they are added one by one.
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

/** Returns the JSON Schemas of the members that callers can rely on. */
export function promisedProperties(members: Members<never>): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(members)
      .filter(([, { isUnpromised }]) => isUnpromised !== true)
      .map(([name, { codec }]) => [name, codec.jsonSchema]),
  );
}

/** Returns the names of the members that are quantities, and spelled as such whatever another node makes of them. */
export function quantityNames(members: Members<never>): string[] {
  return Object.entries(members)
    .filter(([, { codec, isVerbatim }]) => codec.isQuantity === true && isVerbatim !== true)
    .map(([name]) => name);
}

/** A member that nodes of any make answer, or a value as described where they do. */
export interface CertainMember {
  readonly name: string;
  readonly tolerate: MemberCodec['tolerate'];
  readonly isQuantity: boolean;
  readonly isOptional: boolean;
}

/** Returns the members that are certain of objects that nodes of any make answer. */
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
