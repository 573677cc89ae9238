// The waiting transactions: those of one sender by nonce, the order in which blocks take those of all senders, and how long they wait.

import { effectiveGasPrice } from '../../protocol/fees.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import type { PoolTimeoutLimits, TransactionOrder } from '../settings/chain-options.ts';

/** A transaction in the pool and its arrival number, counted from the creation of the pool. */
export interface PoolEntry {
  readonly transaction: Transaction;
  readonly arrival: number;
  /** The most wei that it can take from its sender. */
  readonly cost: bigint;
}

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

/** A run, and the entry of it that is taken next. */
interface RunCursor {
  readonly entries: Run;
  next: number;
  arrival: number;
  /** Kept, as it is compared several times for each transaction; 0 where the order does not depend on it. */
  tip: bigint;
}

/** Returns true if the next entry of `left` is to be taken before that of `right`. */
function precedes(left: RunCursor, right: RunCursor): boolean {
  return left.tip === right.tip ? left.arrival < right.arrival : left.tip > right.tip;
}

/**
 * A heap of runs of transactions, each run one sender's in the order of nonces, with the run to take from next on top.
 */
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
    cursor.tip = order === 'fees' ? tip(entry, baseFeePerGas) : 0n;
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

  /** Takes the entry that comes next; `undefined` when there are no more. */
  take(): PoolEntry | undefined {
    const top = this.#runs[0];
    if (top === undefined) return undefined;
    const entry = top.entries[top.next];
    const moved = this.#moveTo(top, top.next + 1) ? top : this.#runs.pop();
    if (moved !== undefined && this.#runs.length > 0) this.#putOnTop(moved);
    return entry;
  }

  /** Puts a run in the place of the one on top, and moves it down to where it belongs. */
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

/**
 * Returns the entries of all runs (each one sender's, in the order of nonces), best first; never one before another of
 * the same sender with a lower nonce.
 */
export function inMiningOrder(runs: Iterable<Run>, rule: OrderRule): PoolEntry[] {
  const heap = new RunHeap(rule);
  for (const entries of runs) heap.push(entries);
  const ordered: PoolEntry[] = [];
  for (let entry = heap.take(); entry !== undefined; entry = heap.take()) ordered.push(entry);
  return ordered;
}

/** The measures of a timeout. */
export interface PoolTimeoutSource {
  /** Returns the number of the head block. */
  headNumber(): number;
  /** Returns the real time in milliseconds since 1970: moving the chain's clock does not age transactions. */
  now(): number;
}

interface Since {
  readonly number: number;
  readonly milliseconds: number;
}

/**
 * Decides which transactions of a pool have expired, like the network's nodes (`transaction.outdated.threshold` and
 * `transaction.outdated.timeout` of its reference node). An entry that is restored with a snapshot keeps its age; one
 * of another pool starts anew.
 */
export class PoolTimeout {
  readonly #limits: PoolTimeoutLimits;
  readonly #source: PoolTimeoutSource;
  readonly #since = new WeakMap<PoolEntry, Since>();
  /** No entry arrived before this number and this time. */
  #earliest: Since = NEVER;

  constructor(limits: PoolTimeoutLimits, source: PoolTimeoutSource) {
    this.#limits = limits;
    this.#source = source;
  }

  /** Records the arrival of the entry, unless it is known already. */
  note(entry: PoolEntry): void {
    const known = this.#since.get(entry);
    const since = known ?? { number: this.#source.headNumber(), milliseconds: this.#source.now() };
    if (known === undefined) this.#since.set(entry, since);
    this.#earliest = {
      number: Math.min(this.#earliest.number, since.number),
      milliseconds: Math.min(this.#earliest.milliseconds, since.milliseconds),
    };
  }

  /** Returns the expired ones of all entries. Costs nothing while there can be none. */
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

/** Returns a timeout with these limits; `null` where there are none. */
export function poolTimeout(limits: PoolTimeoutLimits, source: PoolTimeoutSource): PoolTimeout | null {
  return limits.blocks === null && limits.seconds === null ? null : new PoolTimeout(limits, source);
}
