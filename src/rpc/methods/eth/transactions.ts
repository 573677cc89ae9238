import { whenReady } from '../../../primitives/awaitable.ts';
import { hexKey, toHex } from '../../../primitives/hex.ts';
import { mapInSteps } from '../../../primitives/steps.ts';
import type { Transaction } from '../../../protocol/transaction.ts';
import { blockReceipts, RECEIPT_JSON_SCHEMA } from '../../../wire/receipt.ts';
import { TRANSACTION_JSON_SCHEMA, transactionView } from '../../../wire/transaction.ts';
import { orNull } from '../../../wire/values.ts';
import {
  answerRawTransactionAt,
  answerTransactionAt,
  requireServed,
  waitingTransaction,
} from '../../block-answers.ts';
import { blockNumberSelector, blockSelector } from '../../codecs/block-selector.ts';
import { address, data, hash32, index, quantity } from '../../codecs/hex-values.ts';
import { fromBlocks, fromRaw, fromSearches } from '../../fork/derivations.ts';
import { defineMethod, type Method, param } from '../../method.ts';
import { receiptAnswer } from '../../views/receipt-answer.ts';

/** Work units per transaction. */
const TRANSACTION_WORK = 1_000;

const RAW_OR_NULL = {
  description: 'The signed transaction, or null',
  schema: orNull(data.jsonSchema),
};

