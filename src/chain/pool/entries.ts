// The waiting transactions by sender and nonce, their mining order, and their timeout.

import { AdmittedTransaction, type FeeOffers } from '../../evm/admission.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import type { PoolTimeoutLimits, TransactionOrder } from '../settings/chain-options.ts';
import type { TransactionCondition } from './condition.ts';

/** A transaction in the pool and its arrival number, counted from the creation of the pool. */
export class PoolEntry extends AdmittedTransaction {
  constructor(
    transaction: Transaction,
    readonly arrival: number,
    fees: FeeOffers,
    /** The condition for mining the transaction; `null` without one. */
    readonly condition: TransactionCondition | null = null,
  ) {
    super(transaction, fees);
  }
}

/** A sender's transactions, lowest nonce first. Immutable. */
export type Run = readonly PoolEntry[];

/** Returns the first index that satisfies the monotone predicate, or `length`. */
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

/** Returns the index of the nonce in the run, or its insertion index. */
export function indexOfNonce(run: Run, nonce: bigint): number {
  return firstIndex(run.length, (index) => (run[index]?.transaction.nonce ?? nonce) >= nonce);
}

/** Returns the index after the last entry without a nonce gap. The entry at `start` must have `nonce`. */
export function withoutGap(run: Run, start: number, nonce: bigint): number {
  const hasGapAt = (distance: number): boolean =>
    run[start + distance]?.transaction.nonce !== nonce + BigInt(distance);
  return start + firstIndex(run.length - start, hasGapAt);
}

/**
 * Returns the part of the run that is not stale. Authorizations (EIP-7702) can raise a nonce too, so the pool
 * does not rely on notifications.
 */
export function fromNonce(run: Run, nonce: bigint): Run {
  const first = run[0];
  if (first === undefined || first.transaction.nonce >= nonce) return run;
  return run.filter((entry) => entry.transaction.nonce >= nonce);
}

/** Returns the maximum wei that the transactions can take from their sender. */
export function costOf(entries: readonly PoolEntry[]): bigint {
  let cost = 0n;
  for (const entry of entries) cost += entry.maximumCost;
  return cost;
}

/** The criteria for the mining order. */
export interface OrderRule {
  readonly order: TransactionOrder;
  /** The next block's base fee (wei per gas); `null` if blocks have none. */
  readonly baseFeePerGas: bigint | null;
}

/** A run and the index of its next entry. */
interface RunCursor {
  readonly entries: Run;
  next: number;
  arrival: number;
  /** Cached, because it is compared several times per transaction; 0 if the order does not depend on fees. */
  tip: bigint;
}

/** Returns true if the next entry of `left` comes before the next entry of `right`. */
function precedes(left: RunCursor, right: RunCursor): boolean {
  return left.tip === right.tip ? left.arrival < right.arrival : left.tip > right.tip;
}

/** A heap of runs, with the best next transaction on top. Each run belongs to one sender, in nonce order. */
class RunHeap {
  readonly #runs: RunCursor[] = [];
  readonly #rule: OrderRule;

  constructor(rule: OrderRule) {
    this.#rule = rule;
  }

