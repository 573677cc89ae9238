// The stored form of a block: its log record, then header, transactions, receipts and the rest as RLP.

import { bytesToBigInt } from '../primitives/bytes.ts';
import { CodedError } from '../primitives/coded-error.ts';
import {
  decodeRlpField,
  prependListPrefix,
  prependRlp,
  prependRlpInteger,
  prependRlpNumber,
  type RlpItem,
  viewRlp,
} from '../primitives/rlp.ts';
import { type Steps, WORK_PER_STEP } from '../primitives/steps.ts';
import {
  type Block,
  type BlockHeader,
  ETHEREUM_FIELDS,
  type EthereumHeaderFields,
  type FiledBlock,
  HEADER_FIELDS,
  MERGED_MINING_FIELDS,
  type MergedMining,
  type SealedBlock,
} from '../protocol/block.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { isLocalProof, localProof, localProofMarks } from '../protocol/merged-mining/proof-of-work.ts';
import {
  bloomOf,
  type FiledReceipt,
  type Log,
  type LogSequence,
  RECEIPT_FIELDS,
  type Receipt,
} from '../protocol/receipt.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { restoreTransaction } from '../protocol/transaction-decoding.ts';
import { bytesOf, decodingRlp, itemOf, listOf } from './block-index-store.ts';
import { BlockRecordError } from './errors.ts';
import { EMPTY_LOG_RECORD_SIZE, LogRecord, logRecordSize, writeLogRecord } from './log-record.ts';
import { readItems, recordFields, writeFields, writeList } from './record-fields.ts';

/** The header fields in record order. The two groups follow as a list each. */
const OWN = recordFields(HEADER_FIELDS);
const MERGED_MINING = recordFields(MERGED_MINING_FIELDS);
const ETHEREUM = recordFields(ETHEREUM_FIELDS);

