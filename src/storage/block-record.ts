// The stored form of a block: its log record, then header, transactions, receipts and the rest as RLP.

import { bigIntToFixedBytes, bytesToBigInt, concatBytes, EMPTY_BYTES } from '../primitives/bytes.ts';
import { CodedError } from '../primitives/coded-error.ts';
import { decodeRlpField, encodeRlp, type RlpItem } from '../primitives/rlp.ts';
import type { Block, BlockHeader } from '../protocol/block.ts';
import { bloomOf } from '../protocol/bloom.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { Log, Receipt } from '../protocol/receipt.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { restoreTransaction } from '../protocol/transaction-decoding.ts';
import { bytesOf, decodingRlp, integer, itemOf, listOf } from './block-index-store.ts';
import { BlockRecordError } from './errors.ts';
import { encodeLogRecord, LogRecord } from './log-record.ts';

/** Returns a list of one item for a value, an empty one for `null`. */
function optional(value: Uint8Array | null): RlpItem {
  return value === null ? [] : [value];
}

function readOptional(item: RlpItem | undefined): Uint8Array | null {
  const [value] = listOf(item);
  return value === undefined ? null : bytesOf(value);
}

function optionalInteger(value: bigint | null): RlpItem {
  return optional(value === null ? null : integer(value));
}

function readOptionalInteger(item: RlpItem | undefined): bigint | null {
  const bytes = readOptional(item);
  return bytes === null ? null : bytesToBigInt(bytes);
}

function headerItem(header: BlockHeader): RlpItem {
  const { mergedMining, ethereum } = header;
  return [
    header.parentHash,
    header.unclesHash,
    header.coinbase,
    header.stateRoot,
    header.transactionsRoot,
    header.receiptsRoot,
    header.logsBloom,
    integer(header.difficulty),
    integer(header.number),
    integer(header.gasLimit),
    integer(header.gasUsed),
    integer(header.timestamp),
    header.extraData,
    integer(header.paidFees),
    integer(header.minimumGasPrice),
    integer(header.uncleCount),
    [mergedMining.header, mergedMining.coinbaseTransaction, mergedMining.merkleProof],
    [
      optionalInteger(ethereum.baseFeePerGas),
      ethereum.mixHash,
      optional(ethereum.withdrawalsRoot),
      optionalInteger(ethereum.blobGasUsed),
      optionalInteger(ethereum.excessBlobGas),
      optional(ethereum.parentBeaconBlockRoot),
      optional(ethereum.requestsHash),
    ],
  ];
}

function readHeader(item: RlpItem | undefined): BlockHeader {
  const fields = listOf(item);
  const bytes = (index: number): Uint8Array => bytesOf(fields[index]);
  const big = (index: number): bigint => bytesToBigInt(bytes(index));
  const mergedMining = listOf(fields[16]);
  const ethereum = listOf(fields[17]);
  return {
    parentHash: bytes(0),
    unclesHash: bytes(1),
    coinbase: bytes(2),
    stateRoot: bytes(3),
    transactionsRoot: bytes(4),
    receiptsRoot: bytes(5),
    logsBloom: bytes(6),
    difficulty: big(7),
    number: Number(big(8)),
    gasLimit: big(9),
    gasUsed: big(10),
    timestamp: Number(big(11)),
    extraData: bytes(12),
    paidFees: big(13),
    minimumGasPrice: big(14),
    uncleCount: Number(big(15)),
    mergedMining: {
      header: bytesOf(mergedMining[0]),
      coinbaseTransaction: bytesOf(mergedMining[1]),
      merkleProof: bytesOf(mergedMining[2]),
    },
    ethereum: {
      baseFeePerGas: readOptionalInteger(ethereum[0]),
      mixHash: bytesOf(ethereum[1]),
      withdrawalsRoot: readOptional(ethereum[2]),
      blobGasUsed: readOptionalInteger(ethereum[3]),
      excessBlobGas: readOptionalInteger(ethereum[4]),
      parentBeaconBlockRoot: readOptional(ethereum[5]),
      requestsHash: readOptional(ethereum[6]),
    },
  };
}

function receiptItem(receipt: Receipt): RlpItem {
  return [
    receipt.succeeded ? Uint8Array.of(1) : EMPTY_BYTES,
    integer(receipt.cumulativeGasUsed),
    integer(receipt.gasUsed),
    integer(receipt.effectiveGasPrice),
    optional(receipt.contractAddress),
  ];
}

/**
 * Returns the receipt, whose logs are decoded on access: most readers of a block, or of one transaction of it, do not
 * need them.
 */
function readReceipt(item: RlpItem, readLogs: () => readonly Log[]): Receipt {
  let logs: readonly Log[] | undefined;
  let logsBloom: Uint8Array | undefined;
  const [status, cumulativeGasUsed, gasUsed, effectiveGasPrice, contractAddress] = listOf(item);
  return {
    succeeded: bytesOf(status).length === 1,
    cumulativeGasUsed: bytesToBigInt(bytesOf(cumulativeGasUsed)),
    gasUsed: bytesToBigInt(bytesOf(gasUsed)),
    effectiveGasPrice: bytesToBigInt(bytesOf(effectiveGasPrice)),
    get logs() {
      logs ??= readLogs();
      return logs;
    },
    get logsBloom() {
      logsBloom ??= bloomOf(this.logs);
      return logsBloom;
    },
    contractAddress: readOptional(contractAddress),
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

/**
 * Returns the block as the bytes that storage keeps: the length of the log record in four bytes, the log record, and
 * the rest as RLP.
 */
export function encodeBlockRecord(block: Block): Uint8Array {
  const logRecord = encodeLogRecord(block);
  const rest = encodeRlp([
    headerItem(block.header),
    block.hash,
    block.transactions.map((transaction) => [transaction.raw, transaction.sender]),
    block.receipts.map(receiptItem),
    block.uncles.map(headerItem),
    integer(block.totalDifficulty),
    integer(block.size),
  ]);
  return concatBytes(bigIntToFixedBytes(BigInt(logRecord.length), LENGTH_SIZE), logRecord, rest);
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

/** The index of the header in a block record and of the timestamp in the header. */
const TIMESTAMP_PATH = [0, 11] as const;

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
