// Precompile calls of a machine, and the context that precompiles can read.

import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import type { Yielder } from '../../scheduling/scheduler.ts';
import { SLICE_MILLISECONDS } from '../../scheduling/slice-length.ts';
import type { Overlay } from '../../state/overlay.ts';
import { MissingStateError } from '../../state/state-source.ts';
import type { Purpose } from '../admission.ts';
import type { ConsoleRecorder } from '../console.ts';
import type { BlockEnvironment, Message } from '../engine.ts';
import {
  type PrecompileCall,
  type PrecompileContext,
  type PrecompiledContract,
  PrecompileError,
  type PrecompileSteps,
} from '../precompiles/precompiled-contract.ts';
import { signedMessageOf } from '../signers.ts';
import type { InterpreterEvents } from './interpreter-module.ts';
import { MachineAccount, type MachineRecords, type PrecompileSlot } from './machine-account.ts';
import { EVENT, KIND, PRECOMPILE_ANSWER } from './protocol.ts';
import type { MissingValues } from './run-ahead.ts';

/** The context of a message on a machine. */
export interface ExecutionContext {
  readonly state: Overlay;
  readonly environment: BlockEnvironment;
  readonly message: Message;
  readonly purpose: Purpose;
  readonly observer: InterpreterEvents | null;
  readonly console: ConsoleRecorder;
  /**
   * Receives the missing values of an execution that continues with placeholders; `null` if it waits at the
   * first one instead.
   */
  readonly missing: MissingValues | null;
  /** Measures how long the message has blocked the event loop. */
  readonly yielder: Yielder;
}

interface CallPlace {
  /** The account record of the precompile. */
  readonly account: number;
  /** One of `KIND`. */
  readonly kind: number;
  /** Pointer to the word with the value of the call. */
  readonly sent: number;
}

/** A precompile call. Its data is read lazily, because most precompiles read none. */
class MachineCall implements PrecompileContext {
  readonly #machine: MachineRecords;
  readonly #context: ExecutionContext;
  readonly #place: CallPlace;
  #call: PrecompileCall | undefined;

  constructor(machine: MachineRecords, context: ExecutionContext, place: CallPlace) {
    this.#machine = machine;
    this.#context = context;
    this.#place = place;
  }

  get environment(): BlockEnvironment {
    return this.#context.environment;
  }

  get depth(): number {
    return this.#machine.exports.depth.value;
  }

  call(): PrecompileCall {
    this.#call ??= this.#read();
    return this.#call;
  }

  #read(): PrecompileCall {
    const machine = this.#machine;
    const { message, purpose, observer, state } = this.#context;
    const { account, kind, sent } = this.#place;
    return {
      caller: machine.addressOf(machine.exports.self.value),
      value: machine.memory.word(sent),
      isStatic: kind === KIND.STATICCALL || machine.exports.isStatic.value !== 0,
      isBorrowed: kind === KIND.DELEGATECALL || kind === KIND.CALLCODE,
      isReadOnlyCall: purpose === 'call',
      transaction: purpose === 'call' ? undefined : signedMessageOf(message),
      account: new MachineAccount(machine, account, observer, state),
    };
  }
}

/** Calls below this price (gas) run synchronously. */
const LONG_PRICE = 30_000n;

/** Precompile work, in gas plus bytes of input, between two reads of the clock. */
const UNMEASURED_WORK = 20_000;
/** Work of a call in addition to its price and input. */
const CALL_WORK = 3_000;

/** A prepared precompile call. */
interface PreparedCall {
  readonly precompile: PrecompiledContract;
  readonly input: Uint8Array;
  readonly price: bigint;
  /** The computation in time slices; `null` if the call is short or its gas is not sufficient. */
  readonly pieces: PrecompileSteps | null;
  /** The output or the failure; `null` until the computation ends. */
  outcome: Uint8Array | PrecompileError | null;
}

/** The part of a machine that precompile calls use. */
export interface CallingMachine extends MachineRecords {
  /** The numbers of the present event, see `EVENT`. */
  readonly event: number;
  /** Makes the machine return to the host before the next basic block. */
  endSlice(): void;
}

const NO_PRECOMPILE: PrecompileSlot = { precompile: undefined, isMoved: false, isBuiltIn: false };

function builtIn(precompile: PrecompiledContract): PrecompileSlot {
  return { precompile, isMoved: false, isBuiltIn: true };
}

/**
 * Executes the precompile calls of a machine. Input, output and price are in its memory. A long call is
 * computed beforehand in time slices, so that the machine can yield between them.
 */
export class PrecompileCalls {
  readonly #machine: CallingMachine;
  readonly #contracts: ReadonlyMap<string, PrecompiledContract>;
  #prepared: PreparedCall | undefined;
  #awaited: MissingStateError | undefined;
  /** The reason why the last call failed; undefined if it succeeded. */
  #failure: string | undefined;
  #unmeasuredWork = 0;

  /** `contracts` are the precompiles of the rule set by `hexKey` of the address. */
  constructor(machine: CallingMachine, contracts: ReadonlyMap<string, PrecompiledContract>) {
    this.#machine = machine;
    this.#contracts = contracts;
  }

