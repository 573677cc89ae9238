// The encoding of header, proof and receipt fields in block records.

import { bytesToBigInt, EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import {
  type RlpItem,
  rlpIntegerLength,
  rlpLength,
  rlpListLength,
  rlpNumberLength,
  writeListPrefix,
  writeRlp,
  writeRlpInteger,
  writeRlpNumber,
} from '../primitives/rlp.ts';
import { type BlockHeader, type EthereumHeaderFields, NO_ETHEREUM_FIELDS } from '../protocol/block.ts';
import { type FieldKind, type KindValues, listFields } from '../protocol/field-kinds.ts';
import { NO_UNCLES_HASH } from '../protocol/header-encoding.ts';
import { EMPTY_BLOOM } from '../protocol/receipt.ts';
import { bytesOf, listOf } from './block-index-store.ts';

/** The encoding of a kind of value. */
interface RecordForm<T> {
  /** Returns the number of bytes that {@link RecordForm.write} writes. */
  length(value: T): number;
  /** Writes the value at `start`. Returns its end offset. */
  write(target: Uint8Array, start: number, value: T): number;
  read(item: RlpItem | undefined): T;
}

const BYTES: RecordForm<Uint8Array> = { length: rlpLength, write: writeRlp, read: bytesOf };
const INTEGER: RecordForm<bigint> = {
  length: rlpIntegerLength,
  write: writeRlpInteger,
  read: (item) => bytesToBigInt(bytesOf(item)),
};
const COUNT: RecordForm<number> = {
  length: rlpNumberLength,
  write: writeRlpNumber,
  read: (item) => Number(bytesToBigInt(bytesOf(item))),
};

/** Encodes a usual value as empty bytes. Records of earlier versions contain the value itself. */
function usually(usual: Uint8Array): RecordForm<Uint8Array> {
  const shortened = (value: Uint8Array): Uint8Array => (equalBytes(value, usual) ? EMPTY_BYTES : value);
  return {
    length: (value) => rlpLength(shortened(value)),
    write: (target, start, value) => writeRlp(target, start, shortened(value)),
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
  length: () => 1,
  write: (target, start, value) => writeRlpNumber(target, start, value ? 1 : 0),
  read: (item) => bytesOf(item).length === 1,
};

/** A list with the value; an empty list for `null`. */
function optional<T>({ length, write, read }: RecordForm<T>): RecordForm<T | null> {
  return {
    length: (value) => rlpListLength(value === null ? 0 : length(value)),
    write: (target, start, value) => {
      if (value === null) return writeListPrefix(target, start, 0);
      return write(target, writeListPrefix(target, start, length(value)), value);
    },
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

export function lengthOf<Name extends string>(
  fields: readonly RecordField<Name>[],
  owner: Readonly<Record<Name, unknown>>,
): number {
  let length = 0;
  for (const { name, form } of fields) length += form.length(owner[name]);
  return length;
}

/** Writes the fields at `start`. Returns the end offset. */
export function writeFields<Name extends string>(
  target: Uint8Array,
  start: number,
  fields: readonly RecordField<Name>[],
  owner: Readonly<Record<Name, unknown>>,
): number {
  let end = start;
  for (const { name, form } of fields) end = form.write(target, end, owner[name]);
  return end;
}

/** Like {@link writeFields}, as an RLP list. */
export function writeList<Name extends string>(
  target: Uint8Array,
  start: number,
  fields: readonly RecordField<Name>[],
  owner: Readonly<Record<Name, unknown>>,
): number {
  return writeFields(target, writeListPrefix(target, start, lengthOf(fields, owner)), fields, owner);
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
