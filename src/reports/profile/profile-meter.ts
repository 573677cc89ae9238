/** Profiles all transactions of a node and its lanes, after they were answered. */

import { type HeldBlock, TraceMismatchError } from '../../chain/execution/tracing.ts';
import type { ExecutionResult } from '../../evm/engine.ts';
import { CodedError } from '../../primitives/coded-error.ts';
import type { Block } from '../../protocol/block.ts';
import { type CheckInterrupt, nextTurn, uninterrupted } from '../../scheduling/interrupt.ts';
import type { MeasuredChain, Meter } from '../meter.ts';
import type { GasSample } from './gas-profiler.ts';
import { ProfileRuns } from './profile-run.ts';

/** A block whose transactions are to be profiled, with the state that they ran on. */
interface Waiting {
  readonly held: HeldBlock;
  /** The gas of each of its transactions. */
  readonly gas: readonly bigint[];
  readonly on: MeasuredChain;
  /** The name under which it is reported: that of the lane when the block was made, or the one that this got since. */
  lane: string | null;
}

/** The limits of the memory that profiles take. */
export interface ProfileLimits {
  /** Blocks that may wait to be profiled. Beyond this limit and the next, transactions are counted as a whole. */
  readonly blocks: number;
  /** Gas of the transactions of these blocks. */
  readonly gas: bigint;
  /** Lanes with a sum of their own. Beyond them, the sum of the lane that was not used for the longest time is in the total only. */
  readonly lanes: number;
}

/**
 * Blocks that wait take some kilobytes each, and more where they have left the chain, since they hold their states. The gas takes
 * about three minutes to run again, for which the node waits at its end.
 */
const LIMITS: ProfileLimits = { blocks: 10_000, gas: 5_000_000_000n, lanes: 256 };

const NOT_PROFILED = '<not profiled>';

/** Stacks that are told apart; what comes beyond is counted for the outermost call of its stack. */
const MOST_STACKS = 200_000;

/** Everything that was profiled. */
export interface ProfiledGas {
  readonly transactions: number;
  /** Gas of all transactions, as their receipts say it; the samples add up to it. */
  readonly total: bigint;
  readonly samples: readonly GasSample[];
  /** Transactions that came faster than they could be profiled, and are in `<not profiled>`. */
  readonly omitted: number;
}

/** The samples of some lanes. */
class ProfileSum {
  transactions = 0;
  total = 0n;
  omitted = 0;
  readonly samples = new Map<
    string,
    { readonly calls: readonly string[]; readonly line: string | null; gas: bigint }
  >();

  add(samples: readonly GasSample[], gasUsed: bigint): void {
    this.transactions++;
    this.total += gasUsed;
    for (const { calls, line, gas } of samples) this.#add(calls, line, gas);
  }

