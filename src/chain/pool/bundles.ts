// Bundles: signed transactions that are mined together or not at all, and the bundles that wait for their block.

import type { AdmittedTransaction } from '../../evm/admission.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import type { Transaction } from '../../protocol/transaction.ts';
import { TooManyBundlesError } from './errors.ts';

/**
 * The consequence if a transaction of a bundle fails:
 *
 * - `fails`: the whole bundle fails.
 * - `included`: a failed execution is mined. If the transaction cannot be executed, the bundle fails.
 * - `dropped`: the other transactions are mined without it.
 */
export type FailureRule = 'fails' | 'included' | 'dropped';

export interface BundleTransaction {
  readonly admitted: AdmittedTransaction;
  readonly ifFailed: FailureRule;
}

/** The blocks that a bundle is valid for. */
export interface BundleRange {
  readonly firstBlock: number;
  readonly lastBlock: number;
  /** Seconds since 1970; `null` for no limit. */
  readonly minTimestamp: number | null;
  /** Seconds since 1970; `null` for no limit. */
  readonly maxTimestamp: number | null;
}

export interface Bundle extends BundleRange {
  /** 32 bytes. */
  readonly hash: Uint8Array;
  readonly transactions: readonly BundleTransaction[];
  /** The client's id for replacing and cancelling the bundle; `null` without one. */
  readonly replacementId: string | null;
}

/** Returns whether a block with this number and timestamp (seconds since 1970) can include the bundle. */
export function dueState(
  { firstBlock, lastBlock, minTimestamp, maxTimestamp }: BundleRange,
  number: number,
  timestamp: number,
): 'early' | 'due' | 'expired' {
  if (number > lastBlock || (maxTimestamp !== null && timestamp > maxTimestamp)) return 'expired';
  if (number < firstBlock || (minTimestamp !== null && timestamp < minTimestamp)) return 'early';
  return 'due';
}

/** Blocks from `number` on, with `interval` seconds between them. `timestamp` is in seconds since 1970. */
export interface BlockSeries {
  readonly number: number;
  readonly timestamp: number;
  readonly interval: number;
}

/** Returns the number of the first block that can include the bundle; `Infinity` if none can. */
export function firstDueBlock(range: BundleRange, { number, timestamp, interval }: BlockSeries): number {
  const seconds = (range.minTimestamp ?? timestamp) - timestamp;
  const first = Math.max(number, range.firstBlock, number + Math.ceil(seconds / interval));
  const isDue = dueState(range, first, timestamp + (first - number) * interval) === 'due';
  return isDue ? first : Number.POSITIVE_INFINITY;
}

/** Maximum number of waiting bundles. */
const COUNT_LIMIT = 1_000;

/** Maximum bytes of the transactions of all waiting bundles. */
const BYTES_LIMIT = 16 * 1024 * 1024;

function bytesOf({ transactions }: Bundle): number {
  return transactions.reduce((sum, { admitted }) => sum + admitted.transaction.raw.length, 0);
}

function isSame(left: Bundle, right: Bundle): boolean {
  return (
    equalBytes(left.hash, right.hash) &&
    left.firstBlock === right.firstBlock &&
    left.lastBlock === right.lastBlock &&
    left.minTimestamp === right.minTimestamp &&
    left.maxTimestamp === right.maxTimestamp
  );
}

/**
 * Returns the index for a new bundle: the end, or before a smaller bundle with one of its transactions. So a bundle that
 * adds transactions to a waiting one is tried first.
 */
function placeOf(bundle: Bundle, others: readonly Bundle[]): number {
  const hashes = new Set(bundle.transactions.map(({ admitted }) => hexKey(admitted.transaction.hash)));
  const smaller = others.findIndex(
    ({ transactions }) =>
      transactions.length < hashes.size &&
      transactions.some(({ admitted }) => hashes.has(hexKey(admitted.transaction.hash))),
  );
  return smaller === -1 ? others.length : smaller;
}

/** The bundles that wait for their block, in the order of their arrival. The list is replaced at each change. */
export class WaitingBundles {
  #all: readonly Bundle[] = [];

  get all(): readonly Bundle[] {
    return this.#all;
  }

  get size(): number {
    return this.#all.length;
  }

  /** Adds a bundle, instead of an equal one. Throws a {@link TooManyBundlesError} at the limits. */
  add(bundle: Bundle): void {
    const others = this.#all.filter((other) => !isSame(other, bundle));
    const bytes = others.reduce((sum, other) => sum + bytesOf(other), bytesOf(bundle));
    if (others.length >= COUNT_LIMIT || bytes > BYTES_LIMIT)
      throw new TooManyBundlesError(COUNT_LIMIT, BYTES_LIMIT);
    this.#all = others.toSpliced(placeOf(bundle, others), 0, bundle);
  }

  /** Removes the bundles with this id, and returns them. */
  cancel(replacementId: string): readonly Bundle[] {
    return this.removeWhere((bundle) => bundle.replacementId === replacementId);
  }

  /** Removes bundles, and returns them. */
  removeWhere(isRemoved: (bundle: Bundle) => boolean): readonly Bundle[] {
    const removed = this.#all.filter(isRemoved);
    if (removed.length > 0) this.#all = this.#all.filter((bundle) => !removed.includes(bundle));
    return removed;
  }

  /** Removes the bundles without a transaction outside of this block. */
  removeMined(mined: readonly Transaction[]): void {
    const hashes = new Set(mined.map(({ hash }) => hexKey(hash)));
    this.removeWhere(({ transactions }) =>
      transactions.every(({ admitted }) => hashes.has(hexKey(admitted.transaction.hash))),
    );
  }

  /** Returns the bundles for a block with this number and timestamp (seconds since 1970). */
  due(number: number, timestamp: number): readonly Bundle[] {
    return this.#all.filter((bundle) => dueState(bundle, number, timestamp) === 'due');
  }

  /** Returns the number of the first block that can include a counted bundle; `Infinity` if none can. */
  firstDue(series: BlockSeries, isCounted: (bundle: Bundle) => boolean): number {
    return Math.min(...this.#all.filter(isCounted).map((bundle) => firstDueBlock(bundle, series)));
  }

  /** Removes the bundles that no block after this one can include, and returns them. */
  removeExpired(number: number, timestamp: number): readonly Bundle[] {
    return this.removeWhere((bundle) => dueState(bundle, number + 1, timestamp) === 'expired');
  }

  /** Moves waiting bundles behind all others. */
  moveBehind(moved: { has(bundle: Bundle): boolean }): void {
    this.#all = [
      ...this.#all.filter((bundle) => !moved.has(bundle)),
      ...this.#all.filter((bundle) => moved.has(bundle)),
    ];
  }

  /** Restores the list of an earlier moment, or of another pool. */
  restore(all: readonly Bundle[]): void {
    this.#all = all;
  }
}
