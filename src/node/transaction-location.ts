import type { Block } from '../rules/block.ts';
import type { Receipt } from '../rules/receipt.ts';
import type { Transaction } from '../rules/transaction.ts';

/** A mined transaction and where it stands. */
export interface TransactionLocation {
  readonly block: Block;
  readonly index: number;
  readonly transaction: Transaction;
  readonly receipt: Receipt;
}

/** The transaction at an index of a block; `undefined` when there is none. */
export function locatedTransaction(block: Block, index: number): TransactionLocation | undefined {
  const transaction = block.transactions[index];
  const receipt = block.receipts[index];
  return transaction === undefined || receipt === undefined
    ? undefined
    : { block, index, transaction, receipt };
}

/** The transactions of a block, in their order. */
export function locatedTransactions(block: Block): TransactionLocation[] {
  return block.transactions.flatMap((_transaction, index) => locatedTransaction(block, index) ?? []);
}