  merge({ transactions, total, omitted, samples }: ProfileSum): void {
    this.transactions += transactions;
    this.total += total;
    this.omitted += omitted;
    for (const [key, sample] of samples) {
      const known = this.samples.get(key);
      if (known === undefined) this.samples.set(key, { ...sample });
      else known.gas += sample.gas;
    }
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
  /** By lane, `null` for the base chain. The one that was used last is the last. */
  readonly #sums = new Map<string | null, ProfileSum>();
  /** The sum of the lanes beyond the limit. */
  readonly #others = new ProfileSum();
  readonly #waiting: Waiting[] = [];
  #waitingGas = 0n;
  #working: Promise<void> | null = null;
  readonly #runs = new WeakMap<object, ProfileRuns>();
  readonly #onError: (error: unknown) => void;
  readonly #limits: ProfileLimits;

  /** `onError` is called with what ends the profiling of a block: a bug, since that work has no caller. */
  constructor(onError: (error: unknown) => void, limits: ProfileLimits = LIMITS) {
    this.#onError = onError;
    this.#limits = limits;
  }

  onBlock(block: Block, results: readonly ExecutionResult[], on: MeasuredChain): void {
    const gas = results.map(({ gasUsed }) => gasUsed);
    const total = gas.reduce((sum, each) => sum + each, 0n);
    const isFull = this.#waiting.length >= this.#limits.blocks || this.#waitingGas + total > this.#limits.gas;
    // A block that alone is beyond the limit is profiled when nothing else waits.
    if (isFull && this.#waiting.length > 0) {
      const sum = this.#sumOf(on.lane);
      sum.omitted += gas.length;
      for (const each of gas) sum.add(notProfiled(each), each);
      return;
    }
    this.#waiting.push({ held: on.chain.tracing.hold(block), gas, on, lane: on.lane });
    this.#waitingGas += total;
    this.#working ??= this.#work();
  }

  onRename(from: string, to: string): void {
    for (const waiting of this.#waiting) if (waiting.lane === from) waiting.lane = to;
    const renamed = this.#sums.get(from);
    if (renamed === undefined) return;
    this.#sums.delete(from);
    this.#sumOf(to).merge(renamed);
  }

  /** The number of transactions that wait to be profiled. */
  get waiting(): number {
    return this.#waiting.reduce((sum, { gas }) => sum + gas.length, 0);
  }

  #sumOf(lane: string | null): ProfileSum {
    const sum = this.#sums.get(lane) ?? new ProfileSum();
    this.#sums.delete(lane);
    this.#sums.set(lane, sum);
    if (this.lanes > this.#limits.lanes) this.#joinOldest();
    return sum;
  }

  /** The number of lanes with a sum of their own. */
  get lanes(): number {
    return this.#sums.size - (this.#sums.has(null) ? 1 : 0);
  }

  #joinOldest(): void {
    for (const [lane, sum] of this.#sums) {
      if (lane === null) continue;
      this.#others.merge(sum);
      this.#sums.delete(lane);
      return;
    }
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
    if (lane === null) all.merge(this.#others);
    for (const [name, sum] of this.#sums) {
      if (lane === null || lane === name) all.merge(sum);
    }
    const { transactions, total, omitted } = all;
    return { transactions, total, omitted, samples: [...all.samples.values()] };
  }

  async #work(): Promise<void> {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      await nextTurn();
      await this.#profile(next);
      this.#waiting.shift();
      for (const gas of next.gas) this.#waitingGas -= gas;
    }
    this.#working = null;
  }

  /** Profiles a block. A transaction that cannot be profiled is counted as a whole, so that the gas adds up. */
  async #profile(waiting: Waiting): Promise<void> {
    const { held, gas, on } = waiting;
    const { chain } = on;
    let next = 0;
    const count = (samples: readonly GasSample[], gasUsed: bigint): void => {
      // The lane can have another name meanwhile.
      this.#sumOf(waiting.lane).add(samples, gasUsed);
      next++;
    };
    try {
      const runs = await this.#runsOn(on);
      await chain.tracing.eachTransaction(held, async (index, run) => {
        const gasUsed = gas[index];
        if (gasUsed === undefined) return;
        const samples = await runs.samples(run, uninterrupted).catch((error: unknown) => {
          // One that does not run as it ran, or is too large to be looked at.
          if (error instanceof CodedError || error instanceof TraceMismatchError) return notProfiled(gasUsed);
          throw error;
        });
        count(samples, gasUsed);
      });
    } catch (error) {
      this.#onError(error);
    }
    for (const gasUsed of gas.slice(next)) count(notProfiled(gasUsed), gasUsed);
  }

  async #runsOn({ inspector }: MeasuredChain): Promise<ProfileRuns> {
    await (await inspector.artifacts.load()).ready();
    const { contracts } = await inspector.load();
    const runs = this.#runs.get(contracts) ?? new ProfileRuns(contracts);
    this.#runs.set(contracts, runs);
    return runs;
  }
}

/** The gas of a transaction of which nothing else is known. */
function notProfiled(gas: bigint): GasSample[] {
  return [{ calls: [NOT_PROFILED], line: null, gas }];
}
