// The kinds of values in headers, receipts and authorizations. Each field is listed once with its kind, and
// all formats (JSON, RLP, records) are derived from these lists.

/** The encoding of headers and receipts. */
export type Encoding = 'network' | 'ethereum';

/**
 * The values of each kind. A root is a hash or empty bytes. Gas and nonces have 64 bits in some formats, and
 * a byte has 8 bits. Optional values may be `null`.
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

export type FieldKind = keyof KindValues;

type KindOf<Value> = {
  [Kind in FieldKind]: KindValues[Kind] extends Value
    ? Value extends KindValues[Kind]
      ? Kind
      : never
    : never;
}[FieldKind];

/** All fields of `Owner` with their kinds. */
export type Kinds<Owner> = { readonly [Name in keyof Owner]: KindOf<Owner[Name]> };

/** Returns the fields of a table as a list, in order. */
export function listFields<Name extends string, Kind extends FieldKind>(
  kinds: Readonly<Record<Name, Kind>>,
): readonly { readonly name: Name; readonly kind: Kind }[] {
  return (Object.keys(kinds) as Name[]).map((name) => ({ name, kind: kinds[name] }));
}
