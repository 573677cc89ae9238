import { CodedError } from '../../primitives/coded-error.ts';
import { toHex, toQuantity } from '../../primitives/hex.ts';
import type { Block } from '../../protocol/block.ts';
import { BLOOM_SIZE, joinBlooms } from '../../protocol/bloom.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import type { Receipt } from '../../protocol/receipt.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import { restoreTransaction } from '../../protocol/transaction-decoding.ts';
import { headerJson, readHeader } from '../../wire/header.ts';
import type { Json } from '../../wire/json.ts';
import { readReceipt, receiptJson } from '../../wire/receipt.ts';
import type { StrictValue } from '../../wire/strict-value.ts';

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

/** The block that {@link blockJson} wrote; its hash is not checked. Throws an `InvalidDumpError`. */
export function readBlock(value: StrictValue, ruleSet: RuleSet): Block {
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

/** The transaction that {@link transactionJson} wrote. Throws an `InvalidDumpError`. */
export function readTransaction(value: StrictValue, ruleSet: RuleSet): Transaction {
  const raw = value.field('raw').bytes();
  const sender = value.field('sender').bytes(20);
  try {
    return restoreTransaction(raw, ruleSet, sender);
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return value.field('raw').refuse(`a transaction (${error.message})`);
  }
}
