// Blocks, transactions and logs in the JSON of dumps.

import { equalBytes } from '../../primitives/bytes.ts';
import { CodedError } from '../../primitives/coded-error.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import type { Block, BlockHeader, EthereumHeaderFields, MergedMining } from '../../protocol/block.ts';
import { BLOOM_SIZE, bloomOf, joinBlooms } from '../../protocol/bloom.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { Log, Receipt } from '../../protocol/receipt.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import { restoreTransaction } from '../../protocol/transaction-decoding.ts';
import type { DumpValue } from './dump-value.ts';

type Json = Readonly<Record<string, unknown>>;

/** Returns the header as JSON; `bloom` is that of the block's logs, which can then be omitted. */
export function headerJson(header: BlockHeader, bloom: Uint8Array): Json {
  const hasOwnBloom = !equalBytes(header.logsBloom, bloom);
  return {
    parentHash: toHex(header.parentHash),
    unclesHash: toHex(header.unclesHash),
    coinbase: toHex(header.coinbase),
    stateRoot: toHex(header.stateRoot),
    transactionsRoot: toHex(header.transactionsRoot),
    receiptsRoot: toHex(header.receiptsRoot),
    ...(hasOwnBloom && { logsBloom: toHex(header.logsBloom) }),
    difficulty: toQuantity(header.difficulty),
    number: header.number,
    gasLimit: toQuantity(header.gasLimit),
    gasUsed: toQuantity(header.gasUsed),
    timestamp: header.timestamp,
    extraData: toHex(header.extraData),
    paidFees: toQuantity(header.paidFees),
    minimumGasPrice: toQuantity(header.minimumGasPrice),
    uncleCount: header.uncleCount,
    mergedMining: mergedMiningJson(header.mergedMining),
    ethereum: ethereumJson(header.ethereum),
  };
}

function mergedMiningJson({ header, coinbaseTransaction, merkleProof }: MergedMining): Json {
  return {
    header: toHex(header),
    coinbaseTransaction: toHex(coinbaseTransaction),
    merkleProof: toHex(merkleProof),
  };
}

function hexOrNull(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : toHex(bytes);
}

function quantityOrNull(value: bigint | null): string | null {
  return value === null ? null : toQuantity(value);
}

function ethereumJson(fields: EthereumHeaderFields): Json {
  return {
    baseFeePerGas: quantityOrNull(fields.baseFeePerGas),
    mixHash: toHex(fields.mixHash),
    withdrawalsRoot: hexOrNull(fields.withdrawalsRoot),
    blobGasUsed: quantityOrNull(fields.blobGasUsed),
    excessBlobGas: quantityOrNull(fields.excessBlobGas),
    parentBeaconBlockRoot: hexOrNull(fields.parentBeaconBlockRoot),
    requestsHash: hexOrNull(fields.requestsHash),
  };
}

/** Returns the header of {@link headerJson} with that bloom. Throws an `InvalidDumpError`. */
export function readHeader(value: DumpValue, bloom: Uint8Array): BlockHeader {
  const hash = (name: string) => value.field(name).bytes(32);
  return {
    parentHash: hash('parentHash'),
    unclesHash: hash('unclesHash'),
    coinbase: value.field('coinbase').bytes(20),
    stateRoot: hash('stateRoot'),
    transactionsRoot: hash('transactionsRoot'),
    receiptsRoot: hash('receiptsRoot'),
    logsBloom: value.field('logsBloom').orNull((own) => own.bytes(bloom.length)) ?? bloom,
    difficulty: value.field('difficulty').quantity(),
    number: value.field('number').count(),
    gasLimit: value.field('gasLimit').quantity(),
    gasUsed: value.field('gasUsed').quantity(),
    timestamp: value.field('timestamp').count(),
    extraData: value.field('extraData').bytes(),
    paidFees: value.field('paidFees').quantity(),
    minimumGasPrice: value.field('minimumGasPrice').quantity(),
    uncleCount: value.field('uncleCount').count(),
    mergedMining: readMergedMining(value.field('mergedMining')),
    ethereum: readEthereum(value.field('ethereum')),
  };
}

function readMergedMining(value: DumpValue): MergedMining {
  return {
    header: value.field('header').bytes(),
    coinbaseTransaction: value.field('coinbaseTransaction').bytes(),
    merkleProof: value.field('merkleProof').bytes(),
  };
}

