// The stored form of a block: its log record, then header, transactions, receipts and the rest as RLP.

import { bytesToBigInt, EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import { CodedError } from '../primitives/coded-error.ts';
import {
  decodeRlpField,
  type RlpItem,
  rlpLength,
  rlpListLength,
  writeListPrefix,
  writeRlp,
} from '../primitives/rlp.ts';
import type { Task } from '../primitives/task.ts';
import type { WorkPieces } from '../primitives/work-pieces.ts';
import {
  type Block,
  type BlockHeader,
  ETHEREUM_FIELDS,
  type EthereumHeaderFields,
  HEADER_FIELDS,
  MERGED_MINING_FIELDS,
  type MergedMining,
} from '../protocol/block.ts';
import { type FieldKind, type KindValues, listFields } from '../protocol/field-kinds.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { bloomOf, EMPTY_BLOOM, type Log, RECEIPT_FIELDS, type Receipt } from '../protocol/receipt.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { restoreTransaction } from '../protocol/transaction-decoding.ts';
import { bytesOf, decodingRlp, integer, itemOf, listOf } from './block-index-store.ts';
import { BlockRecordError } from './errors.ts';
import { LogRecord, logRecordSize, writeLogRecord } from './log-record.ts';

/** The form of a kind of value in a record. */
interface RecordForm<T> {
  write(value: T): RlpItem;
  read(item: RlpItem | undefined): T;
}

const BYTES: RecordForm<Uint8Array> = { write: (value) => value, read: bytesOf };
const INTEGER: RecordForm<bigint> = { write: integer, read: (item) => bytesToBigInt(bytesOf(item)) };
const COUNT: RecordForm<number> = { write: integer, read: (item) => Number(bytesToBigInt(bytesOf(item))) };
/** The bloom of a block without logs takes no bytes; records of earlier versions have its zeros. */
const BLOOM: RecordForm<Uint8Array> = {
  write: (value) => (equalBytes(value, EMPTY_BLOOM) ? EMPTY_BYTES : value),
  read: (item) => {
    const bytes = bytesOf(item);
    return bytes.length === 0 ? EMPTY_BLOOM : bytes;
  },
};
const FLAG: RecordForm<boolean> = {
  write: (value) => (value ? Uint8Array.of(1) : EMPTY_BYTES),
  read: (item) => bytesOf(item).length === 1,
};

/** A list of one for a value, an empty one for `null`. */
function optional<T>({ write, read }: RecordForm<T>): RecordForm<T | null> {
  return {
    write: (value) => (value === null ? [] : [write(value)]),
    read: (item) => {
      // A record that is older than the field ends before it.
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

interface RecordField<Name extends string> {
  readonly name: Name;
  readonly form: RecordForm<unknown>;
}

function recordFields<Name extends string>(
  kinds: Readonly<Record<Name, FieldKind>>,
): readonly RecordField<Name>[] {
  const forms: Readonly<Record<FieldKind, RecordForm<unknown>>> = RECORD_FORMS;
  return listFields(kinds).map(({ name, kind }) => ({ name, form: forms[kind] }));
}

function itemsOf<Name extends string>(
  fields: readonly RecordField<Name>[],
  owner: Readonly<Record<Name, unknown>>,
): RlpItem[] {
  return fields.map(({ name, form }) => form.write(owner[name]));
}

/** `owner` is what the fields are put into. */
function readItems<Owner>(
  fields: readonly RecordField<string>[],
  items: readonly RlpItem[],
  owner: Record<string, unknown> = {},
): Owner {
  let index = 0;
  for (const { name, form } of fields) owner[name] = form.read(items[index++]);
  return owner as Owner;
}

/** The fields of a header in the order of the record; the two groups follow as a list each. */
const OWN = recordFields(HEADER_FIELDS);
const MERGED_MINING = recordFields(MERGED_MINING_FIELDS);
const ETHEREUM = recordFields(ETHEREUM_FIELDS);

function headerItem(header: BlockHeader): RlpItem {
  return [
    ...itemsOf(OWN, header),
    itemsOf(MERGED_MINING, header.mergedMining),
    itemsOf(ETHEREUM, header.ethereum),
  ];
}

function readHeader(item: RlpItem | undefined): BlockHeader {
  const items = listOf(item);
  const groups = {
    mergedMining: readItems<MergedMining>(MERGED_MINING, listOf(items[OWN.length])),
    ethereum: readItems<EthereumHeaderFields>(ETHEREUM, listOf(items[OWN.length + 1])),
  };
  return readItems(OWN, items, groups);
}

/** The fields of a receipt in a record: logs and their bloom are in the log record. */
const RECEIPT = recordFields(RECEIPT_FIELDS);

/** Its logs are read when they are asked for: most callers that look at a block, or at one transaction of it, do not. */
function readReceipt(item: RlpItem, readLogs: () => readonly Log[]): Receipt {
  let logs: readonly Log[] | undefined;
  let logsBloom: Uint8Array | undefined;
  return {
    ...readItems<Omit<Receipt, 'logs' | 'logsBloom'>>(RECEIPT, listOf(item)),
    get logs() {
      logs ??= readLogs();
      return logs;
    },
    get logsBloom() {
      logsBloom ??= bloomOf(this.logs);
      return logsBloom;
    },
  };
}

function readTransaction(item: RlpItem, ruleSet: RuleSet): Transaction {
  const [raw, sender] = listOf(item);
  try {
    return restoreTransaction(bytesOf(raw), ruleSet, bytesOf(sender));
  } catch (error) {
    // The transaction is read from storage, so a refusal must not be reported as if a caller had sent it.
    if (!(error instanceof CodedError)) throw error;
    throw new BlockRecordError(`a block record has no readable transaction: ${error.message}`, {
      cause: error,
    });
  }
}

const LENGTH_SIZE = 4;

/** A list of items and how many bytes their encodings take. */
interface MeasuredList {
  readonly items: readonly RlpItem[];
  readonly length: number;
}

/** Units of work for an item of a list in a record, measured and written. */
const ITEM_WORK = 128;

function* measured<Part>(
  parts: readonly Part[],
  itemFor: (part: Part) => RlpItem,
  pieces: WorkPieces,
): Task<MeasuredList> {
  const items: RlpItem[] = [];
  let length = 0;
  for (const part of parts) {
    const item = itemFor(part);
    items.push(item);
    length += rlpLength(item);
    const turn = pieces.spend(ITEM_WORK);
    if (turn !== undefined) yield turn;
  }
  return { items, length };
}

/**
 * Returns the block as the bytes that storage keeps, in pieces when it has many transactions or logs: the length of the log record
 * in four bytes, the log record, and the rest as RLP.
 */
export function* encodeBlockRecordInPieces(block: Block, pieces: WorkPieces): Task<Uint8Array> {
  const { transactions, receipts } = block;
  const start = [headerItem(block.header), block.hash];
  const lists = [
    yield* measured(transactions, ({ raw, sender }) => [raw, sender], pieces),
    yield* measured(receipts, (receipt) => itemsOf(RECEIPT, receipt), pieces),
  ];
  const end = [block.uncles.map(headerItem), integer(block.totalDifficulty), integer(block.size)];
  let length = 0;
  for (const item of start) length += rlpLength(item);
  for (const list of lists) length += rlpListLength(list.length);
  for (const item of end) length += rlpLength(item);

  const logsSize = yield* logRecordSize(block, pieces);
  const logsEnd = LENGTH_SIZE + logsSize;
  const record = Buffer.allocUnsafe(logsEnd + rlpListLength(length));
  record.writeUInt32BE(logsSize);
  yield* writeLogRecord(record.subarray(LENGTH_SIZE, logsEnd), block, pieces);
  let at = writeListPrefix(record, logsEnd, length);
  for (const item of start) at = writeRlp(record, at, item);
  for (const list of lists) {
    at = writeListPrefix(record, at, list.length);
    for (const item of list.items) {
      at = writeRlp(record, at, item);
      const turn = pieces.spend(ITEM_WORK);
      if (turn !== undefined) yield turn;
    }
  }
  for (const item of end) at = writeRlp(record, at, item);
  return new Uint8Array(record.buffer, record.byteOffset, record.length);
}

function logRecordEnd(record: Uint8Array): number {
  const end = LENGTH_SIZE + Number(bytesToBigInt(record.subarray(0, LENGTH_SIZE)));
  if (end > record.length) throw new BlockRecordError('a block record ends before its logs do');
  return end;
}

/**
 * Returns the block of a record. Throws {@link BlockRecordError} for malformed bytes, as reading the logs of its
 * receipts may do later.
 */
export function decodeBlockRecord(record: Uint8Array, ruleSet: RuleSet): Block {
  const rest = itemOf(record.subarray(logRecordEnd(record)));
  const [headerFields, hash, transactions, receipts, uncles, totalDifficulty, size] = listOf(rest);
  const header = readHeader(headerFields);
  const logs = logsOfBlockRecord(record, header.timestamp);
  return {
    header,
    hash: bytesOf(hash),
    transactions: listOf(transactions).map((item) => readTransaction(item, ruleSet)),
    receipts: listOf(receipts).map((item, index) => readReceipt(item, () => logs.ofTransaction(index))),
    uncles: listOf(uncles).map(readHeader),
    totalDifficulty: bytesToBigInt(bytesOf(totalDifficulty)),
    size: Number(bytesToBigInt(bytesOf(size))),
  };
}

/** The places of the header in a block record and of the timestamp in the header. */
const TIMESTAMP_PATH = [0, OWN.findIndex(({ name }) => name === 'timestamp')] as const;

/** Returns the timestamp of the block, in seconds since 1970, without decoding anything else of the record. */
function timestampOf(record: Uint8Array, logsEnd: number): number {
  return decodingRlp(() => Number(bytesToBigInt(decodeRlpField(record.subarray(logsEnd), TIMESTAMP_PATH))));
}

/**
 * Returns the logs of a block record, not copied. Reads of the rest only the block's timestamp, unless it is given.
 * Throws {@link BlockRecordError} for malformed bytes.
 */
export function logsOfBlockRecord(record: Uint8Array, timestamp?: number): LogRecord {
  const end = logRecordEnd(record);
  return new LogRecord(record.subarray(LENGTH_SIZE, end), timestamp ?? timestampOf(record, end));
}