export const ETH_TRANSACTIONS: readonly Method[] = [
  /**
   * Returns a transaction by hash, mined or in the pool; `null` if unknown. With `--network-limits` and
   * `--hosted`, a transaction with a nonce gap is not found, as on Rootstock.
   */
  defineMethod({
    name: 'eth_getTransactionByHash',
    summary: 'A transaction by its hash',
    priority: 'high',
    params: [param('transactionHash', hash32)],
    fork: { kind: 'transaction', at: 0, answer: 'transactionOfHash' },
    result: { description: 'The transaction, or null', schema: TRANSACTION_JSON_SCHEMA },
    handler: (context, hash) => {
      const mined = context.node.chain.transaction(hash);
      if (mined !== undefined) return transactionView(mined.transaction, mined, context.node.chain.ruleSet);
      const pending = waitingTransaction(context, hash);
      return pending === undefined ? null : transactionView(pending, null, context.node.chain.ruleSet);
    },
  }),
  defineMethod({
    name: 'eth_getTransactionByBlockHashAndIndex',
    summary: 'A transaction of a block, by block hash and index',
    priority: 'high',
    params: [param('blockHash', hash32), param('index', index)],
    fork: { kind: 'block', at: 0, answer: 'transaction', derive: fromBlocks('transactionAt') },
    result: { description: 'The transaction, or null', schema: TRANSACTION_JSON_SCHEMA },
    handler: (context, hash, position) => answerTransactionAt(context, { hash }, position),
  }),
  defineMethod({
    name: 'eth_getTransactionByBlockNumberAndIndex',
    summary: 'A transaction of a block, by block number and index',
    priority: 'high',
    params: [param('block', blockNumberSelector), param('index', index)],
    fork: { kind: 'block', at: 0, answer: 'transaction', derive: fromBlocks('transactionAt') },
    result: { description: 'The transaction, or null', schema: TRANSACTION_JSON_SCHEMA },
    handler: (context, block, position) => {
      requireServed(context, 'block', block);
      return answerTransactionAt(context, block, position);
    },
  }),
  /** Includes the pool. */
  defineMethod({
    name: 'eth_getTransactionBySenderAndNonce',
    summary: 'A transaction by its sender and nonce',
    priority: 'high',
    params: [param('address', address), param('nonce', quantity)],
    fork: { kind: 'search', answer: 'fields', derive: fromSearches('transactionOfSender') },
    result: { description: 'The transaction, or null', schema: TRANSACTION_JSON_SCHEMA },
    handler: ({ node: { chain } }, sender, nonce) => {
      const mined = chain.history.transactionOf(sender, nonce);
      if (mined !== undefined) return transactionView(mined.transaction, mined, chain.ruleSet);
      const waiting = chain.pool.bySenderAndNonce(sender, nonce);
      return waiting === undefined ? null : transactionView(waiting, null, chain.ruleSet);
    },
  }),
  /** Includes the pool. */
  defineMethod({
    name: 'eth_getRawTransactionByHash',
    aliases: ['debug_getRawTransaction'],
    summary: 'The encoded transaction, by hash',
    priority: 'high',
    params: [param('transactionHash', hash32)],
    fork: { kind: 'transaction', at: 0, answer: 'dataOrNull', derive: fromRaw('transaction') },
    result: RAW_OR_NULL,
    handler: (context, hash) => {
      const transaction =
        context.node.chain.transaction(hash)?.transaction ?? waitingTransaction(context, hash);
      return transaction === undefined ? null : toHex(transaction.raw);
    },
  }),
  defineMethod({
    name: 'eth_getRawTransactionByBlockHashAndIndex',
    summary: 'An encoded transaction of a block, by block hash and index',
    priority: 'high',
    params: [param('blockHash', hash32), param('index', index)],
    fork: { kind: 'block', at: 0, answer: 'dataOrNull', derive: fromRaw('transactionAt') },
    result: RAW_OR_NULL,
    handler: (context, hash, position) => answerRawTransactionAt(context, { hash }, position),
  }),
  defineMethod({
    name: 'eth_getRawTransactionByBlockNumberAndIndex',
    summary: 'An encoded transaction of a block, by block number and index',
    priority: 'high',
    params: [param('block', blockNumberSelector), param('index', index)],
    fork: { kind: 'block', at: 0, answer: 'dataOrNull', derive: fromRaw('transactionAt') },
    result: RAW_OR_NULL,
    handler: answerRawTransactionAt,
  }),
  defineMethod({
    name: 'eth_pendingTransactions',
    summary:
      "The pending transactions of the node's accounts and of impersonated accounts (with `--compat hardhat`, of all accounts; with `--compat anvil`, of all accounts, without queued transactions)",
    priority: 'high',
    result: { description: 'The transactions', schema: { type: 'array', items: TRANSACTION_JSON_SCHEMA } },
    handler: ({ node: { chain }, deadline, settings }) => {
      const { pool, wallet, impersonation } = chain;
      const own = new Set(wallet.addresses().map(hexKey));
      const isListed = ({ sender }: Transaction): boolean =>
        settings.compat.listedPending !== 'own' || own.has(hexKey(sender)) || impersonation.covers(sender);
      const queued = settings.compat.listedPending === 'executable' ? [] : pool.queued();
      const transactions = [...pool.pending(), ...queued].filter(isListed);
      return deadline.run(
        mapInSteps(
          transactions,
          ({ data }) => TRANSACTION_WORK + 2 * data.length,
          (transaction) => transactionView(transaction, null, chain.ruleSet),
        ),
      );
    },
  }),
  defineMethod({
    name: 'eth_getTransactionReceipt',
    summary: 'The receipt of a mined transaction',
    priority: 'high',
    params: [param('transactionHash', hash32)],
    fork: { kind: 'transaction', at: 0, answer: 'receiptOfHash' },
    result: { description: 'The receipt, or null', schema: RECEIPT_JSON_SCHEMA },
    handler: (context, hash) => {
      const mined = context.node.chain.transaction(hash);
      return mined === undefined ? null : receiptAnswer(context, mined);
    },
  }),
  defineMethod({
    name: 'eth_getBlockReceipts',
    summary: 'The receipts of all transactions of a block',
    priority: 'low',
    params: [param('block', blockSelector)],
    fork: { kind: 'block', at: 0, answer: 'receipts', derive: fromBlocks('blockReceipts') },
    result: {
      description: 'The receipts, or null',
      schema: orNull({ type: 'array', items: RECEIPT_JSON_SCHEMA }),
    },
    handler: ({ node: { chain }, deadline, settings: { compat } }, selector) =>
      whenReady(chain.block(selector), (block) =>
        block === undefined ? null : deadline.run(blockReceipts(block, compat, chain.ruleSet)),
      ),
  }),
];
