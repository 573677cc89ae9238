// The execution of one message on one machine.

import { blobCost } from '../../protocol/blobs.ts';
import type { Awaitable } from '../../scheduling/task.ts';
import type { WorkPieces } from '../../scheduling/work-pieces.ts';
import { blobFee, type GasPrice, gasPrice } from '../admission.ts';
import {
  type EntryGas,
  entryGas,
  type SignedAuthorization,
  signedAuthorizations,
} from '../authorizations.ts';
import type { ExecutionObserver } from '../observer.ts';
import { applyAuthorizations } from './authorizations.ts';
import { type ExecutionTask, writeContext } from './execution-task.ts';
import type { Machine } from './machine.ts';
import { END, FLAG } from './protocol.ts';
import { type Parties, type Settlement, settle } from './settlement.ts';

/** Declared accounts and slots that are made warm at once: a few milliseconds. */
const WARMED_AT_ONCE = 512;

const HIGHEST_GAS = 2n ** 63n - 1n;

/** The gas after which the clock is read. At these points V8 can also switch to better code. */
interface SliceSizes {
  readonly first: bigint;
  readonly least: bigint;
  readonly most: bigint;
}

const SLICE: SliceSizes = { first: 500_000n, least: 20_000n, most: 2_000_000n };

/** Smaller slices for observed messages, because reporting a step takes some hundred times as long as the step. */
const OBSERVED_SLICE: SliceSizes = { first: 20_000n, least: 1_000n, most: 200_000n };

const NO_STEPS: ReadonlySet<number> = new Set();

/** The events that the interpreter reports. */
const REPORT = { nothing: 0, frames: 1, logs: 2, steps: 3, trail: 4 } as const;

function reportLevel(observer: ExecutionObserver | null): number {
  if (observer === null) return REPORT.nothing;
  if (observer.wantsFramesOnly === true) return REPORT.frames;
  if (observer.trail !== undefined) return REPORT.trail;
  return observer.step === undefined && observer.fault === undefined ? REPORT.logs : REPORT.steps;
}

/** A slice that took less than this many milliseconds is doubled; one that took more than four times that is halved. */
const SHORT_SLICE = 0.5;

/**
 * One message on one machine: it is prepared, run in slices, and settled. Its driver calls
 * {@link MessageExecution.begin} until it does not suspend, then {@link MessageExecution.run} until the message has
 * ended, then {@link MessageExecution.settle}.
 */
export class MessageExecution {
  readonly #machine: Machine;
  readonly #task: ExecutionTask;
  readonly #price: GasPrice;
  readonly #gasLimit: bigint;
  /** The gas that the message has when its intrinsic gas is paid. */
  readonly #entryGas: EntryGas;
  #gasAtStart = 0n;
  readonly #sliceSizes: SliceSizes;
  #slice: bigint;
  readonly #authorizations: readonly SignedAuthorization[];
  #parties: Parties | undefined;
  /** Makes warm what the message declares; `undefined` when all of it is, or nothing has to be. */
  #warming: Iterator<undefined, void> | undefined;
  #isPrepared = false;
  /** False as long as the precompile that the message itself calls has more to prepare. */
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
   * Buys the gas and starts the message. Returns a number of `END`. Throws {@link MissingStateError}, with nothing
   * changed, when something must be fetched first.
   */
  begin(): number {
    this.#prepare();
    return this.#goOnPreparing();
  }

