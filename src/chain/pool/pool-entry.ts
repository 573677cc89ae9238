import type { Transaction } from '../../protocol/transaction.ts';

/** A transaction in the pool and when it came, counted from the pool's beginning. */
export interface PoolEntry {
  readonly transaction: Transaction;
  readonly arrival: number;
  /** The most wei that it can take from its sender. */
  readonly cost: bigint;
}
