// The waiting transactions of one sender.

import type { PoolEntry } from './ordering.ts';

/** A sender's transactions, the lowest nonce first. Never changed, only replaced. */
export type Run = readonly PoolEntry[];

/** Returns the first index for which the monotone predicate holds, `length` when there is none. */
function firstIndex(length: number, holdsAt: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holdsAt(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns the index of the nonce in the run, or the one where it would be inserted. */
export function placeOf(run: Run, nonce: bigint): number {
  return firstIndex(run.length, (index) => (run[index]?.transaction.nonce ?? nonce) >= nonce);
}

/** Returns the index of the first entry from `start` on that does not follow without a gap, the one there having `nonce`. */
export function withoutGap(run: Run, start: number, nonce: bigint): number {
  const hasGapAt = (distance: number): boolean =>
    run[start + distance]?.transaction.nonce !== nonce + BigInt(distance);
  return start + firstIndex(run.length - start, hasGapAt);
}

/**
 * Returns the part of the run that is not stale. A nonce can rise by other means than the sender's own transactions
 * (EIP-7702), so the pool does not rely on notifications.
 */
export function fromNonce(run: Run, nonce: bigint): Run {
  const first = run[0];
  if (first === undefined || first.transaction.nonce >= nonce) return run;
  return run.filter((entry) => entry.transaction.nonce >= nonce);
}

/** Returns the most wei that the transactions can take from their sender. */
export function costOf(entries: readonly PoolEntry[]): bigint {
  let cost = 0n;
  for (const entry of entries) cost += entry.cost;
  return cost;
}
