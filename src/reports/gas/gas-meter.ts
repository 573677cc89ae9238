/** Measures the gas of all transactions of a node and its lanes, by contract and function. */

import type { ExecutionResult } from '../../evm/engine.ts';
import type { FrameRecord } from '../../evm/frame-recorder.ts';
import type { LazyInspector } from '../../inspect/lazy-inspector.ts';
import type { Block } from '../../protocol/block.ts';
import { nextTurn } from '../../scheduling/interrupt.ts';
import type { MeasuredChain, Meter } from '../meter.ts';
import { CodeBook, GasTally } from './gas-tally.ts';
import { GasNaming, NamedGas } from './named-gas.ts';

/** Lanes that are measured by themselves; what runs on others is in the sum only. */
const MOST_LANES = 256;
/** Codes after which those that are known are given their names, so that their bytes need not be kept. */
const MOST_CODES = 1000;
/** Frames that are summed up in one turn of the event loop. */
const FRAMES_PER_TURN = 5_000;

/** The gas measured on one lane. */
class LaneGas {
  /** `null` for the base chain. */
  name: string | null;
  /** The sums since the last report. */
  tally = new GasTally();
  /** The tally of earlier transactions; only a report that is being made reads it. */
  earlier = new GasTally();
  /** The sums of earlier reports, under the names of contracts and functions. */
  readonly named = new NamedGas();

  constructor(name: string | null) {
    this.name = name;
  }

  /** Counts everything of the other too, which is not used any more. */
  merge({ tally, earlier, named }: LaneGas): void {
    this.tally.merge(tally);
    this.earlier.merge(earlier);
    this.named.merge(named);
  }

  /** Puts what was summed up until now where a report can read it, whatever comes meanwhile. */
  seal(): void {
    this.earlier.merge(this.tally);
    this.tally = new GasTally();
  }
}

/** Frames that are not summed up yet. */
interface Waiting {
  readonly record: FrameRecord;
  on: LaneGas;
  /** The index of the next frame. */
  next: number;
}

/** The gas of a lane, of the base chain (`null`), or of all lanes beyond those that are measured by themselves. */
export interface GasOfLane {
  readonly lane: string | null;
  readonly gas: NamedGas;
}

/** Everything that was measured. */
export interface MeasuredGas {
  readonly all: NamedGas;
  /** The base chain first, if anything ran there; then the lanes by name. */
  readonly lanes: readonly GasOfLane[];
  /** True when there were more lanes than are listed. */
  readonly hasMoreLanes: boolean;
}

/** Sums up gas by code and selector when a block is made; names come when a report is asked for. */
export class GasMeter implements Meter {
  readonly needsFrames = true;
  /** Several have one name for as long as those that were renamed are not merged. */
  readonly #lanes: LaneGas[] = [];
  /** The lane of each name that what runs there is added to. */
  readonly #byName = new Map<string | null, LaneGas>();
  /** The gas of the lanes beyond the limit, together. */
  readonly #others = new LaneGas(null);
  #codes = new CodeBook();
  readonly #waiting: Waiting[] = [];
  #summing: Promise<void> | null = null;
  /** Settles when the naming before is done, so that there is one at a time. */
  #naming: Promise<unknown> = Promise.resolve();
  #isNamingAsked = false;
  #mostCodes: number;
  readonly #onError: (error: unknown) => void;

  /** `onError` is called with what ends work in the background: a bug, since that work has no caller. */
  constructor(onError: (error: unknown) => void, mostCodes = MOST_CODES) {
    this.#onError = onError;
    this.#mostCodes = mostCodes;
  }

