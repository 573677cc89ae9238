/** Remembers what failed last on a chain, with all that it ran on, so that it can be explained after the chain has gone on. */

import type { HeldCall } from '../chain/call-site.ts';
import type { Chain } from '../chain/chain.ts';
import type { HeldBlock } from '../chain/execution/tracing.ts';
import { CodedError } from '../primitives/coded-error.ts';
import type { CheckInterrupt } from '../primitives/interrupt.ts';
import type { Inspection } from './inspection.ts';
import type { LazyInspector } from './lazy-inspector.ts';

/** Failures of one chain that are remembered. */
const MOST_FAILURES = 16;

/** Bytes of data of a call that is remembered: its data stays in memory as long as it is. */
const MOST_DATA = 256 * 1024;

/** An execution that failed: a call or estimate, or a transaction in a block. */
type FailedExecution =
  | { readonly call: HeldCall }
  | { readonly block: HeldBlock; readonly index: number; readonly hash: Uint8Array };

/** A failure that is remembered. */
export interface RecentFailure {
  /** The number of failures that the chain had with this one, from 1. */
  readonly number: number;
  readonly execution: FailedExecution;
}

/** The last failures of one chain. Failures in blocks that a revert removed stay among them. */
export class RecentFailures {
  readonly #inspector: LazyInspector;
  #failures: RecentFailure[] = [];
  #count = 0;

  constructor(chain: Chain, inspector: LazyInspector) {
    this.#inspector = inspector;
    chain.events.on('failedCall', (held) => {
      if ((held.message.data?.length ?? 0) > MOST_DATA) this.#count++;
      else this.#add({ call: held });
    });
    chain.events.on('block', (block, results) => {
      const first = results?.findIndex(({ outcome }) => outcome !== 'success') ?? -1;
      if (results === null || first === -1) return;
      const held = chain.tracing.hold(block);
      for (const [index, { outcome }] of results.entries()) {
        const hash = block.transactions[index]?.hash;
        if (outcome !== 'success' && hash !== undefined) this.#add({ block: held, index, hash });
      }
    });
  }

  /** The number of failures that the chain had. */
  get count(): number {
    return this.#count;
  }

  /** Returns the failures after the first `after` of them, the newest first. */
  list(after: number): RecentFailure[] {
    return this.#failures.filter(({ number }) => number > after).reverse();
  }

  /** Resolves to what happened; `null` where it cannot be run again, as the chain was put onto another fork. */
  async explain({ execution }: RecentFailure, checkInterrupt: CheckInterrupt): Promise<Inspection | null> {
    const inspector = await this.#inspector.load();
    const options = { hasChanges: true, checkInterrupt };
    try {
      return await ('call' in execution
        ? inspector.heldCall(execution.call, options)
        : inspector.transaction(execution.block, execution.index, options));
    } catch (error) {
      checkInterrupt();
      if (error instanceof CodedError) return null;
      throw error;
    }
  }

  #add(execution: FailedExecution): void {
    this.#count++;
    this.#failures = [...this.#failures, { number: this.#count, execution }].slice(-MOST_FAILURES);
  }
}
