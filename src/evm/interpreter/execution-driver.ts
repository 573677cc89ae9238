// Runs a message on a machine, synchronously if possible.

import { type Awaitable, isPromise } from '../../primitives/awaitable.ts';
import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import { finish } from '../../primitives/steps.ts';
import { type CancelCheck, unlessCancelled } from '../../scheduling/cancel-check.ts';
import type { Yielder } from '../../scheduling/scheduler.ts';
import { SLICE_MILLISECONDS } from '../../scheduling/slice-length.ts';
import { runTask } from '../../scheduling/task.ts';
import { TimeSlice } from '../../scheduling/time-slice.ts';
import { MissingStateError } from '../../state/state-source.ts';
import { ConsoleRecorder } from '../console.ts';
import type { ExecutionResult } from '../engine.ts';
import { HALT_REASONS, MEMORY_LIMITS } from '../halt-reasons.ts';
import type { ExecutionTask } from './execution-task.ts';
import { Machine, type MachineOptions, OutOfMemoryError } from './machine.ts';
import { MachineObserver } from './machine-observer.ts';
import { MessageExecution } from './message-execution.ts';
import { END } from './protocol.ts';
import type { RunAhead } from './run-ahead.ts';
import type { Settlement } from './settlement.ts';

/** A machine without a message. `stamp` identifies the state of its accounts and slots. */
interface IdleMachine {
  readonly machine: Machine;
  readonly stamp: object;
}

/** Maximum memory in bytes for accounts and slots that a machine keeps between messages. */
const KEPT_RECORD_BYTES = 24 << 20;
const MAX_IDLE = 2;

/**
 * Idle machines. A machine keeps its loaded accounts and slots for the next message on the same state.
 * A message that waits keeps its machine.
 */
export class MachinePool {
  readonly #options: MachineOptions;
  /** The most recently used machine is last. */
  #idle: IdleMachine[] = [];

  constructor(options: MachineOptions) {
    this.#options = options;
  }

