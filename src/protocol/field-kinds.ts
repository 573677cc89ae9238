// The kinds of values in headers, receipts and authorizations: each of their fields is listed with its kind, once, and every
// form of them (JSON, RLP, records) is made by running over that list.

/** The protocol whose list of fields headers and receipts are encoded by. */
export type Encoding = 'network' | 'ethereum';

/**
 * The values of each kind. A root is a hash that may be empty bytes too; gas and nonces are integers of 64 bits where
 * others have such a limit, and a byte is one of 8; what is optional may be `null`.
 */
export interface KindValues {
  readonly hash: Uint8Array;
  readonly address: Uint8Array;
  readonly bloom: Uint8Array;
  readonly bytes: Uint8Array;
  readonly integer: bigint;
  readonly gas: bigint;
  readonly byte: bigint;
  readonly count: number;
  readonly flag: boolean;
  readonly 'optional integer': bigint | null;
  readonly 'optional hash': Uint8Array | null;
  readonly 'optional root': Uint8Array | null;
  readonly 'optional address': Uint8Array | null;
}

/** The name of a kind. */
export type FieldKind = keyof KindValues;

type KindOf<Value> = {
  [Kind in FieldKind]: KindValues[Kind] extends Value
    ? Value extends KindValues[Kind]
      ? Kind
      : never
    : never;
}[FieldKind];

/** A table of all fields of `Owner` with the kind of each. */
export type Kinds<Owner> = { readonly [Name in keyof Owner]: KindOf<Owner[Name]> };

/** Returns the fields of a table as a list, in its order. */
export function listFields<Name extends string, Kind extends FieldKind>(
  kinds: Readonly<Record<Name, Kind>>,
): readonly { readonly name: Name; readonly kind: Kind }[] {
  return (Object.keys(kinds) as Name[]).map((name) => ({ name, kind: kinds[name] }));
}
