// Calls of precompiles by a machine, and what they can read of it.

import { EMPTY_BYTES } from '../../primitives/bytes.ts';
import { hexKey } from '../../primitives/hex.ts';
import { SLICE_MILLISECONDS, type Turns } from '../../scheduling/scheduler.ts';
import type { Overlay } from '../../state/overlay.ts';
import { MissingStateError } from '../../state/state-source.ts';
import type { Purpose } from '../admission.ts';
import type { ConsoleRecorder } from '../console.ts';
import type { BlockEnvironment, Message } from '../engine.ts';
import {
  type NativeCall,
  type PrecompileContext,
  type PrecompiledContract,
  PrecompileError,
  type PrecompilePieces,
} from '../precompiles/precompiled-contract.ts';
import { signedMessageOf } from '../signers.ts';
import type { InterpreterEvents } from './interpreter-module.ts';
import { MachineAccount, type MachineRecords, type PrecompilePlace } from './machine-account.ts';
import { KIND, PRECOMPILE_ANSWER } from './protocol.ts';

/** The context in which a machine executes a message. */
export interface ExecutionContext {
  readonly state: Overlay;
  readonly environment: BlockEnvironment;
  readonly message: Message;
  readonly purpose: Purpose;
  readonly observer: InterpreterEvents | null;
  readonly console: ConsoleRecorder;
  /** Measures how long the message has held the event loop. */
  readonly turns: Turns;
}

/** The machine's position at a call of a precompile. */
interface CallPlace {
  /** The record of the precompile's account. */
  readonly account: number;
  /** One of `KIND`. */
  readonly kind: number;
  /** The pointer to the word with the value of the call. */
  readonly sent: number;
}

/** A call of a precompile by a machine. Everything is read on access, because most precompiles read nothing. */
class MachineCall implements PrecompileContext {
  readonly #machine: MachineRecords;
  readonly #context: ExecutionContext;
  readonly #place: CallPlace;
  #call: NativeCall | undefined;

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

  call(): NativeCall {
    this.#call ??= this.#read();
    return this.#call;
  }

  #read(): NativeCall {
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

/** A precompile call below this price (gas) is computed synchronously. */
const LONG_PRICE = 30_000n;

/** The work of precompiles, in gas plus bytes of input, after which the clock is read. */
const UNMEASURED_WORK = 20_000;
/** The work that each call counts for, whatever its price. */
const CALL_WORK = 3_000;

/** A precompile call that may take long, before it is made. */
interface PreparedCall {
  readonly precompile: PrecompiledContract;
  readonly input: Uint8Array;
  readonly price: bigint;
  /** The computation of the output; `null` for a call that is short, or that the gas does not pay for. */
  readonly pieces: PrecompilePieces | null;
  /** The output or the failure once it is known. */
  outcome: Uint8Array | PrecompileError | null;
}

/** A machine as the calls of its precompiles need it. */
export interface CallingMachine extends MachineRecords {
  /** Returns the signed 64-bit number in a cell. */
  cell(index: number): bigint;
  setCell(index: number, value: bigint): void;
  /** Has the machine stop for its host before the next block of code. */
  endSlice(): void;
}

const NO_PRECOMPILE: PrecompilePlace = { precompile: undefined, isMoved: false, isBuiltIn: false };

function builtIn(precompile: PrecompiledContract): PrecompilePlace {
  return { precompile, isMoved: false, isBuiltIn: true };
}

/**
 * Makes the calls of precompiles for a machine, in whose memory input, output and price are. A long call is computed in
 * pieces before it is made, so that the machine can give way between them.
 */
export class PrecompileCalls {
  readonly #machine: CallingMachine;
  readonly #contracts: ReadonlyMap<string, PrecompiledContract>;
  #prepared: PreparedCall | undefined;
  #awaited: MissingStateError | undefined;
  /** Why the last call failed; `undefined` if it did not. */
  #failure: string | undefined;
  #unmeasuredWork = 0;

  /** `contracts` are the precompiles of the rules by address, as `hexKey` spells it. */
  constructor(machine: CallingMachine, contracts: ReadonlyMap<string, PrecompiledContract>) {
    this.#machine = machine;
    this.#contracts = contracts;
  }

  /** Returns the precompile at an address (20 bytes), those that were moved there included; `undefined` for none. */
  at({ environment }: ExecutionContext, address: Uint8Array): PrecompiledContract | undefined {
    const moved = environment.movedPrecompiles?.get(hexKey(address));
    if (moved === undefined) return this.#contracts.get(hexKey(address));
    return moved === null ? undefined : this.#contracts.get(hexKey(moved));
  }

  /** Returns the precompile at an address (20 bytes), and how it comes to be there. */
  placeOf(context: ExecutionContext, address: Uint8Array): PrecompilePlace {
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

  /** Abandons the work of a call in progress. */
  abandon(): void {
    this.#prepared?.pieces?.return(EMPTY_BYTES);
    this.#prepared = undefined;
    this.#awaited = undefined;
    this.#failure = undefined;
  }

  /** Why the last call of the message failed; `undefined` if it did not, or only for lack of gas. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Returns the missing state for which {@link prepare} returned 0, once. */
  takeAwaited(): MissingStateError | undefined {
    const awaited = this.#awaited;
    this.#awaited = undefined;
    return awaited;
  }

  /**
   * Returns 1 if the precompile can be called. Returns 0 if it has more work to do, or waits for state that must be fetched
   * first ({@link takeAwaited}).
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
      const isLong = price >= LONG_PRICE && price <= machine.cell(0);
      const pieces = isLong ? (precompile.runInPieces?.(data) ?? null) : null;
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

  /** Returns false, after setting what is awaited, if the call needs state that must be fetched first. */
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

  /** Makes the call; returns one of `PRECOMPILE_ANSWER`. Cell 0 has the gas for it, and then the price. */
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
    if (price > machine.cell(0)) return PRECOMPILE_ANSWER.outOfGas;
    machine.setCell(0, price);
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

  /** Ends the slice when the host's work has used up its time, which gas does not measure. */
  #measure({ turns }: ExecutionContext, work: number): void {
    this.#unmeasuredWork += work;
    if (this.#unmeasuredWork < UNMEASURED_WORK) return;
    this.#unmeasuredWork = 0;
    if (turns.held() < SLICE_MILLISECONDS) return;
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