  /** Returns a machine without data of a different state. */
  take(stamp: object, isObserved = false): Machine {
    // An observed message cannot restart, so data of earlier messages would change a low bound of its memory.
    if (isObserved && this.#options.memoryBound < MEMORY_LIMITS.execution) return new Machine(this.#options);
    const found = this.#idle.findLastIndex((idle) => idle.stamp === stamp);
    if (found >= 0) {
      const [idle] = this.#idle.splice(found, 1);
      if (idle !== undefined) return idle.machine;
    }
    const oldest = this.#idle.length < MAX_IDLE ? undefined : this.#idle.shift();
    if (oldest === undefined) return new Machine(this.#options);
    oldest.machine.exports.forgetState();
    return oldest.machine;
  }

  /** Returns a machine to the pool. Its accounts and slots belong to the state of `stamp`. */
  giveBack(machine: Machine, stamp: object): void {
    machine.close();
    if (machine.isLarge) return;
    const isLarge = machine.exports.recordBytes() > KEPT_RECORD_BYTES;
    if (isLarge) machine.exports.forgetState();
    this.#idle.push({ machine, stamp: isLarge ? {} : stamp });
    if (this.#idle.length > MAX_IDLE) this.#idle.shift();
  }
}

/** Callbacks of an execution. */
export interface ExecutionHooks {
  /** Called after the execution yielded. If it throws, the execution ends with that error. */
  readonly checkCancelled: CancelCheck | undefined;
  /** The time slices of the execution. */
  readonly yielder: Yielder;
  /** Restarts the message on another machine. */
  again(): Awaitable<ExecutionResult>;
  /**
   * Fetches a value that an observed execution waits for, and the values that it will miss next. An unobserved
   * execution finds them by {@link ahead} instead.
   */
  fetchAhead(missing: MissingStateError): Promise<void>;
  readonly ahead: RunAhead;
  /** True for an execution that only finds and fetches missing state. It changes no state, and has no result. */
  readonly isPrediction: boolean;
  /** Called with the contracts (20 bytes) that a transaction destroyed, if any. */
  onEnded(addresses: readonly Uint8Array[]): void;
}

/** Stands for the result of a prediction. */
const PREDICTED: ExecutionResult = {
  ...{ outcome: 'halt', haltReason: HALT_REASONS.outOfGas, effectiveGasPrice: 0n },
  ...{ gasUsed: 0n, gasPaid: 0n, gasBeforeRefund: 0n, stateGas: 0n, executionGas: 0n },
  ...{ returnData: EMPTY_BYTES, logs: [], createdAddress: null },
};

/**
 * Runs one message to its result: synchronously if possible, through promises if it waits for state or
 * yields. It owns its machine until it returns the result. After an error, the machine is discarded.
 */
export class ExecutionDriver {
  readonly #pool: MachinePool;
  readonly #task: ExecutionTask;
  readonly #hooks: ExecutionHooks;
  readonly #console = new ConsoleRecorder();
  readonly #observer: MachineObserver | null;
  readonly #machine: Machine;
  readonly #execution: MessageExecution;
  /** The stamp of the state of the machine's accounts and slots. */
  readonly #stamp: object;

  constructor(pool: MachinePool, task: ExecutionTask, hooks: ExecutionHooks) {
    this.#pool = pool;
    this.#task = task;
    this.#hooks = hooks;
    // Account records include their precompile, so records with moved precompiles must not be shared.
    this.#stamp = task.environment.movedPrecompiles === undefined ? task.state.stamp : {};
    this.#machine = pool.take(this.#stamp, task.observer !== null);
    this.#observer =
      task.observer === null
        ? null
        : new MachineObserver(this.#machine, task.observer, task.taken, hooks.yielder);
    this.#open(this.#machine, this.#observer);
    this.#execution = new MessageExecution(this.#machine, task);
  }

  /** Rejects with the error of `checkCancelled`. */
  execute(): Awaitable<ExecutionResult> {
    let end: number;
    try {
      end = this.#execution.begin();
    } catch (error) {
      return this.#failed(error);
    }
    if (end === END.suspended) return this.#again(this.#machine.awaited);
    if (end === END.notYet) return this.#run(false);
    return end === END.sliced ? this.#run(true) : this.#ended(end);
  }

  #open(machine: Machine, observer: MachineObserver | null): void {
    const { state, environment, message, purpose } = this.#task;
    const { yielder, ahead } = this.#hooks;
    // An observer must not see placeholders, or the same steps twice.
    const missing = observer === null && ahead.isAllowed ? ahead : null;
    machine.open({
      state,
      environment,
      message,
      purpose,
      observer,
      console: this.#console,
      yielder,
      missing,
    });
  }

  /** Restarts after the missing state is fetched. */
  #again(missing: MissingStateError): Promise<ExecutionResult> {
    if (this.#hooks.ahead.isMissing) return this.#restart();
    this.#machine.exports.dropChanges();
    return this.#fetchAndExecute(missing);
  }

  async #fetchAndExecute(missing: MissingStateError): Promise<ExecutionResult> {
    await this.#fetched(missing);
    this.#check();
    return this.execute();
  }

  /** Discards a run with missing values and its machine, and restarts after they are fetched. */
  #restart(): Promise<ExecutionResult> {
    this.#machine.close();
    return this.#fetchAndRestart();
  }

  #fetchAndRestart(): Promise<ExecutionResult> {
    const { again, ahead, checkCancelled } = this.#hooks;
    const { state, message } = this.#task;
    const fetched = ahead.fetch(() => state.predict(message));
    return againAfter(unlessCancelled(fetched, checkCancelled), checkCancelled, again);
  }

