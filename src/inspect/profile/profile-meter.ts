/** Profiles all transactions of a node and its lanes, after they were answered. */

import { type HeldBlock, TraceMismatchError } from '../../chain/execution/tracing.ts';
import type { ExecutionResult } from '../../evm/engine.ts';
import { CodedError } from '../../primitives/coded-error.ts';
import { type CheckInterrupt, nextTurn, uninterrupted } from '../../primitives/interrupt.ts';
import type { Block } from '../../protocol/block.ts';
import type { MeasuredChain, Meter } from '../meter.ts';
import type { GasSample } from './gas-profiler.ts';
import { ProfileRuns } from './profile-run.ts';

/** A block whose transactions are to be profiled, with the state that they ran on. */
interface Waiting {
  readonly held: HeldBlock;
  readonly results: readonly ExecutionResult[];
  readonly on: MeasuredChain;
}

/** Stacks that are told apart; what comes beyond is counted for the outermost call of its stack. */
const MOST_STACKS = 200_000;

/** Everything that was profiled. */
export interface ProfiledGas {
  readonly transactions: number;
  /** Gas of all transactions, as their receipts say it; the samples add up to it. */
  readonly total: bigint;
  readonly samples: readonly GasSample[];
}

/** What was profiled of some lanes. */
class ProfileSum {
  transactions = 0;
  total = 0n;
  readonly samples = new Map<
    string,
    { readonly calls: readonly string[]; readonly line: string | null; gas: bigint }
  >();

  add(samples: readonly GasSample[], gasUsed: bigint): void {
    this.transactions++;
    this.total += gasUsed;
    for (const { calls, line, gas } of samples) this.#add(calls, line, gas);
  }

  #add(calls: readonly string[], line: string | null, gas: bigint): void {
    const key = JSON.stringify([calls, line]);
    const known = this.samples.get(key);
    if (known !== undefined) known.gas += gas;
    else if (this.samples.size < MOST_STACKS || calls.length <= 1)
      this.samples.set(key, { calls, line, gas });
    else this.#add(calls.slice(0, 1), null, gas);
  }
}

/**
 * Runs each transaction again in the background, observed, on the state that it ran on, so that nothing is lost when its block
 * leaves the chain.
 */
export class ProfileMeter implements Meter {
  readonly needsFrames = false;
  readonly #sums = new Map<string | null, ProfileSum>();
  readonly #waiting: Waiting[] = [];
  #working: Promise<void> | null = null;
  readonly #runs = new WeakMap<object, ProfileRuns>();

  onBlock(block: Block, results: readonly ExecutionResult[], on: MeasuredChain): void {
    this.#waiting.push({ held: on.chain.tracing.hold(block), results, on });
    this.#working ??= this.#work();
  }

  /** Resolves to what was profiled until now; with `lane` of that lane alone. Rejects with what ends the waiting for it. */
  async profiled(
    lane: string | null = null,
    checkInterrupt: CheckInterrupt = uninterrupted,
  ): Promise<ProfiledGas> {
    while (this.#working !== null) {
      await Promise.race([this.#working, nextTurn()]);
      checkInterrupt();
    }
    const all = new ProfileSum();
    for (const [name, sum] of this.#sums) {
      if (lane !== null && lane !== name) continue;
      all.transactions += sum.transactions;
      all.total += sum.total;
      for (const [key, sample] of sum.samples) {
        const known = all.samples.get(key);
        if (known === undefined) all.samples.set(key, { ...sample });
        else known.gas += sample.gas;
      }
    }
    return { transactions: all.transactions, total: all.total, samples: [...all.samples.values()] };
  }

  async #work(): Promise<void> {
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        await nextTurn();
        await this.#profile(next);
      }
    } finally {
      this.#working = null;
    }
  }

  async #profile({ held, results, on }: Waiting): Promise<void> {
    const { chain, inspector, lane } = on;
    await (await inspector.artifacts.load()).ready();
    const { contracts } = await inspector.load();
    const runs = this.#runs.get(contracts) ?? new ProfileRuns(contracts);
    this.#runs.set(contracts, runs);
    const sum = this.#sums.get(lane) ?? new ProfileSum();
    this.#sums.set(lane, sum);
    for (const [index, { gasUsed }] of results.entries()) {
      const samples = await runs
        .samples((createTracer) => chain.tracing.transaction(held, index, createTracer), uninterrupted)
        // One that cannot be run again as it ran, or is too large to be looked at, is counted as a whole.
        .catch((error: unknown) => {
          if (!(error instanceof CodedError) && !(error instanceof TraceMismatchError)) throw error;
          return [{ calls: ['<not profiled>'], line: null, gas: gasUsed }];
        });
      sum.add(samples, gasUsed);
    }
  }
}