  #moveTo(cursor: RunCursor, next: number): boolean {
    const entry = cursor.entries[next];
    if (entry === undefined) return false;
    const { order, baseFeePerGas } = this.#rule;
    cursor.next = next;
    cursor.arrival = entry.arrival;
    cursor.tip = order === 'fees' ? entry.effectiveTip(baseFeePerGas) : 0n;
    return true;
  }

  push(entries: Run): void {
    const run = { entries, next: 0, arrival: 0, tip: 0n };
    if (!this.#moveTo(run, 0)) return;
    const runs = this.#runs;
    let position = runs.length;
    while (position > 0) {
      const parentPosition = (position - 1) >> 1;
      const parent = runs[parentPosition];
      if (parent === undefined || !precedes(run, parent)) break;
      runs[position] = parent;
      position = parentPosition;
    }
    runs[position] = run;
  }

  /** Removes and returns the next entry, or `undefined`. */
  take(): PoolEntry | undefined {
    const top = this.#runs[0];
    if (top === undefined) return undefined;
    const entry = top.entries[top.next];
    const moved = this.#moveTo(top, top.next + 1) ? top : this.#runs.pop();
    if (moved !== undefined && this.#runs.length > 0) this.#putOnTop(moved);
    return entry;
  }

  /** Replaces the top run and sifts it down. */
  #putOnTop(run: RunCursor): void {
    const runs = this.#runs;
    let position = 0;
    for (;;) {
      const left = runs[2 * position + 1];
      const right = runs[2 * position + 2];
      const useRight = left !== undefined && right !== undefined && precedes(right, left);
      const child = useRight ? right : left;
      if (child === undefined || !precedes(child, run)) break;
      runs[position] = child;
      position = 2 * position + (useRight ? 2 : 1);
    }
    runs[position] = run;
  }
}

/** Returns the entries of all runs, best first. The entries of one sender stay in nonce order. */
export function inMiningOrder(runs: Iterable<Run>, rule: OrderRule): PoolEntry[] {
  const heap = new RunHeap(rule);
  for (const entries of runs) heap.push(entries);
  const ordered: PoolEntry[] = [];
  for (let entry = heap.take(); entry !== undefined; entry = heap.take()) ordered.push(entry);
  return ordered;
}

/** The clock and head of a timeout. */
export interface PoolTimeoutSource {
  headNumber(): number;
  /** Returns the real time in milliseconds since 1970. Moving the chain's clock does not age transactions. */
  now(): number;
}

interface Since {
  readonly number: number;
  readonly milliseconds: number;
}

/**
 * Finds expired transactions, as Rootstock's nodes do (`transaction.outdated.threshold` and
 * `transaction.outdated.timeout` in rskj). Entries restored with a snapshot keep their age. Entries of
 * another pool start new.
 */
export class PoolTimeout {
  readonly #limits: PoolTimeoutLimits;
  readonly #source: PoolTimeoutSource;
  readonly #since = new WeakMap<PoolEntry, Since>();
  /** Lower bound of the number and time of every entry's arrival. */
  #earliest: Since = NEVER;

  constructor(limits: PoolTimeoutLimits, source: PoolTimeoutSource) {
    this.#limits = limits;
    this.#source = source;
  }

  /** Records the arrival of an entry, unless it is recorded already. */
  note(entry: PoolEntry): void {
    const known = this.#since.get(entry);
    const since = known ?? { number: this.#source.headNumber(), milliseconds: this.#source.now() };
    if (known === undefined) this.#since.set(entry, since);
    this.#earliest = {
      number: Math.min(this.#earliest.number, since.number),
      milliseconds: Math.min(this.#earliest.milliseconds, since.milliseconds),
    };
  }

  /** Returns the expired entries. Constant time if no entry can be expired. */
  outdated(entries: Iterable<PoolEntry>): readonly PoolEntry[] {
    if (!this.#isOver(this.#earliest)) return NONE;
    const outdated: PoolEntry[] = [];
    this.#earliest = NEVER;
    for (const entry of entries) {
      this.note(entry);
      if (this.#isOver(this.#since.get(entry) ?? NEVER)) outdated.push(entry);
    }
    return outdated;
  }

  #isOver({ number, milliseconds }: Since): boolean {
    const { blocks, seconds } = this.#limits;
    if (blocks !== null && this.#source.headNumber() - number > blocks) return true;
    return seconds !== null && this.#source.now() - milliseconds >= seconds * 1000;
  }
}

const NEVER: Since = { number: Number.POSITIVE_INFINITY, milliseconds: Number.POSITIVE_INFINITY };
const NONE: readonly PoolEntry[] = [];

/** Returns a timeout with these limits; `null` without limits. */
export function poolTimeout(limits: PoolTimeoutLimits, source: PoolTimeoutSource): PoolTimeout | null {
  return limits.blocks === null && limits.seconds === null ? null : new PoolTimeout(limits, source);
}
