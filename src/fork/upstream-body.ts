// Converts blocks of an upstream, with their transactions and receipts, to local ones.

import type { Block, BlockHeader } from '../protocol/block.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import { bloomOf, type Log, type Receipt } from '../protocol/receipt.ts';
import { remascTransaction } from '../protocol/remasc.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { readForeignHeader } from '../wire/header.ts';
import { log } from '../wire/log.ts';
import { status } from '../wire/receipt.ts';
import { asObject } from '../wire/tolerant.ts';
import { address, FIELD_CODECS, integer, listOf, nullOr } from '../wire/values.ts';
import {
  blockNumberOf,
  isClosingTransaction,
  transactionOfUpstream,
  UpstreamFields,
} from './upstream-block.ts';

const logs = listOf<Log>(log);
const contract = nullOr(address);

/**
 * Converts a mined transaction, including Rootstock's closing transaction. Throws a `ForkPointError` for an
 * unsupported one.
 */
export function minedTransactionOfUpstream(value: unknown): Transaction {
  const number = blockNumberOf(value);
  const isClosing = number !== undefined && number > 0 && isClosingTransaction(value);
  return isClosing ? remascTransaction(number) : transactionOfUpstream(value);
}

/** Converts a receipt. Throws a `ForkPointError` for an invalid one. */
export function receiptOfUpstream(value: unknown): Receipt {
  const fields = new UpstreamFields(value, 'receipt');
  const emitted = fields.needed('logs', logs);
  return {
    succeeded: fields.needed('status', status),
    cumulativeGasUsed: fields.needed('cumulativeGasUsed', integer),
    gasUsed: fields.needed('gasUsed', integer),
    effectiveGasPrice: fields.given('effectiveGasPrice', integer),
    logs: emitted,
    logsBloom: FIELD_CODECS.bloom.tolerate(fields.raw('logsBloom')) ?? bloomOf(emitted),
    contractAddress: fields.given('contractAddress', contract),
  };
}

/**
 * Converts a header with Rootstock's own field names. Unlike the header of `blockOfUpstream`, it has exactly the
 * fields of the response, so that its hash can be compared. Throws a `ForkPointError` for an invalid header.
 */
export function headerOfUpstream(block: unknown, { encoding }: Pick<RuleSet, 'encoding'>): BlockHeader {
  const fields = new UpstreamFields(block, 'block');
  const uncles = fields.raw('uncles');
  const { ethereum, ...header } = readForeignHeader((name, codec, isNeeded) =>
    isNeeded ? fields.needed(name, codec) : fields.given(name, codec),
  );
  const baseFeePerGas = encoding === 'network' ? null : ethereum.baseFeePerGas;
  return {
    ...header,
    uncleCount: Array.isArray(uncles) ? uncles.length : 0,
    ethereum: { ...ethereum, baseFeePerGas },
  };
}

/** The responses about one block, with Rootstock's own field names. */
export interface UpstreamBody {
  readonly block: unknown;
  /** Empty if no receipts are necessary. */
  readonly receipts: readonly unknown[];
  /** Empty if no uncles are necessary. */
  readonly uncles: readonly unknown[];
}

/**
 * Converts a block. If the response contains hashes in place of transactions, the block has no transactions. Throws a
 * `ForkPointError` for an invalid block.
 */
export function wholeBlockOfUpstream({ block, receipts, uncles }: UpstreamBody, rules: RuleSet): Block {
  const fields = new UpstreamFields(block, 'block');
  const header = headerOfUpstream(block, rules);
  const list = fields.raw('transactions');
  const transactions = Array.isArray(list) ? list.filter((one) => asObject(one) !== undefined) : [];
  return {
    header,
    hash: fields.fixed('hash', 32),
    transactions: transactions.map(minedTransactionOfUpstream),
    receipts: receipts.map(receiptOfUpstream),
    uncles: uncles.map((uncle) => headerOfUpstream(uncle, rules)),
    totalDifficulty: fields.optionalQuantity('totalDifficulty', header.difficulty),
    size: Number(fields.optionalQuantity('size', 0n)),
  };
}