/** Writes a header before `end`. Returns its start. */
function writeHeader(target: Uint8Array, end: number, header: BlockHeader): number {
  const { mergedMining, ethereum } = header;
  let start = writeList(target, end, ETHEREUM, ethereum);
  const endOfProof = start;
  // A local proof of work has a short form.
  start = isLocalProof(mergedMining)
    ? prependRlp(target, endOfProof, localProofMarks(mergedMining))
    : writeFields(target, endOfProof, MERGED_MINING, mergedMining);
  start = prependListPrefix(target, start, endOfProof);
  return prependListPrefix(target, writeFields(target, start, OWN, header), end);
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

type ReceiptFields = Omit<FiledReceipt, 'logs' | 'storedLogs'>;

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
    ...readItems<ReceiptFields>(RECEIPT, listOf(item)),
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

function readTransaction({ raw, sender }: FiledBlock['transactions'][number], ruleSet: RuleSet): Transaction {
  try {
    return restoreTransaction(raw, ruleSet, sender);
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

// More bytes than an encoding has without its variable part.
const HEADER_BYTES = 2_048;
const TRANSACTION_BYTES = 64;
const RECEIPT_BYTES = 256;
const BYTES_AT_END = 256;

/** A longer record is copied, so that it takes no unused bytes. */
const LONG_RECORD = 4_096;

/** Returns more bytes than the record of the block has without its logs. */
function boundOf({ header, transactions, receipts, uncles }: SealedBlock): number {
  let bound = BYTES_AT_END + receipts.length * RECEIPT_BYTES;
  for (const { raw } of transactions) bound += raw.length + TRANSACTION_BYTES;
  for (const { extraData, mergedMining } of [header, ...uncles]) {
    bound += HEADER_BYTES + extraData.length + mergedMining.header.length;
    bound += mergedMining.coinbaseTransaction.length + mergedMining.merkleProof.length;
  }
  return bound;
}

/**
 * Encodes a block for storage: four bytes with the length of the log record, the log record, the rest as RLP.
 * The record is written from its end. Yields for large blocks.
 */
export function* encodeBlockRecord(block: SealedBlock): Steps<Uint8Array> {
  const { header, hash, transactions, receipts, uncles, totalDifficulty, size } = block;
  const isEmpty = transactions.length === 0 && receipts.length === 0;
  const logs = isEmpty ? EMPTY_LOG_RECORD_SIZE : yield* logRecordSize(block);
  const record = Buffer.allocUnsafe(LENGTH_SIZE + logs + boundOf(block));
  const end = record.length;
  let at = prependRlpInteger(record, prependRlpNumber(record, end, size), totalDifficulty);

  let endOfList = at;
  for (let index = uncles.length - 1; index >= 0; index--)
    at = writeHeader(record, at, uncles[index] ?? header);
  at = prependListPrefix(record, at, endOfList);

  endOfList = at;
  let count = 0;
  for (let index = receipts.length - 1; index >= 0; index--) {
    const receipt = receipts[index];
    if (receipt !== undefined) at = writeList(record, at, RECEIPT, receipt);
    if (++count % ITEMS_AT_ONCE === 0) yield WORK_PER_STEP;
  }
  at = prependListPrefix(record, at, endOfList);

  endOfList = at;
  for (let index = transactions.length - 1; index >= 0; index--) {
    const transaction = transactions[index];
    if (transaction === undefined) continue;
    const fields = prependRlp(record, prependRlp(record, at, transaction.sender), transaction.raw);
    at = prependListPrefix(record, fields, at);
    if (++count % ITEMS_AT_ONCE === 0) yield WORK_PER_STEP;
  }
  at = prependListPrefix(record, at, endOfList);

  at = writeHeader(record, prependRlp(record, at, hash), header);
  at = prependListPrefix(record, at, end) - logs;
  const start = at - LENGTH_SIZE;
  if (start < 0) throw new RangeError(`a block record is ${-start} bytes longer than its bound`);
  if (isEmpty) record.fill(0, at, at + logs);
  else yield* writeLogRecord(record.subarray(at, at + logs), block);
  record.writeUInt32BE(logs, start);
  const { buffer, byteOffset } = record;
  const bytes = new Uint8Array(buffer, byteOffset + start, end - start);
  return bytes.length > LONG_RECORD ? bytes.slice() : bytes;
}

function logRecordEnd(record: Uint8Array): number {
  const end = LENGTH_SIZE + Number(bytesToBigInt(record.subarray(0, LENGTH_SIZE)));
  if (end > record.length) throw new BlockRecordError('a block record ends before the end of its logs');
  return end;
}

/** Decodes a block. Throws {@link BlockRecordError} for malformed bytes, also on later reads of logs. */
export function decodeBlockRecord(record: Uint8Array, ruleSet: RuleSet): Block {
  const rest = itemOf(record.subarray(logRecordEnd(record)));
  const block = readBlock(record, rest, readReceipt);
  return { ...block, transactions: block.transactions.map((filed) => readTransaction(filed, ruleSet)) };
}

/** Like {@link decodeBlockRecord}, for a reader that copies the bytes: they are views of the record. */
export function decodeFiledBlock(record: Uint8Array): FiledBlock {
  const rest = record.subarray(logRecordEnd(record));
  const item = decodingRlp(() => viewRlp(rest, Number.POSITIVE_INFINITY));
  return readBlock(record, item, (fields, readLogs) => ({
    ...readItems<ReceiptFields>(RECEIPT, listOf(fields)),
    logs: readLogs(),
  }));
}

function readBlock<Read extends FiledReceipt>(
  record: Uint8Array,
  rest: RlpItem,
  readOne: (item: RlpItem, readLogs: () => LogSequence) => Read,
): FiledBlock & { readonly receipts: readonly Read[] } {
  const [headerFields, hash, transactions, receipts, uncles, totalDifficulty, size] = listOf(rest);
  const header = readHeader(headerFields);
  const logs = logsOfBlockRecord(record, header.timestamp);
  return {
    header,
    hash: bytesOf(hash),
    transactions: listOf(transactions).map((item) => {
      const [raw, sender] = listOf(item);
      return { raw: bytesOf(raw), sender: bytesOf(sender) };
    }),
    receipts: listOf(receipts).map((item, index) => readOne(item, () => logs.ofTransaction(index))),
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
