// The execution of one message on one machine.

import type { Steps } from '../../primitives/steps.ts';
import { type EntryGas, entryGas, type GasPrice, gasPrice } from '../admission.ts';
import { type SignedAuthorization, signedAuthorizations } from '../authorizations.ts';
import { type ExecutionObserver, reportUnstarted } from '../observer.ts';
import { applyAuthorizations } from './authorizations.ts';
import { type ExecutionTask, writeContext } from './execution-task.ts';
import type { Machine } from './machine.ts';
import { CONTEXT, END, FLAG } from './protocol.ts';
import { type Settlement, settle } from './settlement.ts';

/** Access-list entries to warm between two time checks (a few milliseconds). */
const WARMED_AT_ONCE = 512;

const HIGHEST_GAS = 2n ** 63n - 1n;

/** Gas between two reads of the clock. At the end of a slice, V8 can also switch to optimized code. */
interface SliceSizes {
  readonly first: bigint;
  readonly least: bigint;
  readonly most: bigint;
}

const SLICE: SliceSizes = { first: 500_000n, least: 20_000n, most: 2_000_000n };

/** Smaller, because reporting a step takes some hundred times as long as executing it. */
const OBSERVED_SLICE: SliceSizes = { first: 20_000n, least: 1_000n, most: 200_000n };

const NO_STEPS: ReadonlySet<number> = new Set();

/** The event levels of the interpreter. */
const REPORT = { nothing: 0, frames: 1, logs: 2, steps: 3, trail: 4 } as const;

function reportLevel(observer: ExecutionObserver | null): number {
  if (observer === null) return REPORT.nothing;
  if (observer.wantsFramesOnly === true) return REPORT.frames;
  if (observer.trail !== undefined) return REPORT.trail;
  return observer.step === undefined && observer.fault === undefined ? REPORT.logs : REPORT.steps;
}

/** Milliseconds. A shorter slice doubles the next one; a slice over four times as long halves it. */
const SHORT_SLICE = 0.5;

/**
 * One message on one machine: prepare, run in slices, settle. The driver calls {@link MessageExecution.begin}
 * until it does not suspend, then {@link MessageExecution.run} until the message ends, then
 * {@link MessageExecution.settle}.
 */
export class MessageExecution {
  readonly #machine: Machine;
  readonly #task: ExecutionTask;
  readonly #price: GasPrice;
  readonly #gasLimit: bigint;
  /** The gas of the message after the intrinsic gas. */
  readonly #entryGas: EntryGas;
  readonly #sliceSizes: SliceSizes;
  #slice: bigint;
  readonly #authorizations: readonly SignedAuthorization[];
  /** Warms the access list; undefined if complete or empty. */
  #warming: Iterator<undefined, void> | undefined;
  #isPrepared = false;
  /** False while the precompile called by the message still prepares its result. */
  #isStarted = false;

  constructor(machine: Machine, task: ExecutionTask) {
    this.#machine = machine;
    this.#task = task;
    const { message, ruleSet, baseFeePerGas, chainId, impersonatedSigner } = task;
    this.#price = gasPrice(message, baseFeePerGas);
    this.#gasLimit = message.gasLimit < HIGHEST_GAS ? message.gasLimit : HIGHEST_GAS;
    this.#entryGas = entryGas(ruleSet, this.#gasLimit, task.startingGas.intrinsic, message.stateReservoir);
    this.#sliceSizes = reportLevel(task.observer) >= REPORT.steps ? OBSERVED_SLICE : SLICE;
    this.#slice = this.#sliceSizes.first;
    this.#authorizations =
      message.authorizationList.length === 0
        ? []
        : signedAuthorizations(message.authorizationList, chainId, impersonatedSigner);
  }

  /**
   * Buys the gas and starts the message. Returns an `END`. Throws {@link MissingStateError} before any change
   * if state must be fetched first.
   */
  begin(): number {
    this.#prepare();
    return this.#continuePreparing();
  }

