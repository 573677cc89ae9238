import { type BlockSelector, isPending } from '../chain/execution/block-selector.ts';
import { type Hex, toHex } from '../primitives/hex.ts';
import type { RpcContext } from './rpc-context.ts';
import { type TransactionView, transactionView } from './views/transaction.ts';

/** The transaction at an index of the block as JSON; `null` when there is no such block or transaction. */
export async function answerTransactionAt(
  { chain }: RpcContext,
  selector: BlockSelector,
  index: number,
): Promise<TransactionView | null> {
  const block = await chain.block(selector);
  const transaction = block?.transactions[index];
  if (block === undefined || transaction === undefined) return null;
  return transactionView(transaction, isPending(selector) ? null : { block, index }, chain.ruleSet);
}

/** The encoding of the transaction at an index of the block; `null` when there is no such block or transaction. */
export async function answerRawTransactionAt(
  { chain }: RpcContext,
  selector: BlockSelector,
  index: number,
): Promise<Hex | null> {
  const block = await chain.block(selector);
  const transaction = block?.transactions[index];
  return transaction === undefined ? null : toHex(transaction.raw);
}
