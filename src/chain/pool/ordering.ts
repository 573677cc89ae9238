// The order in which blocks take transactions from the pool.

import { effectiveGasPrice } from '../../protocol/fees.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import type { TransactionOrder } from '../settings/chain-options.ts';

/** A transaction in the pool and its arrival number, counted from the creation of the pool. */
export interface PoolEntry {
  readonly transaction: Transaction;
  readonly arrival: number;
  /** The most wei that it can take from its sender. */
  readonly cost: bigint;
}

/** By what the next block takes transactions. */
export interface OrderRule {
  readonly order: TransactionOrder;
  /** Wei per gas of the next block's base fee; `null` where there is none. */
  readonly baseFeePerGas: bigint | null;
}

/** Returns the wei per gas that the miner receives of a transaction. */
function tip({ transaction }: PoolEntry, baseFeePerGas: bigint | null): bigint {
  return effectiveGasPrice(transaction, baseFeePerGas) - (baseFeePerGas ?? 0n);
}

/** True if `left` is to be taken before `right`. */
function precedes(left: PoolEntry, right: PoolEntry, { order, baseFeePerGas }: OrderRule): boolean {
  if (order === 'fees') {
    const leftTip = tip(left, baseFeePerGas);
    const rightTip = tip(right, baseFeePerGas);
    if (leftTip !== rightTip) return leftTip > rightTip;
  }
  return left.arrival < right.arrival;
}

interface Run {
  readonly entries: readonly PoolEntry[];
  next: number;
}

/**
 * A heap of runs of transactions, each run one sender's in the order of nonces, with the run to take from next on top.
 */
class RunHeap {
  readonly #runs: Run[] = [];
  readonly #rule: OrderRule;

  constructor(rule: OrderRule) {
    this.#rule = rule;
  }

  #isBefore(left: Run, right: Run): boolean {
    const leftEntry = left.entries[left.next];
    const rightEntry = right.entries[right.next];
    return leftEntry !== undefined && rightEntry !== undefined && precedes(leftEntry, rightEntry, this.#rule);
  }

  push(run: Run): void {
    const runs = this.#runs;
    let position = runs.length;
    while (position > 0) {
      const parentPosition = (position - 1) >> 1;
      const parent = runs[parentPosition];
      if (parent === undefined || !this.#isBefore(run, parent)) break;
      runs[position] = parent;
      position = parentPosition;
    }
    runs[position] = run;
  }

  pop(): Run | undefined {
    const runs = this.#runs;
    const top = runs[0];
    const last = runs.pop();
    if (top === undefined || last === undefined || top === last) return top;
    let position = 0;
    for (;;) {
      const left = runs[2 * position + 1];
      const right = runs[2 * position + 2];
      const useRight = left !== undefined && right !== undefined && this.#isBefore(right, left);
      const child = useRight ? right : left;
      if (child === undefined || !this.#isBefore(child, last)) break;
      runs[position] = child;
      position = 2 * position + (useRight ? 2 : 1);
    }
    runs[position] = last;
    return top;
  }
}

/**
 * Returns the entries of all runs (each one sender's, in the order of nonces), best first; never one before another of
 * the same sender with a lower nonce.
 */
export function inMiningOrder(runs: Iterable<readonly PoolEntry[]>, rule: OrderRule): PoolEntry[] {
  const heap = new RunHeap(rule);
  for (const entries of runs) if (entries.length > 0) heap.push({ entries, next: 0 });
  const ordered: PoolEntry[] = [];
  for (let run = heap.pop(); run !== undefined; run = heap.pop()) {
    const entry = run.entries[run.next];
    if (entry === undefined) continue;
    ordered.push(entry);
    run.next++;
    if (run.next < run.entries.length) heap.push(run);
  }
  return ordered;
}
