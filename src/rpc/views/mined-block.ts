import type { BuiltBlock } from '../../chain/mining/block-builder.ts';
import type { ExecutionResult } from '../../evm/engine.ts';
import { toHex } from '../../primitives/hex.ts';
import type { RuleSet } from '../../protocol/hardforks/rule-set.ts';
import { type BlockView, blockView, type FieldNames } from './block.ts';
import { revertText } from './revert-reason.ts';
import { type TransactionView, transactionView } from './transaction.ts';

/** Why a transaction failed, in words; `undefined` when it did not, or with data that hold no text. */
function failureOf(result: ExecutionResult): string | undefined {
  if (result.outcome === 'revert') return revertText(result.returnData) ?? undefined;
  return result.haltReason ?? undefined;
}

function executionFields(result: ExecutionResult | undefined): TransactionView {
  if (result === undefined) return {};
  const revertReason = failureOf(result);
  const output = toHex(result.returnData);
  return revertReason === undefined ? { output } : { output, revertReason };
}

/** A block that was just mined as JSON: whole transactions, each with its output and why it failed if it did. */
export function minedBlockView(
  { block, results }: BuiltBlock,
  rules: Pick<RuleSet, 'encoding'>,
  fieldNames: FieldNames,
): BlockView {
  const transactions = block.transactions.map((transaction, index) => ({
    ...transactionView(transaction, { block, index }, rules),
    ...executionFields(results[index]),
  }));
  return { ...blockView(block, { full: false, isPending: false, fieldNames, rules }), transactions };
}
