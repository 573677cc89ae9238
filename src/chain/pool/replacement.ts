// The checks of a transaction against others of its sender in the pool.

import type { Transaction } from '../../protocol/transaction.ts';
import type { AdmissionRules } from './admission.ts';
import { MixedTransactionsError, ReplacementUnderpricedError } from './errors.ts';

function hasBlobs({ blobVersionedHashes }: Transaction): boolean {
  return blobVersionedHashes.length > 0;
}

/**
 * Throws {@link MixedTransactionsError} where a sender's transactions would not all have blobs, or all have none, `other` being
 * one that waits: nodes keep those with blobs in a pool of their own.
 */
export function checkKind(transaction: Transaction, other: Transaction | undefined): void {
  if (other !== undefined && hasBlobs(other) !== hasBlobs(transaction)) {
    throw new MixedTransactionsError(hasBlobs(transaction));
  }
}

/** The percent by which each fee of a transaction with blobs must be higher to replace another one, as nodes have it. */
const BLOB_BUMP_PERCENT = 100n;

/** Throws {@link ReplacementUnderpricedError} unless each fee is higher than that of the transaction in whose place it comes. */
export function checkReplacement(old: Transaction, replacement: Transaction, rules: AdmissionRules): void {
  const percent = hasBlobs(old) ? BLOB_BUMP_PERCENT : rules.ruleSet.replacementBumpPercent;
  const bump = (price: bigint): bigint => {
    const raised = (price * (100n + percent) + 99n) / 100n;
    return raised > price ? raised : price + 1n;
  };
  const leastFee = bump(old.maxFeePerGas);
  if (replacement.maxFeePerGas < leastFee)
    throw new ReplacementUnderpricedError(replacement.maxFeePerGas, leastFee);
  const leastPriority = bump(old.maxPriorityFeePerGas);
  if (replacement.maxPriorityFeePerGas < leastPriority) {
    throw new ReplacementUnderpricedError(replacement.maxPriorityFeePerGas, leastPriority);
  }
  const leastBlobFee = hasBlobs(old) ? bump(old.maxFeePerBlobGas) : 0n;
  if (replacement.maxFeePerBlobGas < leastBlobFee) {
    throw new ReplacementUnderpricedError(replacement.maxFeePerBlobGas, leastBlobFee);
  }
}
