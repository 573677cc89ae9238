/** Keeps the last failures of a chain with the state they ran on, to explain them later. */

import type { RecordedCall } from '../chain/call-environment.ts';
import type { Chain } from '../chain/chain.ts';
import type { TracedBlock } from '../chain/execution/tracing.ts';
import { hasFailed } from '../evm/engine.ts';
import { CodedError } from '../primitives/coded-error.ts';
import type { Inspection } from './inspection.ts';
import type { InspectionOptions } from './inspector.ts';
import type { LazyInspector } from './lazy-inspector.ts';

/** Maximum failures kept per chain. */
const MAX_FAILURES = 16;

/** Maximum bytes of call data of a kept failure. */
const MAX_DATA = 256 * 1024;

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

/** The last failures of one chain. Failures in blocks that a revert removed are kept. */
export class RecentFailures {
  #failures: RecentFailure[] = [];
  #count = 0;

  constructor(chain: Chain) {
    chain.events.on('failedCall', (held, _result, call) => {
      if ((held.message.data?.length ?? 0) > MAX_DATA) this.#count++;
      else this.#add({ call: held, owner: call?.owner, method: call?.method ?? null });
    });
    chain.events.on('block', (block, results) => {
      const first = results?.findIndex(hasFailed) ?? -1;
      if (results === null || first === -1) return;
      const held = chain.tracing.hold(block);
      for (const [index, result] of results.entries()) {
        const hash = block.transactions[index]?.hash;
        if (hasFailed(result) && hash !== undefined) this.#add({ block: held, index, hash });
      }
    });
  }

  /** The total number of failures on the chain. */
  get count(): number {
    return this.#count;
  }

  /** Returns failures with numbers above `after`, newest first, without calls of keys other than `owner`. */
  list(after: number, owner?: string): RecentFailure[] {
    const isShown = ({ number, execution }: RecentFailure): boolean =>
      number > after &&
      (!('call' in execution) || execution.owner === undefined || execution.owner === owner);
    return this.#failures.filter(isShown).reverse();
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

  #add(execution: FailedExecution): void {
    this.#count++;
    this.#failures = [...this.#failures, { number: this.#count, execution }].slice(-MAX_FAILURES);
  }
}
