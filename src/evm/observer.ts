import { OPCODES } from '../protocol/hardforks/opcodes.ts';
import type { Log } from '../protocol/receipt.ts';

/**
 * How an execution ended: `success`; `revert`, by the code's own will with data; `halt`, for a breach of the rules
 * (out of gas, invalid opcode, …) that uses up all gas.
 */
export type Outcome = 'success' | 'revert' | 'halt';

/** What began a frame: the opcode, or `CALL` and `CREATE` for the message itself. */
export type FrameKind =
  | 'CALL'
  | 'STATICCALL'
  | 'DELEGATECALL'
  | 'CALLCODE'
  | 'CREATE'
  | 'CREATE2'
  | 'SELFDESTRUCT';

/** A frame that begins: the message itself, a call or creation inside it, or the end of a contract. */
export interface FrameStart {
  readonly kind: FrameKind;
  /** 0 for the message itself. */
  readonly depth: number;
  /** 20 bytes: the sender of the message, or the contract whose code asked for the frame. */
  readonly from: Uint8Array;
  /**
   * 20 bytes: the account called (the one whose code runs, for DELEGATECALL and CALLCODE), the contract to be created,
   * or who gets what a contract that ends has left.
   */
  readonly to: Uint8Array;
  /** The data of a call, the initcode of a creation. Valid until the observer returns: copy what you keep. */
  readonly input: Uint8Array;
  /** Gas that the frame may use, the stipend of a call with value included. */
  readonly gas: bigint;
  /** Wei; for DELEGATECALL that of the frame around it; `null` for STATICCALL. */
  readonly value: bigint | null;
  readonly isPrecompile: boolean;
}

/** How a frame ended. */
export interface FrameEnd {
  readonly outcome: Outcome;
  /** Why it halted, in the words of `HALT_REASONS`; `null` unless the outcome is `halt`. */
  readonly haltReason: string | null;
  /** What it returned, the code of the new contract, or the data of a revert; empty on a halt. Copy what you keep. */
  readonly output: Uint8Array;
  /** Gas that the frame used, refunds not taken off. */
  readonly gasUsed: bigint;
}

/** One opcode about to be executed. It is valid until the observer returns; its methods cost something when called. */
export interface ExecutionStep {
  /** Where the opcode stands in the code. */
  readonly pc: number;
  readonly opcode: number;
  /** Gas left before the opcode. */
  readonly gas: bigint;
  /** What the opcode costs, with the gas that a call passes on; that of a creation is passed on besides. */
  readonly gasCost: bigint;
  /** 0 in the message itself. */
  readonly depth: number;
  /** Gas to be refunded so far, what this opcode gives back included. */
  readonly refund: bigint;
  /** 20 bytes: the account whose storage the code works on. */
  readonly address: Uint8Array;
  /** How many items the stack has. */
  readonly stackHeight: number;
  /** Returns the stack, its top last. */
  stack(): bigint[];
  /** Returns the item at that distance from the top (0 is the top); `undefined` below the bottom. */
  stackItem(distance: number): bigint | undefined;
  /** Returns the memory before the opcode grows it: a whole number of words. Not a copy. */
  memory(): Uint8Array;
  /** Returns the value of a slot (32 bytes) of the account's storage, without leading zeros. */
  storageAt(slot: Uint8Array): Uint8Array;
  /** What the last call inside the frame returned. Not a copy. */
  returnData(): Uint8Array;
}

/**
 * Told what an execution does while it does it. An observer leaves out what it does not want to hear, and costs nothing
 * for that. Frames nest: each start has an end, and steps and logs belong to the frame that began last and has not
 * ended.
 */
export interface ExecutionObserver {
  frameStart?(start: FrameStart): void;
  frameEnd?(end: FrameEnd): void;
  /** Told of each opcode before it is executed. */
  step?(step: ExecutionStep): void;
  /** Told that the opcode of the last step breaks a rule, which ends its frame; `reason` as in `HALT_REASONS`. */
  fault?(reason: string): void;
  /** Told of each log, also of those that a revert takes back later. Copy what you keep. */
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
 * Returns the name of an opcode as debuggers know it (`PUSH1`, `SSTORE`); `opcode 0xc not defined` for a byte that is
 * none.
 */
export function opcodeName(opcode: number): string {
  return NAMES[opcode] ?? spelled(opcode);
}