  /** Adjusts the size of the slices to the duration of the last one, in milliseconds. */
  fitSlice(milliseconds: number): void {
    const { least, most } = this.#sliceSizes;
    if (milliseconds < SHORT_SLICE && this.#slice < most) this.#slice *= 2n;
    else if (milliseconds > 4 * SHORT_SLICE && this.#slice > least) this.#slice /= 2n;
  }

  /** Buys the gas of a message that is not executed, because it exceeded the memory of another machine. */
  beginWithoutRunning(): void {
    this.#prepare();
    this.#buyGas(this.#found.sender);
  }

  #prepare(): void {
    const { observer, message, ruleSet } = this.#task;
    const machine = this.#machine;
    const { data } = message;
    writeContext(machine, this.#task, this.#price.price);
    const level = reportLevel(observer);
    if (level >= REPORT.steps)
      machine.wantSteps(observer?.step === undefined ? NO_STEPS : observer.wantedSteps);
    const target = machine.exports.beginMessage(data.length, level);
    machine.memory.refresh();
    machine.setBlobHashes(message.blobVersionedHashes);
    if (data.length > 0) machine.memory.set(target, data);
    const parties = this.#fetchParties();
    this.#parties = parties;
    this.#isPrepared = false;
    this.#warming = undefined;
    if (ruleSet.gas.access !== null) this.#warmAccounts(parties);
  }

  /** Starts the message when all that it declares is warm; gives `END.sliced` as long as it is not. */
  #goOnPreparing(): number {
    if (this.#warming?.next().done === false) return END.sliced;
    this.#warming = undefined;
    const machine = this.#machine;
    const parties = this.#found;
    if (this.#task.taken.length > 0)
      for (const address of this.#task.taken) machine.setFlag(machine.account(address), FLAG.taken);
    this.#buyGas(parties.sender);
    this.#isPrepared = true;
    if (!this.#followAuthorizations()) {
      this.#isStarted = true;
      machine.exports.undoEntry();
      return END.outOfGas;
    }
    return this.#start(parties);
  }

  /** Applies the authorizations. Returns false when the message cannot pay for them. */
  #followAuthorizations(): boolean {
    const machine = this.#machine;
    const { message, ruleSet } = this.#task;
    const { state } = ruleSet.gas;
    machine.setCell(0, this.#entryGas.reservoir);
    machine.exports.beginEntry();
    const authorized = applyAuthorizations(machine, this.#authorizations, this.#entryGas, message, state);
    if (authorized === undefined) return false;
    this.#gasAtStart = authorized.gas;
    machine.setCell(0, authorized.refund);
    machine.exports.beginRefund();
    if (state === null) return true;
    machine.setCell(0, authorized.reservoir);
    machine.setCell(1, authorized.stateGas);
    machine.exports.goOnWithEntry();
    return true;
  }

  /** Continues the message: after something was fetched, or with another slice of gas. Returns a number of `END`. */
  run(isNewSlice: boolean): number {
    const machine = this.#machine;
    if (!this.#isStarted) {
      machine.memory.refresh();
      const end = this.#isPrepared ? this.#start(this.#found) : this.#goOnPreparing();
      if (end !== END.notYet) return end;
    } else if (isNewSlice) {
      machine.memory.refresh();
      machine.setCell(1, this.#slice);
      machine.exports.allowSlice();
    }
    return machine.exports.run();
  }

  /** Settles the message that ended in that way; see {@link settle}. */
  settle(end: number, pieces: WorkPieces): Awaitable<Settlement> {
    const ended = {
      machine: this.#machine,
      task: this.#task,
      parties: this.#found,
      price: this.#price,
      gasLimit: this.#gasLimit,
      end,
    };
    return settle(ended, pieces);
  }

  get #found(): Parties {
    if (this.#parties === undefined) throw new Error('the message has not started');
    return this.#parties;
  }

  #fetchParties(): Parties {
    const { message, environment } = this.#task;
    const machine = this.#machine;
    const sender = machine.account(message.sender);
    const feeRecipient = machine.account(environment.feeRecipient ?? environment.coinbase);
    if (this.#authorizations.length > 0)
      for (const { authority } of this.#authorizations) machine.account(authority);
    if (message.to !== null) return { sender, feeRecipient, target: machine.account(message.to) };
    machine.setCell(0, this.#nonceOf(sender));
    const word = machine.exports.createdAddress(sender);
    return { sender, feeRecipient, target: machine.account(machine.memory.wordBytes(word, 20)) };
  }

  /** Returns the nonce of the message: its own, or the sender's when nonces are not checked. */
  #nonceOf(sender: number): bigint {
    const { message, purpose } = this.#task;
    return purpose === 'transaction' ? message.nonce : this.#machine.nonce(sender);
  }

  /** EIP-2929, EIP-2930, EIP-3651 */
  #warmAccounts({ sender, feeRecipient, target }: Parties): void {
    const { message, ruleSet } = this.#task;
    const machine = this.#machine;
    machine.warm(sender);
    machine.warm(target);
    if (ruleSet.gas.access?.isCoinbaseWarm === true) machine.warm(feeRecipient);
    if (message.accessList.length > 0) this.#warming = this.#warmDeclared();
  }

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

  /** Buys the gas, and the blob gas of a transaction. In a call, a sender without sufficient funds gets them. */
  #buyGas(sender: number): void {
    const { message, purpose, environment } = this.#task;
    const machine = this.#machine;
    let balance = machine.balance(sender);
    if (purpose === 'call') {
      const needed = message.gasLimit * message.maxFeePerGas + message.value + blobCost(message);
      if (balance < needed) balance = needed;
    }
    const cost = message.gasLimit * this.#price.price + blobFee(message, environment);
    machine.setAccount(sender, balance - cost, machine.nonce(sender) + 1n);
  }

  #start({ sender, target }: Parties): number {
    const { message } = this.#task;
    const machine = this.#machine;
    const { exports } = machine;
    const { length } = message.data;
    machine.setCell(0, this.#gasAtStart);
    machine.setCell(1, this.#slice);
    const end =
      message.to === null
        ? exports.startCreation(sender, target, length)
        : exports.startCall(sender, target, length);
    this.#isStarted = end !== END.sliced && end !== END.suspended;
    return end;
  }
}
