// Adds a bundle to a block: all its transactions or none.

import { type ExecutionResult, UnexecutableError } from '../../evm/engine.ts';
import { UnanswerableCallError } from '../../evm/errors.ts';
import { revertText } from '../../evm/revert-reason.ts';
import { toHex } from '../../primitives/hex.ts';
import type { Transaction } from '../../protocol/transaction.ts';
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

/** A bundle that a block tried. */
export interface TriedBundle {
  /** `null` if the bundle was included, or the reason of the failure as text. */
  readonly fault: string | null;
  /** The gas of the executions that were discarded with a failed bundle. */
  readonly lostGas: bigint;
}

/**
 * Adds the transactions of a bundle to the block. If the bundle fails, the block is unchanged. Yields before a
 * transaction at the end of a time slice.
 */
export function* includeBundle(
  builder: BlockBuilder,
  { transactions }: Bundle,
  yielder: Yielder,
): Task<TriedBundle> {
  const undo = yield* builder.checkpoint();
  const before = builder.transactions.length;
  let gas = 0n;
  for (const [index, item] of transactions.entries()) {
    if (yielder.blockedFor() >= SLICE_MILLISECONDS) yield* waitFor(yielder.wait());
    const undoOne = item.ifFailed === 'dropped' ? yield* builder.checkpoint() : undo;
    const { fault, gasUsed } = yield* addOne(builder, item);
    gas += gasUsed;
    if (fault === null) continue;
    const consequence = consequenceOf(fault, item.ifFailed);
    if (consequence === 'drop') undoOne();
    if (consequence !== 'fail') continue;
    undo();
    const place = `transaction ${index + 1} of ${transactions.length}`;
    return { fault: `${place} (${toHex(item.admitted.transaction.hash)}): ${fault.text}`, lostGas: gas };
  }
  const isIncluded = builder.transactions.length > before;
  return isIncluded ? { fault: null, lostGas: 0n } : { fault: 'all transactions were dropped', lostGas: gas };
}

/** The result of adding a transaction. */
interface Addition {
  readonly fault: Fault | null;
  readonly gasUsed: bigint;
}

/** Returns the reason that a block cannot include the transaction. */
function misfit(
  { environment: { baseFeePerGas, minimumGasPrice }, gasLeft, blobsLeft }: BlockBuilder,
  { maxFeePerGas, gasLimit, blobVersionedHashes: { length: blobs } }: Transaction,
): string {
  if (baseFeePerGas !== null && maxFeePerGas < baseFeePerGas)
    return `max fee per gas less than block base fee: ${maxFeePerGas} offered, base fee ${baseFeePerGas}`;
  if (maxFeePerGas < minimumGasPrice)
    return `the gas price ${maxFeePerGas} is below the minimum of ${minimumGasPrice}`;
  if (gasLimit > gasLeft)
    return `the gas limit ${gasLimit} exceeds the ${gasLeft} gas that the block has left`;
  if (blobs > blobsLeft) return `it has ${blobs} blobs, but the block has room for ${blobsLeft}`;
  return 'the block is full (number or size of transactions), or the priority fee is too low';
}

function* addOne(builder: BlockBuilder, { admitted }: BundleTransaction): Task<Addition> {
  if (!builder.fits(admitted.transaction)) return notExecuted(misfit(builder, admitted.transaction));
  try {
    const result = yield* waitFor(builder.add(admitted.transaction, admitted));
    const text = failureText(result);
    return { fault: text === null ? null : { text, isExecuted: true }, gasUsed: result.gasUsed };
  } catch (error) {
    if (error instanceof UnexecutableError || error instanceof UnanswerableCallError)
      return notExecuted(error.message);
    throw error;
  }
}

function notExecuted(text: string): Addition {
  return { fault: { text, isExecuted: false }, gasUsed: 0n };
}
