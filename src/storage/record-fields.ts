// The encoding of header, proof and receipt fields in block records.

import { bytesToBigInt, EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import {
  prependListPrefix,
  prependRlp,
  prependRlpInteger,
  prependRlpNumber,
  type RlpItem,
} from '../primitives/rlp.ts';
import { type BlockHeader, type EthereumHeaderFields, NO_ETHEREUM_FIELDS } from '../protocol/block.ts';
import { type FieldKind, type KindValues, listFields } from '../protocol/field-kinds.ts';
import { NO_UNCLES_HASH } from '../protocol/header-encoding.ts';
import { EMPTY_BLOOM } from '../protocol/receipt.ts';
import { bytesOf, listOf } from './block-index-store.ts';

/** The encoding of a kind of value. */
interface RecordForm<T> {
  /** Writes the value before `end`. Returns its start offset. */
  write(target: Uint8Array, end: number, value: T): number;
  read(item: RlpItem | undefined): T;
}

const BYTES: RecordForm<Uint8Array> = { write: prependRlp, read: bytesOf };
const INTEGER: RecordForm<bigint> = {
  write: prependRlpInteger,
  read: (item) => bytesToBigInt(bytesOf(item)),
};
const COUNT: RecordForm<number> = {
  write: prependRlpNumber,
  read: (item) => Number(bytesToBigInt(bytesOf(item))),
};

/** Encodes a usual value as empty bytes. Records of earlier versions contain the value itself. */
function usually(usual: Uint8Array): RecordForm<Uint8Array> {
  return {
    write: (target, end, value) => prependRlp(target, end, equalBytes(value, usual) ? EMPTY_BYTES : value),
    read: (item) => {
      const bytes = bytesOf(item);
      return bytes.length === 0 ? usual : bytes;
    },
  };
}

const BLOOM = usually(EMPTY_BLOOM);
/** The fields whose encoding differs from their kind's. */
const FIELD_FORMS: Readonly<Record<string, RecordForm<unknown>>> = {
  unclesHash: usually(NO_UNCLES_HASH),
  mixHash: usually(NO_ETHEREUM_FIELDS.mixHash),
} satisfies Partial<Record<keyof BlockHeader | keyof EthereumHeaderFields, RecordForm<Uint8Array>>>;
const FLAG: RecordForm<boolean> = {
  write: (target, end, value) => prependRlpNumber(target, end, value ? 1 : 0),
  read: (item) => bytesOf(item).length === 1,
};

/** A list with the value; an empty list for `null`. */
function optional<T>({ write, read }: RecordForm<T>): RecordForm<T | null> {
  return {
    write: (target, end, value) =>
      prependListPrefix(target, value === null ? end : write(target, end, value), end),
    read: (item) => {
      // A record from before the field was added ends earlier.
      const [value] = item === undefined ? [] : listOf(item);
      return value === undefined ? null : read(value);
    },
  };
}

const OPTIONAL_BYTES = optional(BYTES);

const RECORD_FORMS: { readonly [Kind in FieldKind]: RecordForm<KindValues[Kind]> } = {
  hash: BYTES,
  address: BYTES,
  bloom: BLOOM,
  bytes: BYTES,
  integer: INTEGER,
  gas: INTEGER,
  byte: INTEGER,
  count: COUNT,
  flag: FLAG,
  'optional integer': optional(INTEGER),
  'optional hash': OPTIONAL_BYTES,
  'optional root': OPTIONAL_BYTES,
  'optional address': OPTIONAL_BYTES,
};

export interface RecordField<Name extends string> {
  readonly name: Name;
  readonly form: RecordForm<unknown>;
}

/** Returns the fields of a table with their encodings, in order. */
export function recordFields<Name extends string>(
  kinds: Readonly<Record<Name, FieldKind>>,
): readonly RecordField<Name>[] {
  const forms: Readonly<Record<FieldKind, RecordForm<unknown>>> = RECORD_FORMS;
  return listFields(kinds).map(({ name, kind }) => ({ name, form: FIELD_FORMS[name] ?? forms[kind] }));
}

/** Writes the fields before `end`. Returns the start offset. */
export function writeFields<Name extends string>(
  target: Uint8Array,
  end: number,
  fields: readonly RecordField<Name>[],
  owner: Readonly<Record<Name, unknown>>,
): number {
  let start = end;
  for (let index = fields.length - 1; index >= 0; index--) {
    const field = fields[index];
    if (field !== undefined) start = field.form.write(target, start, owner[field.name]);
  }
  return start;
}

/** Like {@link writeFields}, as an RLP list. */
export function writeList<Name extends string>(
  target: Uint8Array,
  end: number,
  fields: readonly RecordField<Name>[],
  owner: Readonly<Record<Name, unknown>>,
): number {
  return prependListPrefix(target, writeFields(target, end, fields, owner), end);
}

/** Decodes the items into `owner` by field. Throws `BlockRecordError` for malformed items. */
export function readItems<Owner>(
  fields: readonly RecordField<string>[],
  items: readonly RlpItem[],
  owner: Record<string, unknown> = {},
): Owner {
  let index = 0;
  for (const { name, form } of fields) owner[name] = form.read(items[index++]);
  return owner as Owner;
}
