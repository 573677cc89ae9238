// The stored form of a block: its log record, then header, transactions, receipts and the rest as RLP.

import { bytesToBigInt } from '../primitives/bytes.ts';
import { CodedError } from '../primitives/coded-error.ts';
import {
  decodeRlpField,
  type RlpItem,
  rlpLength,
  rlpListLength,
  writeListPrefix,
  writeRlp,
} from '../primitives/rlp.ts';
import { type Steps, WORK_PER_STEP } from '../primitives/steps.ts';
import {
  type Block,
  type BlockHeader,
  ETHEREUM_FIELDS,
  type EthereumHeaderFields,
  HEADER_FIELDS,
  MERGED_MINING_FIELDS,
  type MergedMining,
} from '../protocol/block.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import {
  isLocalProof,
  LOCAL_PROOF_MARKS_SIZE,
  localProof,
  localProofMarks,
} from '../protocol/merged-mining/proof-of-work.ts';
import { bloomOf, type Log, type LogSequence, RECEIPT_FIELDS, type Receipt } from '../protocol/receipt.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { restoreTransaction } from '../protocol/transaction-decoding.ts';
import { bytesOf, decodingRlp, integer, itemOf, listOf } from './block-index-store.ts';
import { BlockRecordError } from './errors.ts';
import { EMPTY_LOG_RECORD_SIZE, LogRecord, logRecordSize, writeLogRecord } from './log-record.ts';
import { lengthOf, readItems, recordFields, writeFields, writeList } from './record-fields.ts';

/** The header fields in record order. The two groups follow as a list each. */
const OWN = recordFields(HEADER_FIELDS);
const MERGED_MINING = recordFields(MERGED_MINING_FIELDS);
const ETHEREUM = recordFields(ETHEREUM_FIELDS);

const MARKS_LENGTH = rlpLength(new Uint8Array(LOCAL_PROOF_MARKS_SIZE));

/** A header to write, measured once, because detecting the form of its proof is expensive. */
interface MeasuredHeader {
  readonly header: BlockHeader;
  /** Short form of a local proof of work; `null` to write the full proof. */
  readonly marks: Uint8Array | null;
  /** The bytes of the proof fields and of the header, without list prefixes. */
  readonly proofLength: number;
  readonly length: number;
}

function measuredHeader(header: BlockHeader): MeasuredHeader {
  const { mergedMining, ethereum } = header;
  const marks = isLocalProof(mergedMining) ? localProofMarks(mergedMining) : null;
  const proofLength = marks === null ? lengthOf(MERGED_MINING, mergedMining) : MARKS_LENGTH;
  const groups = rlpListLength(proofLength) + rlpListLength(lengthOf(ETHEREUM, ethereum));
  return { header, marks, proofLength, length: lengthOf(OWN, header) + groups };
}

function writeHeader(target: Uint8Array, start: number, measured: MeasuredHeader): number {
  const { header, marks, proofLength, length } = measured;
  let end = writeListPrefix(target, start, length);
  end = writeFields(target, end, OWN, header);
  end = writeListPrefix(target, end, proofLength);
  end =
    marks === null
      ? writeFields(target, end, MERGED_MINING, header.mergedMining)
      : writeRlp(target, end, marks);
  return writeList(target, end, ETHEREUM, header.ethereum);
}

function readProof(item: RlpItem | undefined): MergedMining {
  const items = listOf(item);
  return items.length === 1 ? localProof(bytesOf(items[0])) : readItems<MergedMining>(MERGED_MINING, items);
}

function readHeader(item: RlpItem | undefined): BlockHeader {
  const items = listOf(item);
  const groups = {
    mergedMining: readProof(items[OWN.length]),
    ethereum: readItems<EthereumHeaderFields>(ETHEREUM, listOf(items[OWN.length + 1])),
  };
  return readItems(OWN, items, groups);
}

/** The receipt fields in a record. Logs and their bloom are in the log record. */
const RECEIPT = recordFields(RECEIPT_FIELDS);

/** Logs are decoded on access, because most readers of a block do not need them. */
function readReceipt(item: RlpItem, readLogs: () => LogSequence): Receipt {
  let storedLogs: LogSequence | undefined;
  const stored = (): LogSequence => {
    storedLogs ??= readLogs();
    return storedLogs;
  };
  let logs: readonly Log[] | undefined;
  let logsBloom: Uint8Array | undefined;
  const receipt = {
    ...readItems<Omit<Receipt, 'logs' | 'storedLogs' | 'logsBloom'>>(RECEIPT, listOf(item)),
    get logs() {
      logs ??= [...stored()];
      return logs;
    },
    get logsBloom() {
      logsBloom ??= bloomOf(this.logs);
      return logsBloom;
    },
  };
  // Not enumerable, so that a copy with other logs does not have it.
  return Object.defineProperty(receipt, 'storedLogs', { get: stored });
}

function readTransaction(item: RlpItem, ruleSet: RuleSet): Transaction {
  const [raw, sender] = listOf(item);
  try {
    return restoreTransaction(bytesOf(raw), ruleSet, bytesOf(sender));
  } catch (error) {
    // The transaction comes from storage, so the error must not look like an invalid client request.
    if (!(error instanceof CodedError)) throw error;
    throw new BlockRecordError(`a block record has no readable transaction: ${error.message}`, {
      cause: error,
    });
  }
}

