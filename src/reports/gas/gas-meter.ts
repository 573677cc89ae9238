/** Measures the gas of all transactions of a node and its lanes, by contract and function. */

import type { ExecutionResult } from '../../evm/engine.ts';
import type { FrameRecord } from '../../evm/frame-recorder.ts';
import type { LazyInspector } from '../../inspect/lazy-inspector.ts';
import type { Block } from '../../protocol/block.ts';
import { nextIteration } from '../../scheduling/cancel-check.ts';
import type { MeasuredChain, Meter } from '../meter.ts';
import { CodeBook, GasTally } from './gas-tally.ts';
import { GasNaming, NamedGas } from './named-gas.ts';

/** Maximum lanes with separate figures. Later lanes only count in the total. */
const MAX_LANES = 256;
/** If there are more codes than this, the meter names the known ones and releases their bytes. */
const MAX_CODES = 1000;
/** Frames to sum per time slice. */
const FRAMES_PER_TURN = 5_000;

/** The gas measured on one lane. */
class LaneGas {
  /** `null` for the base chain. */
  name: string | null;
  /** The sums since the last report. */
  tally = new GasTally();
  /** The sums sealed for the report in progress. No other code reads them. */
  earlier = new GasTally();
  /** The sums of earlier reports, by contract and function names. */
  readonly named = new NamedGas();

  constructor(name: string | null) {
    this.name = name;
  }

  /** Adds all counts of the other lane. The other lane is not used afterwards. */
  merge({ tally, earlier, named }: LaneGas): void {
    this.tally.merge(tally);
    this.earlier.merge(earlier);
    this.named.merge(named);
  }

  /** Moves the current sums to `earlier`, so that new transactions do not change a report in progress. */
  seal(): void {
    this.earlier.merge(this.tally);
    this.tally = new GasTally();
  }
}

/** Frames that are not yet summed. */
interface Waiting {
  readonly record: FrameRecord;
  on: LaneGas;
  /** The index of the next frame. */
  next: number;
}

/** The gas of a lane, of the base chain (`null`), or of all lanes beyond the limit. */
export interface GasOfLane {
  readonly lane: string | null;
  readonly gas: NamedGas;
}

export interface MeasuredGas {
  readonly all: NamedGas;
  /** The base chain first, if it has transactions; then the lanes by name. */
  readonly lanes: readonly GasOfLane[];
  /** True if there were more lanes than listed. */
  readonly hasMoreLanes: boolean;
}

/** Sums gas by code and selector after each block. Names are resolved when a report is requested. */
export class GasMeter implements Meter {
  readonly needsFrames = true;
  /** Several can have the same name until a renamed lane is merged. */
  readonly #lanes: LaneGas[] = [];
  /** The lane that new gas is added to, by lane name. */
  readonly #byName = new Map<string | null, LaneGas>();
  /** The total gas of the lanes beyond the limit. */
  readonly #others = new LaneGas(null);
  #codes = new CodeBook();
  readonly #waiting: Waiting[] = [];
  #summing: Promise<void> | null = null;
  /** Settles after the previous naming, so that only one runs at a time. */
  #naming: Promise<unknown> = Promise.resolve();
  #isNamingAsked = false;
  #maxCodes: number;
  readonly #onError: (error: unknown) => void;

  /** `onError` receives errors of background work. These are bugs, because background work has no caller. */
  constructor(onError: (error: unknown) => void, maxCodes = MAX_CODES) {
    this.#onError = onError;
    this.#maxCodes = maxCodes;
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
    if (this.#codes.size > this.#maxCodes && !this.#isNamingAsked) this.#nameLater(inspector);
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

  /** Merges a lane into the earlier lane of the same name, while no report reads them. */
  #mergeLater(renamed: LaneGas, known: LaneGas): void {
    this.#inTurn(async () => {
      known.merge(renamed);
      for (const waiting of this.#waiting) if (waiting.on === renamed) waiting.on = known;
      this.#lanes.splice(this.#lanes.indexOf(renamed), 1);
    }).catch(this.#onError);
  }

  /** Resolves to the gas measured so far on all lanes. */
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

  /** Waits until all frames are summed, and seals the sums. */
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
    if (lane !== null && this.#byName.size > MAX_LANES) return this.#others;
    const made = new LaneGas(lane);
    this.#lanes.push(made);
    this.#byName.set(lane, made);
    return made;
  }

  /** Sums the waiting frames in time slices, so that the response to a long transaction is not delayed. */
  async #sumUp(): Promise<void> {
    while (this.#waiting.length > 0) {
      await nextIteration();
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

  /** Returns the number of summed frames. */
  #sumUpSome(waiting: Waiting, most: number): number {
    const { record, on, next } = waiting;
    const end = Math.min(record.frames.length, next + most);
    for (const frame of record.frames.slice(next, end)) on.tally.addFrame(frame, record, this.#codes);
    waiting.next = end;
    return end - next;
  }

  /** Names the current sums, so that the bytes of their codes can be released. */
  #nameLater(inspector: LazyInspector): void {
    this.#isNamingAsked = true;
    this.#inTurn(() => this.#nameAll(inspector))
      .catch((error: unknown) => {
        // The codes are kept and named at the next report. Double the limit, so that the next block does not
        // retry.
        this.#maxCodes = 2 * this.#codes.size;
        this.#onError(error);
      })
      .finally(() => {
        this.#isNamingAsked = false;
      });
  }

  /** Replaces the tallies by named gas. Changes no tally if it rejects. */
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

  /** Runs work that reads sealed tallies after all earlier work of this kind. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const working = this.#naming.then(work);
    // A failure belongs to the caller of that work, not to the next one.
    this.#naming = working.catch(() => undefined);
    return working;
  }
}
