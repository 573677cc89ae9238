/** Keeps the last failures of a chain with the state they ran on, to explain them later. */

import type { RecordedCall } from '../chain/call-environment.ts';
import type { Chain } from '../chain/chain.ts';
import type { TracedBlock } from '../chain/execution/tracing.ts';
import { hasFailed } from '../evm/engine.ts';
import { CodedError } from '../primitives/coded-error.ts';
import type { Block } from '../protocol/block.ts';
import { FailureNotFoundError } from './errors.ts';
import type { Inspection } from './inspection.ts';
import type { InspectionOptions } from './inspector.ts';
import type { LazyInspector } from './lazy-inspector.ts';

/**
 * Memory limit of the kept failures of a chain, in bytes. At least 200 failed calls fit, even if each has the
 * maximum size.
 */
const BUDGET = 64 * 1024 * 1024;

/** Maximum bytes of call data, access list and overrides of a kept call. */
export const MAX_CALL_SIZE = 256 * 1024;

/** Assumed bytes of a failure: the part of the state that only this failure keeps in memory. */
const FAILURE_SIZE = 64 * 1024;

/** Approximate bytes of an entry of an access list, and of a transaction or log without its data. */
const ENTRY_SIZE = 256;
const RECORD_SIZE = 1_024;

/** A failed call, gas estimate or transaction. */
type FailedExecution =
  | {
      readonly call: RecordedCall;
      readonly owner: string | undefined;
      /** The RPC method; `null` for calls that the chain makes itself. */
      readonly method: string | null;
    }
  | { readonly block: TracedBlock; readonly index: number; readonly hash: Uint8Array };

export interface RecentFailure {
  /** The failure's number on this chain, from 1. */
  readonly number: number;
  readonly execution: FailedExecution;
}

/** Returns the approximate bytes of call data, access list and overrides. */
export function callSize({ site, message }: RecordedCall): number {
  const { data, accessList, authorizationList, blobVersionedHashes } = message;
  const keys = accessList.reduce((sum, { storageKeys }) => sum + 1 + storageKeys.length, 0);
  const entries = keys + authorizationList.length + blobVersionedHashes.length;
  return data.length + ENTRY_SIZE * entries + (site.overrideSize ?? 0);
}

function blockSize({ transactions, receipts }: Block): number {
  let size = 0;
  for (const { data } of transactions) size += RECORD_SIZE + data.length;
  for (const { logs } of receipts) for (const log of logs) size += RECORD_SIZE + log.data.length;
  return size;
}

interface KeptFailure extends RecentFailure {
  /** Bytes. */
  readonly size: number;
}

/**
 * The last failures of one chain, within a memory limit. Failures in blocks that a revert removed are kept.
 */
export class RecentFailures {
  /** By number, in ascending order. */
  readonly #kept = new Map<number, KeptFailure>();
  readonly #budget: number;
  #size = 0;
  #count = 0;

  /** `budget` in bytes. */
  constructor(chain: Chain, budget: number = BUDGET) {
    this.#budget = budget;
    chain.events.on('failedCall', (held, _result, call) => {
      const size = callSize(held);
      if (size > MAX_CALL_SIZE) this.#count++;
      else this.#add({ call: held, owner: call?.owner, method: call?.method ?? null }, size);
    });
    chain.events.on('block', (block, results) => {
      const last = results?.findLastIndex(hasFailed) ?? -1;
      if (results === null || last === -1) return;
      const held = chain.tracing.hold(block);
      for (const [index, result] of results.entries()) {
        const hash = block.transactions[index]?.hash;
        if (!hasFailed(result) || hash === undefined) continue;
        // The last failure of a block is dropped last, so it counts the block.
        this.#add({ block: held, index, hash }, index === last ? blockSize(block) : 0);
      }
    });
  }

  /** The total number of failures on the chain. */
  get count(): number {
    return this.#count;
  }

  /** The lowest number of a kept failure; `null` without kept failures. */
  get oldest(): number | null {
    const [oldest = null] = this.#kept.keys();
    return oldest;
  }

  /**
   * Returns failures with numbers above `after` and below `before`, newest first, without calls of keys other
   * than `owner`.
   */
  list(after: number, owner?: string, before = Number.POSITIVE_INFINITY): RecentFailure[] {
    return [...this.#kept.values()]
      .filter(({ number }) => number > after && number < before)
      .filter((failure) => isVisible(failure, owner))
      .reverse();
  }

  /**
   * Returns the failure with this number, or the newest one that `owner` may see. Throws a
   * {@link FailureNotFoundError} if it is unknown, no longer kept, or a call of another key.
   */
  find(number: number | 'last', owner?: string): RecentFailure {
    const wanted = number === 'last' ? this.list(0, owner)[0] : this.#kept.get(number);
    if (wanted !== undefined && isVisible(wanted, owner)) return wanted;
    throw new FailureNotFoundError(number, { count: this.#count, oldest: this.oldest });
  }

  /**
   * Resolves to the inspection of the failure. `null` if it cannot run again, for example because the chain
   * now forks another chain.
   */
  async explain(
    { execution }: RecentFailure,
    lazy: LazyInspector,
    options: InspectionOptions,
  ): Promise<Inspection | null> {
    const inspector = await lazy.load();
    try {
      return await ('call' in execution
        ? inspector.heldCall(execution.call, options)
        : inspector.transaction(execution.block, execution.index, options));
    } catch (error) {
      options.checkCancelled();
      if (error instanceof CodedError) return null;
      throw error;
    }
  }

  #add(execution: FailedExecution, ownSize: number): void {
    const number = ++this.#count;
    const size = FAILURE_SIZE + ownSize;
    this.#kept.set(number, { number, execution, size });
    this.#size += size;
    for (const [oldest, { size: freed }] of this.#kept) {
      if (this.#size <= this.#budget) break;
      this.#kept.delete(oldest);
      this.#size -= freed;
    }
  }
}

/** Calls of an API key are private; transactions are not. */
function isVisible({ execution }: RecentFailure, owner: string | undefined): boolean {
  return !('call' in execution) || execution.owner === undefined || execution.owner === owner;
}