  onBlock(block: Block, results: readonly ExecutionResult[], { lane, inspector }: MeasuredChain): void {
    const on = this.#laneOf(lane);
    for (const [index, result] of results.entries()) {
      const transaction = block.transactions[index];
      if (transaction === undefined) continue;
      on.tally.addTransaction(transaction, result, this.#codes);
      const { frames: record } = result;
      if (record !== undefined && record.frames.length > 1) this.#waiting.push({ record, on, next: 1 });
    }
    if (this.#waiting.length > 0) this.#summing ??= this.#sumUp();
    if (this.#codes.size > this.#mostCodes && !this.#isNamingAsked) this.#nameLater(inspector);
  }

  onRename(from: string, to: string): void {
    const renamed = this.#byName.get(from);
    if (renamed === undefined || from === to) return;
    renamed.name = to;
    this.#byName.delete(from);
    const known = this.#byName.get(to);
    if (known === undefined) this.#byName.set(to, renamed);
    else this.#mergeLater(renamed, known);
  }

  /** Merges a lane into the one that had its name before, when no report is made of the two. */
  #mergeLater(renamed: LaneGas, known: LaneGas): void {
    this.#inTurn(async () => {
      known.merge(renamed);
      for (const waiting of this.#waiting) if (waiting.on === renamed) waiting.on = known;
      this.#lanes.splice(this.#lanes.indexOf(renamed), 1);
    }).catch(this.#onError);
  }

  /** Resolves to what was measured until now on all lanes. */
  measured(inspector: LazyInspector): Promise<MeasuredGas> {
    return this.#inTurn(() => this.#measure(inspector));
  }

  async #measure(inspector: LazyInspector): Promise<MeasuredGas> {
    const naming = await this.#seal(inspector);
    const all = new NamedGas();
    const lanes: GasOfLane[] = [];
    for (const on of [...this.#lanes, this.#others]) {
      const gas = new NamedGas();
      gas.merge(on.named);
      await naming.add(on.earlier, gas);
      all.merge(gas);
      if (on === this.#others || gas.transactions.isEmpty) continue;
      const same = lanes.find(({ lane }) => lane === on.name);
      if (same === undefined) lanes.push({ lane: on.name, gas });
      else same.gas.merge(gas);
    }
    lanes.sort((left, right) => ((left.lane ?? '') < (right.lane ?? '') ? -1 : 1));
    const { named, earlier } = this.#others;
    return { all, lanes, hasMoreLanes: !named.transactions.isEmpty || !earlier.transactions.isEmpty };
  }

  /** Waits until all frames are summed up, and seals what there is then. */
  async #seal(inspector: LazyInspector): Promise<GasNaming> {
    await (await inspector.artifacts.load()).ready();
    const { contracts } = await inspector.load();
    while (this.#summing !== null) await this.#summing;
    for (const on of [...this.#lanes, this.#others]) on.seal();
    return new GasNaming(contracts, this.#codes);
  }

  #laneOf(lane: string | null): LaneGas {
    const known = this.#byName.get(lane);
    if (known !== undefined) return known;
    if (lane !== null && this.#byName.size > MOST_LANES) return this.#others;
    const made = new LaneGas(lane);
    this.#lanes.push(made);
    this.#byName.set(lane, made);
    return made;
  }

  /** Sums up the frames that wait, in pieces, so that the answer to a long transaction does not wait for it. */
  async #sumUp(): Promise<void> {
    while (this.#waiting.length > 0) {
      await nextTurn();
      try {
        let left = FRAMES_PER_TURN;
        for (let first = this.#waiting[0]; left > 0 && first !== undefined; first = this.#waiting[0]) {
          left -= this.#sumUpSome(first, left);
          if (first.next >= first.record.frames.length) this.#waiting.shift();
        }
      } catch (error) {
        this.#waiting.shift();
        this.#onError(error);
      }
    }
    this.#summing = null;
  }

  /** Returns the number of frames that were summed up. */
  #sumUpSome(waiting: Waiting, most: number): number {
    const { record, on, next } = waiting;
    const end = Math.min(record.frames.length, next + most);
    for (const frame of record.frames.slice(next, end)) on.tally.addFrame(frame, record, this.#codes);
    waiting.next = end;
    return end - next;
  }

  /** Names what there is for good, so that the bytes of its codes can be let go. */
  #nameLater(inspector: LazyInspector): void {
    this.#isNamingAsked = true;
    this.#inTurn(() => this.#nameAll(inspector))
      .catch((error: unknown) => {
        // The codes are kept then, and named when a report is made; the next attempt is not made at the next block.
        this.#mostCodes = 2 * this.#codes.size;
        this.#onError(error);
      })
      .finally(() => {
        this.#isNamingAsked = false;
      });
  }

  /** Replaces the tallies by named gas. Leaves them as they are when it rejects. */
  async #nameAll(inspector: LazyInspector): Promise<void> {
    const names = await this.#seal(inspector);
    const before = this.#codes;
    this.#codes = new CodeBook();
    const named: { readonly on: LaneGas; readonly gas: NamedGas }[] = [];
    try {
      for (const on of [...this.#lanes, this.#others]) {
        const gas = new NamedGas();
        await names.add(on.earlier, gas);
        named.push({ on, gas });
      }
    } catch (error) {
      this.#codes.addAll(before);
      throw error;
    }
    for (const { on, gas } of named) {
      on.named.merge(gas);
      on.earlier = new GasTally();
    }
  }

  /** Does what reads the sealed tallies when all such work before it is done. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const working = this.#naming.then(work);
    // A failure belongs to the caller of that work, not to the next one.
    this.#naming = working.catch(() => undefined);
    return working;
  }
}
