// The events of an execution, for tracers and debuggers.

import { OPCODES } from '../protocol/hardforks/opcodes.ts';
import type { Log } from '../protocol/receipt.ts';

/**
 * The outcome of an execution: `success`; `revert`, requested by the code, with data; `halt`, for a violation of the rules
 * (out of gas, invalid opcode, …) that uses up all gas.
 */
export type Outcome = 'success' | 'revert' | 'halt';

/** The opcode that began a frame, or `CALL` and `CREATE` for the message itself. */
export type FrameKind =
  | 'CALL'
  | 'STATICCALL'
  | 'DELEGATECALL'
  | 'CALLCODE'
  | 'CREATE'
  | 'CREATE2'
  | 'SELFDESTRUCT';

/** The start of a frame: the message itself, a call or creation inside it, or the self-destruction of a contract. */
export interface FrameStart {
  readonly kind: FrameKind;
  /** 0 for the message itself. */
  readonly depth: number;
  /** 20 bytes: the sender of the message, or the contract whose code began the frame. */
  readonly from: Uint8Array;
  /**
   * 20 bytes: the account called (the one whose code runs, for DELEGATECALL and CALLCODE), the contract to be created,
   * or the beneficiary of a self-destruction.
   */
  readonly to: Uint8Array;
  /**
   * The data of a call, the initcode of a creation. Valid until the observer returns, so it must be copied to be kept.
   */
  readonly input: Uint8Array;
  /** Gas that the frame may use, including the stipend of a call with value. */
  readonly gas: bigint;
  /** Wei; for DELEGATECALL that of the enclosing frame; `null` for STATICCALL. */
  readonly value: bigint | null;
  readonly isPrecompile: boolean;
}

export interface FrameEnd {
  readonly outcome: Outcome;
  /** The halt reason, one of `HALT_REASONS`; `null` unless the outcome is `halt`. */
  readonly haltReason: string | null;
  /**
   * The returned data, the code of the new contract, or the data of a revert; empty on a halt. Must be copied to be
   * kept.
   */
  readonly output: Uint8Array;
  /** Gas that the frame used, before refunds. */
  readonly gasUsed: bigint;
  /**
   * Why a precompile failed; absent for all other frames. Under Rootstock's rules the outcome of a precompile that the message
   * itself calls is `success` nevertheless.
   */
  readonly precompileFailure?: string;
}

/** An opcode before its execution. It is valid until the observer returns; its methods read the machine when called. */
export interface ExecutionStep {
  /** The offset of the opcode in the code. */
  readonly pc: number;
  readonly opcode: number;
  /** Gas left before the opcode. */
  readonly gas: bigint;
  /**
   * The cost of the opcode, including the gas that a call passes on; the gas that a creation passes on is not included.
   */
  readonly gasCost: bigint;
  /** 0 in the message itself. */
  readonly depth: number;
  /** The gas refund so far, including that of this opcode. */
  readonly refund: bigint;
  /** 20 bytes: the account whose storage the code uses. */
  readonly address: Uint8Array;
  /** The number of items on the stack. */
  readonly stackHeight: number;
  /** Returns the stack, its top last. */
  stack(): bigint[];
  /** Returns the item at that distance from the top (0 is the top); `undefined` below the bottom. */
  stackItem(distance: number): bigint | undefined;
  /**
   * Writes as many of the topmost items as there is room for to the end of `target`: 32 bytes each, the least significant
   * first, the top last.
   */
  copyStack(target: Uint8Array): void;
  /** Returns the memory before the opcode expands it: a whole number of words. Not a copy. */
  memory(): Uint8Array;
  /** Returns the value of a slot (32 bytes) of the account's storage, without leading zeros. */
  storageAt(slot: Uint8Array): Uint8Array;
  /** Returns the data of the last call inside the frame. Not a copy. */
  returnData(): Uint8Array;
}

/**
 * The state at the moment of an event: that before the execution with what it has changed so far and not undone. To be read
 * while an observer is called; throws `MissingStateError` for what must be fetched first.
 */
export interface StateNow {
  /** Returns the account of an address (20 bytes); `undefined` when there is none. */
  account(address: Uint8Array): AccountNow | undefined;
  /** Returns the code of an account; empty when it has none. */
  code(address: Uint8Array): Uint8Array;
  /** Returns the value of a slot (32 bytes) of an account, without leading zeros. */
  storageAt(address: Uint8Array, slot: Uint8Array): Uint8Array;
}

/** The nonce and balance of an account, as {@link StateNow} gives them without waiting. */
export interface AccountNow {
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
}

/**
 * Receives the events of an execution while it runs. All methods are optional, and omitted ones cost nothing: without steps, trail and
 * faults the engine runs at nearly its full speed. Frames
 * nest: each start has an end, and steps and logs belong to the innermost open frame.
 */
export interface ExecutionObserver {
  /**
   * True for an observer to which only the frames matter: with which outcome they ended and how much gas they used. The
   * engine then runs at nearly its full speed; it may leave out steps, faults and logs, and say `out of gas` as the halt
   * reason of a frame inside others that would have broken another rule too.
   */
  readonly wantsFramesOnly?: boolean;
  /**
   * Called before all other events with what reads the state at each of them, and the contracts (20 bytes) that ended earlier in
   * the block, under rules by which their addresses stay taken.
   */
  begin?(state: StateNow, ended: readonly Uint8Array[]): void;
  frameStart?(start: FrameStart): void;
  frameEnd?(end: FrameEnd): void;
  /** Called with each opcode before it is executed. */
  step?(step: ExecutionStep): void;
  /** The opcodes whose steps are wanted; by default all. The engine may leave out those of others, and is much faster then. */
  readonly wantedSteps?: ReadonlySet<number>;
  /**
   * Read after each start of a frame: true where none of its steps is wanted, until the next frame begins or ends. The engine
   * may leave them out, and then runs the frame at nearly its full speed.
   */
  readonly skipsFrame?: boolean;
  /**
   * Called with the places in the code of steps, many at a time, always before another event that comes after them: for observers
   * that follow where an execution goes, which a call for each step would slow down. Valid until the observer returns.
   */
  trail?(places: Uint32Array): void;
  /** Called when the opcode of the last step violates a rule, which ends its frame; `reason` as in `HALT_REASONS`. */
  fault?(reason: string): void;
  /** Called with each log, including those that a revert undoes later. Must be copied to be kept. */
  log?(log: Log): void;
}

const NAMED: ReadonlyMap<number, string> = new Map(
  Object.entries(OPCODES).map(([name, opcode]) => [opcode, name]),
);

function spelled(opcode: number): string {
  if (opcode >= 0x60 && opcode <= 0x7f) return `PUSH${opcode - 0x5f}`;
  if (opcode >= 0x80 && opcode <= 0x8f) return `DUP${opcode - 0x7f}`;
  if (opcode >= 0x90 && opcode <= 0x9f) return `SWAP${opcode - 0x8f}`;
  if (opcode >= 0xa0 && opcode <= 0xa4) return `LOG${opcode - 0xa0}`;
  return NAMED.get(opcode) ?? `opcode 0x${opcode.toString(16)} not defined`;
}

const NAMES: readonly string[] = Array.from({ length: 256 }, (_, opcode) => spelled(opcode));

/**
 * Returns the name of an opcode as in debuggers (`PUSH1`, `SSTORE`); `opcode 0xc not defined` for a byte that is no
 * opcode.
 */
export function opcodeName(opcode: number): string {
  return NAMES[opcode] ?? spelled(opcode);
}
