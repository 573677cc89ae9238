// Adds a bundle to a block: all its transactions or none.

import { type ExecutionResult, UnexecutableError } from '../../evm/engine.ts';
import { UnanswerableCallError } from '../../evm/errors.ts';
import { revertText } from '../../evm/revert-reason.ts';
import { toHex } from '../../primitives/hex.ts';
import type { Yielder } from '../../scheduling/scheduler.ts';
import { SLICE_MILLISECONDS } from '../../scheduling/slice-length.ts';
import { type Task, waitFor } from '../../scheduling/task.ts';
import type { Bundle, BundleTransaction, FailureRule } from '../pool/bundles.ts';
import type { BlockBuilder } from './block-builder.ts';

/** The failure of a transaction. */
interface Fault {
  readonly text: string;
  /** True if the transaction was executed, so that a block can contain it. */
  readonly isExecuted: boolean;
}

/** Returns the effect of a failed transaction on its bundle (see {@link FailureRule}). */
export function consequenceOf(
  { isExecuted }: Pick<Fault, 'isExecuted'>,
  rule: FailureRule,
): 'keep' | 'drop' | 'fail' {
  if (rule === 'dropped') return 'drop';
  return rule === 'included' && isExecuted ? 'keep' : 'fail';
}

/** Returns the reason of a failed execution; `null` after a success. */
export function failureText({ outcome, haltReason, returnData }: ExecutionResult): string | null {
  if (outcome === 'success') return null;
  if (outcome === 'halt') return haltReason ?? 'execution failed';
  const reason = revertText(returnData);
  return reason === null ? 'execution reverted' : `execution reverted: ${reason}`;
}

/**
 * Adds the transactions of a bundle to the block. Returns `null`, or the reason of the failure as text; the block is
 * then unchanged. Yields between transactions at the end of a time slice.
 */
export function* includeBundle(
  builder: BlockBuilder,
  { transactions }: Bundle,
  yielder: Yielder,
): Task<string | null> {
  const undo = yield* builder.checkpoint();
  const before = builder.transactions.length;
  for (const [index, item] of transactions.entries()) {
    if (index > 0 && yielder.blockedFor() >= SLICE_MILLISECONDS) yield* waitFor(yielder.wait());
    const undoOne = item.ifFailed === 'dropped' ? yield* builder.checkpoint() : undo;
    const fault = yield* addOne(builder, item);
    if (fault === null) continue;
    const consequence = consequenceOf(fault, item.ifFailed);
    if (consequence === 'drop') undoOne();
    if (consequence !== 'fail') continue;
    undo();
    return `transaction ${index + 1} of ${transactions.length} (${toHex(item.admitted.transaction.hash)}): ${fault.text}`;
  }
  return builder.transactions.length > before ? null : 'all transactions were dropped';
}

function* addOne(builder: BlockBuilder, { admitted }: BundleTransaction): Task<Fault | null> {
  if (!builder.fits(admitted.transaction))
    return { text: 'it does not fit into the block, or its fees are too low', isExecuted: false };
  try {
    const text = failureText(yield* waitFor(builder.add(admitted.transaction, admitted)));
    return text === null ? null : { text, isExecuted: true };
  } catch (error) {
    if (error instanceof UnexecutableError || error instanceof UnanswerableCallError)
      return { text: error.message, isExecuted: false };
    throw error;
  }
}