const LENGTH_SIZE = 4;

/** Work units per transaction or receipt. */
const ITEM_WORK = 128;
const ITEMS_AT_ONCE = WORK_PER_STEP / ITEM_WORK;

/** Returns the bytes of a transaction in a record, without the list prefix. */
function transactionLength({ raw, sender }: Transaction): number {
  return rlpLength(raw) + rlpLength(sender);
}

function writeTransaction(target: Uint8Array, start: number, transaction: Transaction): number {
  const { raw, sender } = transaction;
  const end = writeListPrefix(target, start, transactionLength(transaction));
  return writeRlp(target, writeRlp(target, end, raw), sender);
}

/** The bytes of all transactions, all receipts (without list prefixes) and the logs. */
type Lengths = Readonly<Record<'transactions' | 'receipts' | 'logs', number>>;

/** The lengths of an empty block. Chains have many, so they take a fast path. */
const NO_LENGTHS: Lengths = { transactions: 0, receipts: 0, logs: EMPTY_LOG_RECORD_SIZE };

function* measured(block: Block): Steps<Lengths> {
  const { transactions, receipts } = block;
  const lengths = { transactions: 0, receipts: 0, logs: yield* logRecordSize(block) };
  let count = 0;
  for (const transaction of transactions) {
    lengths.transactions += rlpListLength(transactionLength(transaction));
    if (++count % ITEMS_AT_ONCE === 0) yield WORK_PER_STEP;
  }
  for (const receipt of receipts) {
    lengths.receipts += rlpListLength(lengthOf(RECEIPT, receipt));
    if (++count % ITEMS_AT_ONCE === 0) yield WORK_PER_STEP;
  }
  return lengths;
}

/**
 * Encodes a block for storage: four bytes with the length of the log record, the log record, the rest as RLP.
 * Yields for large blocks.
 */
export function* encodeBlockRecord(block: Block): Steps<Uint8Array> {
  const { header, hash, transactions, receipts, uncles } = block;
  const end = [integer(block.totalDifficulty), integer(block.size)];
  const isEmpty = transactions.length === 0 && receipts.length === 0;
  const lengths = isEmpty ? NO_LENGTHS : yield* measured(block);
  const ownHeader = measuredHeader(header);
  const uncleHeaders = uncles.map(measuredHeader);
  let unclesLength = 0;
  for (const uncle of uncleHeaders) unclesLength += rlpListLength(uncle.length);
  let length = rlpListLength(ownHeader.length) + rlpLength(hash);
  length +=
    rlpListLength(lengths.transactions) + rlpListLength(lengths.receipts) + rlpListLength(unclesLength);
  for (const item of end) length += rlpLength(item);

  const logsEnd = LENGTH_SIZE + lengths.logs;
  const record = Buffer.allocUnsafe(logsEnd + rlpListLength(length));
  record.writeUInt32BE(lengths.logs);
  if (isEmpty) record.fill(0, LENGTH_SIZE, logsEnd);
  else yield* writeLogRecord(record.subarray(LENGTH_SIZE, logsEnd), block);
  let at = writeHeader(record, writeListPrefix(record, logsEnd, length), ownHeader);
  at = writeListPrefix(record, writeRlp(record, at, hash), lengths.transactions);
  let count = 0;
  for (const transaction of transactions) {
    at = writeTransaction(record, at, transaction);
    if (++count % ITEMS_AT_ONCE === 0) yield WORK_PER_STEP;
  }
  at = writeListPrefix(record, at, lengths.receipts);
  for (const receipt of receipts) {
    at = writeList(record, at, RECEIPT, receipt);
    if (++count % ITEMS_AT_ONCE === 0) yield WORK_PER_STEP;
  }
  at = writeListPrefix(record, at, unclesLength);
  for (const uncle of uncleHeaders) at = writeHeader(record, at, uncle);
  for (const item of end) at = writeRlp(record, at, item);
  return new Uint8Array(record.buffer, record.byteOffset, record.length);
}

function logRecordEnd(record: Uint8Array): number {
  const end = LENGTH_SIZE + Number(bytesToBigInt(record.subarray(0, LENGTH_SIZE)));
  if (end > record.length) throw new BlockRecordError('a block record ends before the end of its logs');
  return end;
}

/** Decodes a block. Throws {@link BlockRecordError} for malformed bytes, also on later reads of logs. */
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

/** The index of the header in a record, and of the timestamp in the header. */
const TIMESTAMP_PATH = [0, OWN.findIndex(({ name }) => name === 'timestamp')] as const;

/** Returns the block's timestamp (seconds since 1970) without decoding the rest. */
function timestampOf(record: Uint8Array, logsEnd: number): number {
  return decodingRlp(() => Number(bytesToBigInt(decodeRlpField(record.subarray(logsEnd), TIMESTAMP_PATH))));
}

/**
 * Returns the logs of a block record as a view. It decodes only the timestamp in addition, unless it is
 * given. Throws {@link BlockRecordError} for malformed bytes.
 */
export function logsOfBlockRecord(record: Uint8Array, timestamp?: number): LogRecord {
  const end = logRecordEnd(record);
  return new LogRecord(record.subarray(LENGTH_SIZE, end), timestamp ?? timestampOf(record, end));
}