  /** Interruptible, because the upstream may take arbitrarily long to respond. */
  #fetched(missing: MissingStateError): Promise<void> {
    const { fetchAhead, checkCancelled } = this.#hooks;
    const fetched = this.#observer === null ? missing.fetch() : fetchAhead(missing);
    return unlessCancelled(fetched, checkCancelled);
  }

  /** Runs until the message ends, waits or its time slice ends. */
  #run(isNewSlice: boolean): Awaitable<ExecutionResult> {
    const { yielder, ahead } = this.#hooks;
    // The time is not read before the first slice, because most messages are short.
    let heldBefore = isNewSlice ? yielder.blockedFor() : Number.NaN;
    try {
      let end = this.#execution.run(isNewSlice);
      while (end === END.sliced) {
        const missing = this.#machine.takeAwaitedByPrecompile();
        if (missing !== undefined && !ahead.isMissing) return this.#fetchAndContinue(missing, true);
        if (missing !== undefined) ahead.add(missing);
        if (missing !== undefined || !ahead.mayContinue()) return this.#restart();
        const another = this.#observer === null ? yielder.preempted?.() : undefined;
        if (another !== undefined) return this.#beginAgain(another);
        const held = yielder.blockedFor();
        this.#execution.fitSlice(held - heldBefore);
        if (held >= SLICE_MILLISECONDS) return this.#yieldToOthers();
        heldBefore = held;
        end = this.#execution.run(true);
      }
      if (end === END.suspended && !ahead.isMissing)
        return this.#fetchAndContinue(this.#machine.awaited, false);
      return end === END.suspended ? this.#restart() : this.#ended(end);
    } catch (error) {
      return this.#failed(error);
    }
  }

  /** An error of a run with missing values can come from a placeholder, so the run is repeated. */
  #failed(error: unknown): Awaitable<ExecutionResult> {
    if (this.#hooks.ahead.isMissing) return this.#restart();
    if (error instanceof OutOfMemoryError) return this.#withoutMemory();
    // An entry of the access list is missing. The message has not started yet.
    if (error instanceof MissingStateError) return this.#again(error);
    throw error;
  }

  async #fetchAndContinue(missing: MissingStateError, isNewSlice: boolean): Promise<ExecutionResult> {
    await this.#fetched(missing);
    this.#check();
    return this.#run(isNewSlice);
  }

  /** Yields to other work. The machine is kept, unless this execution waits for admission. */
  #yieldToOthers(): Promise<ExecutionResult> {
    const admission = this.#hooks.yielder.admission?.();
    // An observer must not receive the same steps twice.
    if (admission === undefined || this.#observer !== null) return this.#continueLater(admission);
    return this.#beginAgain(admission);
  }

  /** Discards the machine, and restarts the message after the promise resolves. */
  #beginAgain(admission: Promise<void>): Promise<ExecutionResult> {
    const { again, checkCancelled, ahead } = this.#hooks;
    if (ahead.isMissing) return this.#restart();
    this.#machine.close();
    return againAfter(admission, checkCancelled, again);
  }

  async #continueLater(admission: Promise<void> | undefined): Promise<ExecutionResult> {
    if (admission !== undefined) await admission;
    await this.#hooks.yielder.wait();
    this.#check();
    return this.#run(true);
  }

  /** Discards the machine if the result is no longer needed. */
  #check(): void {
    try {
      this.#hooks.checkCancelled?.();
    } catch (error) {
      this.#machine.close();
      throw error;
    }
  }

  #ended(end: number): Awaitable<ExecutionResult> {
    const { ahead, isPrediction } = this.#hooks;
    if (!ahead.isMissing && !isPrediction) return this.#settle(end);
    this.#machine.discardMessage();
    this.#pool.giveBack(this.#machine, {});
    return ahead.isMissing ? this.#fetchAndRestart() : PREDICTED;
  }

  #settle(end: number): Awaitable<ExecutionResult> {
    this.#machine.endPlaceholders();
    // Other work may have changed the state while the message waited.
    const isMixed = this.#task.state.stamp !== this.#stamp;
    const settle = this.#execution.settle(end);
    const settled = runTask(settle, new TimeSlice(() => this.#check(), undefined, this.#hooks.yielder));
    if (!isPromise(settled)) return this.#settled(settled, isMixed);
    return settled.then(
      (settlement) => this.#settled(settlement, isMixed),
      (error: unknown) => {
        if (error instanceof OutOfMemoryError) return this.#withoutMemory();
        throw error;
      },
    );
  }

  #settled({ result, ended }: Settlement, isMixed: boolean): ExecutionResult {
    const { state, purpose, ruleSet } = this.#task;
    this.#machine.keepCounts();
    if (purpose === 'transaction' && ended.length > 0 && ruleSet.creations.isTakenUntilBlockEnds) {
      this.#hooks.onEnded(ended);
    }
    const after = purpose === 'call' ? this.#stamp : state.stamp;
    this.#pool.giveBack(this.#machine, isMixed ? {} : after);
    return this.#withConsole(result);
  }

  /** Adds the console output for every outcome. */
  #withConsole(result: ExecutionResult): ExecutionResult {
    const { record } = this.#console;
    return record === undefined ? result : { ...result, console: record };
  }

  /**
   * Result of a message that exceeded the memory limit: it halts. If the machine had run earlier messages,
   * the message is first restarted on a new machine, so that the result depends only on the message. The
   * machine is discarded.
   */
  #withoutMemory(): Awaitable<ExecutionResult> {
    if (this.#hooks.isPrediction) {
      this.#machine.close();
      return PREDICTED;
    }
    this.#observer?.giveUp(HALT_REASONS.outOfMemory);
    const { isNew } = this.#machine;
    this.#machine.close();
    return isNew || this.#observer !== null ? this.#halted() : this.#hooks.again();
  }

  /** Returns a halt that uses up all gas. */
  #halted(): ExecutionResult {
    const machine = this.#pool.take(this.#stamp);
    this.#open(machine, null);
    machine.endPlaceholders();
    const execution = new MessageExecution(machine, this.#task);
    execution.beginWithoutRunning();
    const { result } = finish(execution.settle(END.outOfMemory));
    this.#pool.giveBack(machine, {});
    return this.#withConsole(result);
  }
}

/** Not a method, because the pending promise would keep the driver and its machine in memory. */
async function againAfter(
  admission: Promise<void>,
  checkCancelled: CancelCheck | undefined,
  again: () => Awaitable<ExecutionResult>,
): Promise<ExecutionResult> {
  await admission;
  checkCancelled?.();
  return again();
}
