import type { Block } from '../../protocol/block.ts';
import type { Receipt } from '../../protocol/receipt.ts';
import type { Transaction } from '../../protocol/transaction.ts';

/** A mined transaction and where it stands. */
export interface TransactionLocation {
  readonly block: Block;
  readonly index: number;
  readonly transaction: Transaction;
  readonly receipt: Receipt;
  /** The position of its first log in the block: how many the transactions before it made. */
  readonly firstLogIndex: number;
}

/** The transaction at an index of a block, which has the logs from that position on; `undefined` when there is none. */
export function locatedTransaction(
  block: Block,
  index: number,
  firstLogIndex: number,
): TransactionLocation | undefined {
  const transaction = block.transactions[index];
  const receipt = block.receipts[index];
  return transaction === undefined || receipt === undefined
    ? undefined
    : { block, index, transaction, receipt, firstLogIndex };
}

/** The transactions of a block, in their order. */
export function locatedTransactions(block: Block): TransactionLocation[] {
  let logCount = 0;
  return block.transactions.flatMap((_transaction, index) => {
    const firstLogIndex = logCount;
    logCount += block.receipts[index]?.logs.length ?? 0;
    return locatedTransaction(block, index, firstLogIndex) ?? [];
  });
}