  /** Returns the precompile at an address (20 bytes), including moved ones; `undefined` if absent. */
  at({ environment }: ExecutionContext, address: Uint8Array): PrecompiledContract | undefined {
    const moved = environment.movedPrecompiles?.get(hexKey(address));
    if (moved === undefined) return this.#contracts.get(hexKey(address));
    return moved === null ? undefined : this.#contracts.get(hexKey(moved));
  }

  /** Returns the precompile at an address (20 bytes), and how it got there. */
  placeOf(context: ExecutionContext, address: Uint8Array): PrecompileSlot {
    const { movedPrecompiles } = context.environment;
    const precompile = this.at(context, address);
    if (movedPrecompiles === undefined) return precompile === undefined ? NO_PRECOMPILE : builtIn(precompile);
    const key = hexKey(address);
    return { precompile, isMoved: movedPrecompiles.has(key), isBuiltIn: this.#contracts.has(key) };
  }

  #of(context: ExecutionContext, account: number): PrecompiledContract {
    const precompile = this.at(context, this.#machine.addressOf(account));
    if (precompile === undefined) throw new Error('the address has no precompile');
    return precompile;
  }

  /** Discards a prepared call. */
  abandon(): void {
    this.#prepared?.pieces?.return(EMPTY_BYTES);
    this.#prepared = undefined;
    this.#awaited = undefined;
    this.#failure = undefined;
  }

  /** The reason why the last call failed; undefined if it succeeded or ran out of gas. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Returns the missing state after {@link prepare} returned 0, and clears it. */
  takeAwaited(): MissingStateError | undefined {
    const awaited = this.#awaited;
    this.#awaited = undefined;
    return awaited;
  }

  /**
   * Returns 1 if the precompile can be called. Returns 0 if its computation continues, or if it waits for
   * missing state ({@link takeAwaited}).
   */
  prepare(context: ExecutionContext, place: CallPlace, input: number, length: number): number {
    const machine = this.#machine;
    machine.memory.refresh();
    let prepared = this.#prepared;
    if (prepared?.pieces == null || prepared.outcome !== null) {
      const precompile = this.#of(context, place.account);
      const data = machine.memory.copy(input, length);
      const call = new MachineCall(machine, context, place);
      if (!this.#isFetched(precompile, data, call)) return 0;
      const price = precompile.gas(data, call);
      const isLong = price >= LONG_PRICE && price <= machine.memory.signed(machine.event + EVENT.gas);
      const pieces = isLong ? (precompile.runInSteps?.(data) ?? null) : null;
      prepared = { precompile, input: data, price, pieces, outcome: null };
      this.#prepared = prepared;
    }
    if (prepared.pieces === null) return 1;
    try {
      const piece = prepared.pieces.next();
      if (piece.done !== true) return 0;
      prepared.outcome = piece.value;
    } catch (error) {
      if (!(error instanceof PrecompileError)) throw error;
      prepared.outcome = error;
    }
    return 1;
  }

  /** Returns false and sets the missing state if the call needs state that must be fetched first. */
  #isFetched(precompile: PrecompiledContract, data: Uint8Array, call: PrecompileContext): boolean {
    if (precompile.prepare === undefined) return true;
    try {
      precompile.prepare(data, call);
      return true;
    } catch (error) {
      if (!(error instanceof MissingStateError)) throw error;
      this.#awaited = error;
      return false;
    }
  }

  /** Executes the call; returns a `PRECOMPILE_ANSWER`. Replaces the gas of the event by the price. */
  call(context: ExecutionContext, place: CallPlace, input: number, length: number): number {
    const machine = this.#machine;
    machine.memory.refresh();
    this.#failure = undefined;
    const precompile = this.#of(context, place.account);
    const prepared = this.#prepared?.precompile === precompile ? this.#prepared : undefined;
    this.#prepared = undefined;
    const data = prepared?.input ?? machine.memory.copy(input, length);
    const call = new MachineCall(machine, context, place);
    const price = prepared?.price ?? precompile.gas(data, call);
    const gas = machine.event + EVENT.gas;
    if (price > machine.memory.signed(gas)) return PRECOMPILE_ANSWER.outOfGas;
    machine.memory.setLimb(gas, price);
    const output = prepared?.outcome ?? outputOf(precompile, data, call);
    this.#measure(context, Number(price) + length + CALL_WORK);
    if (output instanceof PrecompileError) {
      this.#failure = output.message;
      return PRECOMPILE_ANSWER.refused;
    }
    const target = machine.exports.reserveReturnData(output.length);
    machine.memory.refresh();
    machine.memory.set(target, output);
    return PRECOMPILE_ANSWER.succeeded;
  }

  /** Ends the slice if the host's work exceeded the time limit, because gas does not measure this work. */
  #measure({ yielder }: ExecutionContext, work: number): void {
    this.#unmeasuredWork += work;
    if (this.#unmeasuredWork < UNMEASURED_WORK) return;
    this.#unmeasuredWork = 0;
    if (yielder.blockedFor() < SLICE_MILLISECONDS) return;
    this.#machine.endSlice();
  }
}

function outputOf(
  precompile: PrecompiledContract,
  input: Uint8Array,
  call: PrecompileContext,
): Uint8Array | PrecompileError {
  try {
    return precompile.run(input, call);
  } catch (error) {
    if (!(error instanceof PrecompileError)) throw error;
    return error;
  }
}