  /** Adjusts the slice size to the duration of the last slice, in milliseconds. */
  fitSlice(milliseconds: number): void {
    const { least, most } = this.#sliceSizes;
    if (milliseconds < SHORT_SLICE && this.#slice < most) this.#slice *= 2n;
    else if (milliseconds > 4 * SHORT_SLICE && this.#slice > least) this.#slice /= 2n;
  }

  /** Buys the gas of a message that does not run, because it exceeded the memory of another machine. */
  beginWithoutRunning(): void {
    this.#prepare();
    const { memory, exports } = this.#machine;
    // This halt uses up the state gas too.
    memory.setLimb(exports.CONTEXT.value + CONTEXT.reservoir, 0n);
    exports.enter();
  }

  #prepare(): void {
    const { observer, message } = this.#task;
    const { data, accessList } = message;
    const machine = this.#machine;
    const { memory, exports } = machine;
    const amounts = { price: this.#price, entryGas: this.#entryGas, slice: this.#slice };
    writeContext(machine, this.#task, amounts);
    const level = reportLevel(observer);
    if (level >= REPORT.steps)
      machine.wantSteps(observer?.step === undefined ? NO_STEPS : observer.wantedSteps);
    const target = exports.beginMessage(data.length, level);
    memory.refresh();
    if (data.length > 0) memory.set(target, data);
    const areFetched = exports.fetchParties() !== 0;
    memory.refresh();
    if (!areFetched) throw machine.awaited;
    if (this.#authorizations.length > 0)
      for (const { authority } of this.#authorizations) machine.account(authority);
    for (const { address } of message.inside?.transientStorage ?? []) machine.account(address);
    this.#isPrepared = false;
    const warms = accessList.length > 0 && this.#task.ruleSet.accessListsWarm;
    this.#warming = warms ? this.#warmDeclared() : undefined;
  }

  /** Warms the access list and returns `END.sliced` until it is complete. Then starts the message. */
  #continuePreparing(): number {
    if (this.#warming?.next().done === false) return END.sliced;
    this.#warming = undefined;
    const machine = this.#machine;
    if (this.#task.taken.length > 0)
      for (const address of this.#task.taken) machine.setFlag(machine.account(address), FLAG.taken);
    machine.exports.enter();
    const { inside } = this.#task.message;
    if (inside !== undefined) machine.enterTransaction(inside);
    this.#isPrepared = true;
    if (this.#authorizations.length > 0 && !this.#followAuthorizations()) {
      this.#isStarted = true;
      machine.exports.undoEntry();
      const { observer, message } = this.#task;
      if (observer !== null) reportUnstarted(observer, message, this.#entryGas.gas);
      return END.outOfGas;
    }
    return this.#start();
  }

  /** Applies the authorizations. Returns false if the gas is not sufficient. */
  #followAuthorizations(): boolean {
    const machine = this.#machine;
    const { message, ruleSet } = this.#task;
    const authorized = applyAuthorizations(machine, this.#authorizations, this.#entryGas, message, ruleSet);
    if (authorized === undefined) return false;
    const { memory, exports } = machine;
    const context = exports.CONTEXT.value;
    memory.setLimb(context + CONTEXT.gas, authorized.gas);
    memory.setLimb(context + CONTEXT.reservoir, authorized.reservoir);
    memory.setLimb(context + CONTEXT.stateGas, authorized.stateGas);
    memory.setLimb(context + CONTEXT.refund, authorized.refund);
    return true;
  }

  /** Continues the message after a fetch or with a new slice of gas. Returns an `END`. */
  run(isNewSlice: boolean): number {
    const machine = this.#machine;
    if (!this.#isStarted) {
      machine.memory.refresh();
      const end = this.#isPrepared ? this.#start() : this.#continuePreparing();
      if (end !== END.notYet) return end;
    } else if (isNewSlice) {
      machine.exports.allowSlice(this.#slice);
    }
    return machine.exports.run();
  }

  /** Settles a message with this `END`; see {@link settle}. */
  settle(end: number): Steps<Settlement> {
    const ended = {
      machine: this.#machine,
      task: this.#task,
      price: this.#price,
      gasLimit: this.#gasLimit,
      end,
    };
    return settle(ended);
  }

  /** EIP-2930 */
  *#warmDeclared(): Generator<undefined, void, undefined> {
    const machine = this.#machine;
    let warmed = 0;
    for (const { address, storageKeys } of this.#task.message.accessList) {
      const account = machine.account(address);
      machine.warm(account);
      if (++warmed % WARMED_AT_ONCE === 0) yield;
      for (const key of storageKeys) {
        machine.warmSlot(machine.slot(account, key));
        if (++warmed % WARMED_AT_ONCE === 0) yield;
      }
    }
  }

  #start(): number {
    const end = this.#machine.exports.start();
    this.#isStarted = end !== END.sliced && end !== END.suspended;
    return end;
  }
}
