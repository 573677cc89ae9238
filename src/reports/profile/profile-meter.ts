/** Profiles all transactions of a node and its lanes, after their responses are sent. */

import { type TracedBlock, TraceMismatchError } from '../../chain/execution/tracing.ts';
import type { ExecutionResult } from '../../evm/engine.ts';
import { CodedError } from '../../primitives/coded-error.ts';
import type { Block } from '../../protocol/block.ts';
import { type CancelCheck, neverCancelled, nextIteration } from '../../scheduling/cancel-check.ts';
import type { MeasuredChain, Meter } from '../meter.ts';
import type { GasSample } from './gas-profiler.ts';
import { ProfileRuns } from './profile-run.ts';

/** A block whose transactions wait to be profiled, with its parent state. */
interface Waiting {
  readonly held: TracedBlock;
  /** The gas of each transaction. */
  readonly gas: readonly bigint[];
  readonly on: MeasuredChain;
  /** The lane to report: its name when the block was created, or its new name after a rename. */
  lane: string | null;
}

/** Memory limits of the profiles. */
export interface ProfileLimits {
  /** Maximum blocks in the queue. Beyond this limit or the next one, transactions are not profiled. */
  readonly blocks: number;
  /** Maximum gas of the transactions in the queue. */
  readonly gas: bigint;
  /** Maximum lanes with separate sums. Beyond it, the least recently used lane only counts in the total. */
  readonly lanes: number;
}

/**
 * A block in the queue takes some kilobytes, or more if it left the chain, because it holds its states. This
 * much gas takes about three minutes to run again, and the node waits for it at shutdown.
 */
const LIMITS: ProfileLimits = { blocks: 10_000, gas: 5_000_000_000n, lanes: 256 };

const NOT_PROFILED = '<not profiled>';

/** Maximum separate stacks. Further gas is attributed to the outermost call of its stack. */
const MAX_STACKS = 200_000;

export interface ProfiledGas {
  readonly transactions: number;
  /** Gas of all transactions, as in their receipts. The samples add up to it. */
  readonly total: bigint;
  readonly samples: readonly GasSample[];
  /** Transactions that exceeded the queue. Their gas is in `<not profiled>`. */
  readonly omitted: number;
}

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
    else if (this.samples.size < MAX_STACKS || calls.length <= 1) this.samples.set(key, { calls, line, gas });
    else this.#add(calls.slice(0, 1), null, gas);
  }
}

/**
 * Runs each transaction again in the background with a profiler, on its original state. A block can therefore
 * leave the chain before it is profiled.
 */
export class ProfileMeter implements Meter {
  readonly needsFrames = false;
  /** By lane, `null` for the base chain. The most recently used lane is last. */
  readonly #sums = new Map<string | null, ProfileSum>();
  /** The sum of the lanes beyond the limit. */
  readonly #others = new ProfileSum();
  readonly #waiting: Waiting[] = [];
  #waitingGas = 0n;
  #working: Promise<void> | null = null;
  readonly #runs = new WeakMap<object, ProfileRuns>();
  readonly #onError: (error: unknown) => void;
  readonly #limits: ProfileLimits;

  /** `onError` receives bugs that end the profiling of a block. Background work has no other caller. */
  constructor(onError: (error: unknown) => void, limits: ProfileLimits = LIMITS) {
    this.#onError = onError;
    this.#limits = limits;
  }

  onBlock(block: Block, results: readonly ExecutionResult[], on: MeasuredChain): void {
    const gas = results.map(({ gasUsed }) => gasUsed);
    const total = gas.reduce((sum, each) => sum + each, 0n);
    const isFull = this.#waiting.length >= this.#limits.blocks || this.#waitingGas + total > this.#limits.gas;
    // A block that exceeds the limit alone is profiled if the queue is empty.
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

  /** The number of transactions in the queue. */
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

  /** The number of lanes with separate sums. */
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

  /** Resolves to the profile so far, or of one `lane`. Rejects with the error of `checkCancelled`. */
  async profiled(
    lane: string | null = null,
    checkCancelled: CancelCheck = neverCancelled,
  ): Promise<ProfiledGas> {
    while (this.#working !== null) {
      await Promise.race([this.#working, nextIteration()]);
      checkCancelled();
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
      await nextIteration();
      await this.#profile(next);
      this.#waiting.shift();
      for (const gas of next.gas) this.#waitingGas -= gas;
    }
    this.#working = null;
  }

  /** Profiles a block. A transaction that cannot be profiled counts as one sample, to add up the gas. */
  async #profile(waiting: Waiting): Promise<void> {
    const { held, gas, on } = waiting;
    const { chain } = on;
    let next = 0;
    const count = (samples: readonly GasSample[], gasUsed: bigint): void => {
      // The lane may have been renamed in the meantime.
      this.#sumOf(waiting.lane).add(samples, gasUsed);
      next++;
    };
    try {
      const runs = await this.#runsOn(on);
      await chain.tracing.eachTransaction(held, async (index, run) => {
        const gasUsed = gas[index];
        if (gasUsed === undefined) return;
        const samples = await runs.samples(run, neverCancelled).catch((error: unknown) => {
          // The transaction is too large to record, or it runs differently the second time.
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

/** Returns one sample with all gas of a transaction. */
function notProfiled(gas: bigint): GasSample[] {
  return [{ calls: [NOT_PROFILED], line: null, gas }];
}
