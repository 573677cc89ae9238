import { type CheckInterrupt, unlessInterrupted } from '../../primitives/interrupt.ts';
import { SLICE_MILLISECONDS, type Turns } from '../../primitives/scheduler.ts';
import type { Awaitable } from '../../primitives/task.ts';
import { MissingStateError } from '../../state/state-source.ts';
import { ConsoleRecorder } from '../console/console-record.ts';
import type { ExecutionResult } from '../engine.ts';
import { HALT_REASONS } from '../engine.ts';
import type { ContextWriter, ExecutionTask } from './execution-task.ts';
import { type Machine, OutOfMemoryError } from './machine.ts';
import { MachineObserver } from './machine-observer.ts';
import type { MachinePool } from './machine-pool.ts';
import { MessageExecution } from './message-execution.ts';
import { END } from './protocol.ts';

/** The hooks of an execution into its engine. */
export interface ExecutionHooks {
  /** Called when others have been heard; what it throws ends the execution. */
  readonly checkInterrupt: CheckInterrupt | undefined;
  /** The turns that the execution takes among other work. */
  readonly turns: Turns;
  /** Executes the message from the beginning, on another machine. */
  again(): Awaitable<ExecutionResult>;
  /** Told which contracts (20 bytes) a transaction ended, if there are any. */
  onEnded(addresses: readonly Uint8Array[]): void;
}

/**
 * Drives one message from its beginning to its result: at once when it can, through promises when it must wait for
 * state or has used up its turn. Its machine is its own until the result is there. After an error it is not used again.
 */
export class ExecutionDriver {
  readonly #pool: MachinePool;
  readonly #context: ContextWriter;
  readonly #task: ExecutionTask;
  readonly #surroundings: ExecutionHooks;
  readonly #console = new ConsoleRecorder();
  readonly #observer: MachineObserver | null;
  readonly #machine: Machine;
  readonly #execution: MessageExecution;
  /** The stamp of the state that the machine's accounts and slots are of. */
  readonly #stamp: object;

  constructor(pool: MachinePool, context: ContextWriter, task: ExecutionTask, surroundings: ExecutionHooks) {
    this.#pool = pool;
    this.#context = context;
    this.#task = task;
    this.#surroundings = surroundings;
    // The records of accounts say which are precompiles, so those of moved ones are of no use to other messages.
    this.#stamp = task.environment.movedPrecompiles === undefined ? task.state.stamp : {};
    this.#machine = pool.take(this.#stamp);
    this.#observer = task.observer === null ? null : new MachineObserver(this.#machine, task.observer);
    this.#open(this.#machine, this.#observer);
    this.#execution = new MessageExecution(this.#machine, task);
  }

  /** The result. Rejects with what `checkInterrupt` throws before the result is there. */
  execute(): Awaitable<ExecutionResult> {
    let end: number;
    try {
      end = this.#execution.begin(this.#context);
    } catch (error) {
      if (error instanceof OutOfMemoryError) return this.#withoutMemory();
      if (!(error instanceof MissingStateError)) throw error;
      return this.#again(error);
    }
    if (end === END.suspended) return this.#again(this.#machine.awaited);
    if (end === END.notYet) return this.#run(false);
    return end === END.sliced ? this.#run(true) : this.#settle(end);
  }

  #open(machine: Machine, observer: MachineObserver | null): void {
    const { state, environment, message, purpose } = this.#task;
    const { turns } = this.#surroundings;
    machine.open({ state, environment, message, purpose, observer, console: this.#console, turns });
  }

  /** Begins again once that has been fetched. */
  async #again(missing: MissingStateError): Promise<ExecutionResult> {
    this.#machine.exports.dropChanges();
    await this.#fetched(missing);
    this.#check();
    return this.execute();
  }

  /** Others may take any time to answer, so that this alone is ended while it waits. */
  #fetched(missing: MissingStateError): Promise<void> {
    return unlessInterrupted(missing.fetch(), this.#surroundings.checkInterrupt);
  }

  /** Goes on until the message has ended, waits, or has used up its time. */
  #run(isNewSlice: boolean): Awaitable<ExecutionResult> {
    const { turns } = this.#surroundings;
    let heldBefore = Number.NaN;
    try {
      let end = this.#execution.run(isNewSlice);
      while (end === END.sliced) {
        const held = turns.held();
        if (held >= SLICE_MILLISECONDS) return this.#giveWay();
        this.#execution.fitSlice(held - heldBefore);
        heldBefore = held;
        end = this.#execution.run(true);
      }
      if (end === END.suspended) return this.#fetchAndGoOn();
      return this.#settle(end);
    } catch (error) {
      if (error instanceof OutOfMemoryError) return this.#withoutMemory();
      throw error;
    }
  }

  async #fetchAndGoOn(): Promise<ExecutionResult> {
    await this.#fetched(this.#machine.awaited);
    this.#check();
    return this.#run(false);
  }

  /** Lets others be heard. A machine is kept while others run, but not while this waits until it is one of those. */
  #giveWay(): Promise<ExecutionResult> {
    const { turns, again, checkInterrupt } = this.#surroundings;
    const admission = turns.admission?.();
    // Steps that an observer has seen cannot be shown to it again.
    if (admission === undefined || this.#observer !== null) return this.#goOnLater(admission);
    this.#machine.close();
    return againAfter(admission, checkInterrupt, again);
  }

  async #goOnLater(admission: Promise<void> | undefined): Promise<ExecutionResult> {
    if (admission !== undefined) await admission;
    await this.#surroundings.turns.wait();
    this.#check();
    return this.#run(true);
  }

  /** Gives up the execution when its result is not awaited any more. */
  #check(): void {
    try {
      this.#surroundings.checkInterrupt?.();
    } catch (error) {
      this.#machine.close();
      throw error;
    }
  }

  #settle(end: number): ExecutionResult {
    const { state, purpose, ruleSet } = this.#task;
    // Somebody else may have changed the state while the message waited.
    const isMixed = state.stamp !== this.#stamp;
    const { result, ended } = this.#execution.settle(end);
    if (purpose === 'transaction' && ended.length > 0 && ruleSet.creations.isTakenUntilBlockEnds) {
      this.#surroundings.onEnded(ended);
    }
    const after = purpose === 'call' ? this.#stamp : state.stamp;
    this.#pool.giveBack(this.#machine, isMixed ? {} : after);
    return this.#withConsole(result);
  }

  /** Adds what the message wrote to the console, however it ended. */
  #withConsole(result: ExecutionResult): ExecutionResult {
    const { record } = this.#console;
    return record === undefined ? result : { ...result, console: record };
  }

  /** A message that needs more memory than there is halts, and pays for all its gas. Its machine is given up. */
  #withoutMemory(): ExecutionResult {
    this.#observer?.giveUp(HALT_REASONS.outOfMemory);
    const machine = this.#pool.take(this.#stamp);
    this.#open(machine, null);
    const execution = new MessageExecution(machine, this.#task);
    execution.beginInVain(this.#context);
    const { result } = execution.settle(END.outOfMemory);
    this.#pool.giveBack(machine, {});
    return this.#withConsole(result);
  }
}

/** Is no method, as what waits would keep the driver in memory then, and its machine with it. */
async function againAfter(
  admission: Promise<void>,
  checkInterrupt: CheckInterrupt | undefined,
  again: () => Awaitable<ExecutionResult>,
): Promise<ExecutionResult> {
  await admission;
  checkInterrupt?.();
  return again();
}
