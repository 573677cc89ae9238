// The stored form of a block: its log record, then header, transactions, receipts and the rest as RLP.

import { bytesToBigInt, EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import { CodedError } from '../primitives/coded-error.ts';
import {
  decodeRlpField,
  type RlpItem,
  rlpIntegerLength,
  rlpLength,
  rlpListLength,
  writeListPrefix,
  writeRlp,
  writeRlpInteger,
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
  /** Returns the number of bytes that {@link RecordForm.write} writes. */
  length(value: T): number;
  /** Writes the value at `start`; returns the offset of its end. */
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
  length: (value) => rlpIntegerLength(BigInt(value)),
  write: (target, start, value) => writeRlpInteger(target, start, BigInt(value)),
  read: (item) => Number(bytesToBigInt(bytesOf(item))),
};
/** The bloom of a block without logs takes no bytes; records of earlier versions have its zeros. */
function bloomBytes(bloom: Uint8Array): Uint8Array {
  return equalBytes(bloom, EMPTY_BLOOM) ? EMPTY_BYTES : bloom;
}

const BLOOM: RecordForm<Uint8Array> = {
  length: (value) => rlpLength(bloomBytes(value)),
  write: (target, start, value) => writeRlp(target, start, bloomBytes(value)),
  read: (item) => {
    const bytes = bytesOf(item);
    return bytes.length === 0 ? EMPTY_BLOOM : bytes;
  },
};
const FLAG: RecordForm<boolean> = {
  length: () => 1,
  write: (target, start, value) => writeRlpInteger(target, start, value ? 1n : 0n),
  read: (item) => bytesOf(item).length === 1,
};

/** A list of one for a value, an empty one for `null`. */
function optional<T>({ length, write, read }: RecordForm<T>): RecordForm<T | null> {
  return {
    length: (value) => rlpListLength(value === null ? 0 : length(value)),
    write: (target, start, value) => {
      if (value === null) return writeListPrefix(target, start, 0);
      return write(target, writeListPrefix(target, start, length(value)), value);
    },
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

/** Returns the bytes that the fields take in the record. */
function lengthOf<Name extends string>(
  fields: readonly RecordField<Name>[],
  owner: Readonly<Record<Name, unknown>>,
): number {
  let length = 0;
  for (const { name, form } of fields) length += form.length(owner[name]);
  return length;
}

/** Writes the fields at `start`; returns the offset of their end. */
function writeFields<Name extends string>(
  target: Uint8Array,
  start: number,
  fields: readonly RecordField<Name>[],
  owner: Readonly<Record<Name, unknown>>,
): number {
  let end = start;
  for (const { name, form } of fields) end = form.write(target, end, owner[name]);
  return end;
}

/** As {@link writeFields}, as a list. */
function writeList<Name extends string>(
  target: Uint8Array,
  start: number,
  fields: readonly RecordField<Name>[],
  owner: Readonly<Record<Name, unknown>>,
): number {
  return writeFields(target, writeListPrefix(target, start, lengthOf(fields, owner)), fields, owner);
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

/** Returns the bytes of the fields of a header, without the prefix of their list. */
function headerLength(header: BlockHeader): number {
  const groups =
    rlpListLength(lengthOf(MERGED_MINING, header.mergedMining)) +
    rlpListLength(lengthOf(ETHEREUM, header.ethereum));
  return lengthOf(OWN, header) + groups;
}

function writeHeader(target: Uint8Array, start: number, header: BlockHeader): number {
  let end = writeListPrefix(target, start, headerLength(header));
  end = writeFields(target, end, OWN, header);
  end = writeList(target, end, MERGED_MINING, header.mergedMining);
  return writeList(target, end, ETHEREUM, header.ethereum);
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

/** Units of work for a transaction or a receipt in a record, measured or written. */
const ITEM_WORK = 128;

/** Returns the bytes of a transaction in a record, without the prefix of its list. */
function transactionLength({ raw, sender }: Transaction): number {
  return rlpLength(raw) + rlpLength(sender);
}

function writeTransaction(target: Uint8Array, start: number, transaction: Transaction): number {
  const { raw, sender } = transaction;
  const end = writeListPrefix(target, start, transactionLength(transaction));
  return writeRlp(target, writeRlp(target, end, raw), sender);
}

/** Returns the bytes of all transactions and of all receipts in a record, without the prefixes of the two lists. */
function* measured(
  { transactions, receipts }: Block,
  pieces: WorkPieces,
): Task<Readonly<Record<'transactions' | 'receipts', number>>> {
  const lengths = { transactions: 0, receipts: 0 };
  for (const transaction of transactions) {
    lengths.transactions += rlpListLength(transactionLength(transaction));
    const turn = pieces.spend(ITEM_WORK);
    if (turn !== undefined) yield turn;
  }
  for (const receipt of receipts) {
    lengths.receipts += rlpListLength(lengthOf(RECEIPT, receipt));
    const turn = pieces.spend(ITEM_WORK);
    if (turn !== undefined) yield turn;
  }
  return lengths;
}

/**
 * Returns the block as the bytes that storage keeps, in pieces when it has many transactions or logs: the length of the log record
 * in four bytes, the log record, and the rest as RLP.
 */
export function* encodeBlockRecordInPieces(block: Block, pieces: WorkPieces): Task<Uint8Array> {
  const { header, hash, transactions, receipts, uncles } = block;
  const end = [integer(block.totalDifficulty), integer(block.size)];
  const lengths = yield* measured(block, pieces);
  let unclesLength = 0;
  for (const uncle of uncles) unclesLength += rlpListLength(headerLength(uncle));
  let length = rlpListLength(headerLength(header)) + rlpLength(hash);
  length +=
    rlpListLength(lengths.transactions) + rlpListLength(lengths.receipts) + rlpListLength(unclesLength);
  for (const item of end) length += rlpLength(item);

  const logsSize = yield* logRecordSize(block, pieces);
  const logsEnd = LENGTH_SIZE + logsSize;
  const record = Buffer.allocUnsafe(logsEnd + rlpListLength(length));
  record.writeUInt32BE(logsSize);
  yield* writeLogRecord(record.subarray(LENGTH_SIZE, logsEnd), block, pieces);
  let at = writeHeader(record, writeListPrefix(record, logsEnd, length), header);
  at = writeListPrefix(record, writeRlp(record, at, hash), lengths.transactions);
  for (const transaction of transactions) {
    at = writeTransaction(record, at, transaction);
    const turn = pieces.spend(ITEM_WORK);
    if (turn !== undefined) yield turn;
  }
  at = writeListPrefix(record, at, lengths.receipts);
  for (const receipt of receipts) {
    at = writeList(record, at, RECEIPT, receipt);
    const turn = pieces.spend(ITEM_WORK);
    if (turn !== undefined) yield turn;
  }
  at = writeListPrefix(record, at, unclesLength);
  for (const uncle of uncles) at = writeHeader(record, at, uncle);
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