function readEthereum(value: DumpValue): EthereumHeaderFields {
  const quantity = (name: string) => value.field(name).orNull((field) => field.quantity());
  const hash = (name: string) => value.field(name).orNull((field) => field.bytes(32));
  return {
    baseFeePerGas: quantity('baseFeePerGas'),
    mixHash: value.field('mixHash').bytes(32),
    withdrawalsRoot: readWithdrawalsRoot(value.field('withdrawalsRoot')),
    blobGasUsed: quantity('blobGasUsed'),
    excessBlobGas: quantity('excessBlobGas'),
    parentBeaconBlockRoot: hash('parentBeaconBlockRoot'),
    requestsHash: hash('requestsHash'),
  };
}

/** Returns 32 bytes, or none for a header of an old Anvil with an empty root. */
function readWithdrawalsRoot(value: DumpValue): Uint8Array | null {
  return value.orNull((root) => (root.isData(0) ? root.bytes() : root.bytes(32)));
}

const NO_LOGS_BLOOM = new Uint8Array(BLOOM_SIZE);

function bloomOfAll(receipts: readonly Receipt[]): Uint8Array {
  return joinBlooms(receipts.map(({ logsBloom }) => logsBloom));
}

/** Returns the block with all its data as JSON. */
export function blockJson(block: Block): Json {
  return {
    hash: toHex(block.hash),
    header: headerJson(block.header, bloomOfAll(block.receipts)),
    transactions: block.transactions.map(transactionJson),
    receipts: block.receipts.map(receiptJson),
    uncles: block.uncles.map((uncle) => headerJson(uncle, NO_LOGS_BLOOM)),
    totalDifficulty: toQuantity(block.totalDifficulty),
    size: block.size,
  };
}

/** Returns the block of {@link blockJson}; its hash is not checked. Throws an `InvalidDumpError`. */
export function readBlock(value: DumpValue, ruleSet: RuleSet): Block {
  const transactions = value
    .field('transactions')
    .items()
    .map((item) => readTransaction(item, ruleSet));
  const receipts = value.field('receipts').items().map(readReceipt);
  if (receipts.length !== transactions.length)
    value.field('receipts').refuse('a receipt of each transaction');
  return {
    hash: value.field('hash').bytes(32),
    header: readHeader(value.field('header'), bloomOfAll(receipts)),
    transactions,
    receipts,
    uncles: value
      .field('uncles')
      .items()
      .map((item) => readHeader(item, NO_LOGS_BLOOM)),
    totalDifficulty: value.field('totalDifficulty').quantity(),
    size: value.field('size').count(),
  };
}

/** Returns a transaction as JSON: its bytes and its sender, which unsigned ones do not contain. */
export function transactionJson({ raw, sender }: Transaction): Json {
  return { raw: toHex(raw), sender: toHex(sender) };
}

/** Returns the transaction of {@link transactionJson}. Throws an `InvalidDumpError`. */
export function readTransaction(value: DumpValue, ruleSet: RuleSet): Transaction {
  const raw = value.field('raw').bytes();
  const sender = value.field('sender').bytes(20);
  try {
    return restoreTransaction(raw, ruleSet, sender);
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return value.field('raw').refuse(`a transaction (${error.message})`);
  }
}

function receiptJson(receipt: Receipt): Json {
  const { contractAddress } = receipt;
  return {
    succeeded: receipt.succeeded,
    cumulativeGasUsed: toQuantity(receipt.cumulativeGasUsed),
    gasUsed: toQuantity(receipt.gasUsed),
    effectiveGasPrice: toQuantity(receipt.effectiveGasPrice),
    contractAddress: contractAddress === null ? null : toHex(contractAddress),
    logs: receipt.logs.map(logJson),
  };
}

function readReceipt(value: DumpValue): Receipt {
  const logs = value.field('logs').items().map(readLog);
  return {
    succeeded: value.field('succeeded').flag(),
    cumulativeGasUsed: value.field('cumulativeGasUsed').quantity(),
    gasUsed: value.field('gasUsed').quantity(),
    effectiveGasPrice: value.field('effectiveGasPrice').quantity(),
    logs,
    logsBloom: bloomOf(logs),
    contractAddress: value.field('contractAddress').orNull((address) => address.bytes(20)),
  };
}

function logJson({ address, topics, data }: Log): Json {
  return { address: toHex(address), topics: topics.map(toHex), data: toHex(data) };
}

/** Returns a log in its usual JSON form: address, topics, data. Throws an `InvalidDumpError`. */
export function readLog(value: DumpValue): Log {
  const topics = value.field('topics').items();
  if (topics.length > 4) value.field('topics').refuse('at most four topics');
  return {
    address: value.field('address').bytes(20),
    topics: topics.map((topic) => topic.bytes(32)),
    data: value.field('data').bytes(),
  };
}
