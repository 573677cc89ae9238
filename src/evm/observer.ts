// The events of an execution, for tracers and debuggers.

import { EMPTY_BYTES } from '../primitives/bytes.ts';
import { OPCODES } from '../protocol/hardforks/opcodes.ts';
import type { Log } from '../protocol/receipt.ts';
import { HALT_REASONS } from './halt-reasons.ts';

/**
 * `success`; `revert`, requested by the code, with data; `halt`, a violation of the rules (out of gas,
 * invalid opcode, …) that uses up all gas.
 */
export type Outcome = 'success' | 'revert' | 'halt';

/** The opcode that started the frame. The top-level message is a `CALL` or `CREATE`. */
export type FrameKind =
  | 'CALL'
  | 'STATICCALL'
  | 'DELEGATECALL'
  | 'CALLCODE'
  | 'CREATE'
  | 'CREATE2'
  | 'SELFDESTRUCT';

/** True for the kinds of frames that create a contract. */
export function isCreation(kind: FrameKind | undefined): boolean {
  return kind === 'CREATE' || kind === 'CREATE2';
}

/** The start of a frame: the top-level message, a nested call or creation, or a selfdestruct. */
export interface FrameStart {
  readonly kind: FrameKind;
  /** 0 for the top-level message. */
  readonly depth: number;
  /** 20 bytes: the sender of the message, or the contract that executed the opcode. */
  readonly from: Uint8Array;
  /**
   * 20 bytes: the called account, the created contract or the beneficiary of a selfdestruct. For DELEGATECALL
   * and CALLCODE: the account that owns the code.
   */
  readonly to: Uint8Array;
  /** The calldata or initcode. Valid until the observer returns: copy it to keep it. */
  readonly input: Uint8Array;
  /** Gas available to the frame, including the stipend of a call with value. */
  readonly gas: bigint;
  /** Wei. DELEGATECALL inherits the value of the enclosing frame; `null` for STATICCALL. */
  readonly value: bigint | null;
  readonly isPrecompile: boolean;
}

export interface FrameEnd {
  readonly outcome: Outcome;
  /** One of `HALT_REASONS`; `null` unless the outcome is `halt`. */
  readonly haltReason: string | null;
  /**
   * The returned data, the code of the new contract or the revert data; empty on a halt. Copy it to keep it.
   */
  readonly output: Uint8Array;
  /** Gas used by the frame, before refunds. */
  readonly gasUsed: bigint;
  /**
   * The reason why a precompile failed; undefined for all other frames. Under Rootstock's rules, a precompile
   * called directly by the message has the outcome `success` even if it fails.
   */
  readonly precompileFailure?: string;
}

/** An opcode before its execution. Valid until the observer returns; methods read the machine on demand. */
export interface ExecutionStep {
  /** The offset of the opcode in the code. */
  readonly pc: number;
  readonly opcode: number;
  /** Gas left before the opcode. */
  readonly gas: bigint;
  /** The cost of the opcode. It includes the gas passed to a call but not the gas passed to a creation. */
  readonly gasCost: bigint;
  /** 0 in the top-level message. */
  readonly depth: number;
  /** The gas refund so far, including the refund of this opcode. */
  readonly refund: bigint;
  /** 20 bytes: the account whose storage the code uses. */
  readonly address: Uint8Array;
  readonly stackHeight: number;
  /** Returns the stack with the top last. */
  stack(): bigint[];
  /** Returns the item at this distance from the top (0 is the top); `undefined` below the bottom. */
  stackItem(distance: number): bigint | undefined;
  /** Copies the topmost items that fit to the end of `target`: 32 bytes each, little-endian. */
  copyStack(target: Uint8Array): void;
  /** Returns the memory before the opcode expands it, in whole words. Not a copy. */
  memory(): Uint8Array;
  /** Returns a storage slot (32 bytes) of `address`, without leading zeros. */
  storageAt(slot: Uint8Array): Uint8Array;
  /** Returns the return data of the last nested call. Not a copy. */
  returnData(): Uint8Array;
}

/**
 * The state at the time of an event, including the changes of the execution that are not reverted. Valid only
 * while an observer runs. Throws `MissingStateError` if state must be fetched first.
 */
export interface StateNow {
  /** Returns an account (20 bytes); `undefined` if absent. */
  account(address: Uint8Array): AccountNow | undefined;
  /** Returns the code of an account; empty if it has none. */
  code(address: Uint8Array): Uint8Array;
  /** Returns a storage slot (32 bytes) of an account, without leading zeros. */
  storageAt(address: Uint8Array, slot: Uint8Array): Uint8Array;
}

export interface AccountNow {
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
}

/**
 * Receives the events of an execution while it runs. All methods are optional. Omitted methods cost nothing:
 * without `step`, `trail` and `fault`, the engine runs at nearly full speed. Frames nest: each start has an
 * end. Steps and logs belong to the innermost open frame.
 */
export interface ExecutionObserver {
  /**
   * True if the observer needs only the outcome and gas of frames. The engine then runs at nearly full speed
   * and may omit steps, faults and logs. It may report `out of gas` for a nested frame that also breaks
   * another rule.
   */
  readonly wantsFramesOnly?: boolean;
  /**
   * Called before all other events. `state` reads the state at the time of each event. `ended` lists
   * contracts (20 bytes) that selfdestructed earlier in the block, under rules that reserve their addresses.
   */
  begin?(state: StateNow, ended: readonly Uint8Array[]): void;
  frameStart?(start: FrameStart): void;
  frameEnd?(end: FrameEnd): void;
  /** Called before each opcode is executed. */
  step?(step: ExecutionStep): void;
  /** The opcodes to report as steps; default all. Fewer opcodes make the engine faster. */
  readonly wantedSteps?: ReadonlySet<number>;
  /**
   * Read after each frame start. If true, the engine may omit all steps until the next frame starts or ends,
   * and then runs at nearly full speed.
   */
  readonly skipsFrame?: boolean;
  /**
   * Called with the program counters of many steps at a time, before any event that follows them. This is
   * faster than one call per step. `places` is valid until the observer returns.
   */
  trail?(places: Uint32Array): void;
  /** Called if the last opcode violates a rule; `reason` is one of `HALT_REASONS`. */
  fault?(reason: string): void;
  /** Called for each log, even if it is reverted later. Copy the log to keep it. */
  log?(log: Log): void;
  /** Called if a precompile reports a decision. The remark belongs to the innermost open frame. */
  remark?(text: string): void;
}

/** A transfer of a precompile. */
export type Transfer = Pick<FrameStart, 'depth' | 'from' | 'to' | 'value'>;

/** Reports a transfer of a precompile as a call without gas, as Rootstock's traces do. */
export function reportTransfer(observer: ExecutionObserver, transfer: Transfer): void {
  observer.frameStart?.({ kind: 'CALL', ...transfer, input: EMPTY_BYTES, gas: 0n, isPrecompile: false });
  observer.frameEnd?.({ outcome: 'success', haltReason: null, output: EMPTY_BYTES, gasUsed: 0n });
}

/** The parts of a message that its frame shows. */
interface FrameMessage {
  readonly sender: Uint8Array;
  readonly to: Uint8Array | null;
  readonly data: Uint8Array;
  readonly value: bigint;
}

/**
 * Reports a message whose authorizations used up its gas, so that no code ran (EIP-8037), as a frame that halts.
 * `gas` is the gas after the intrinsic gas.
 */
export function reportUnstarted(observer: ExecutionObserver, message: FrameMessage, gas: bigint): void {
  const { sender, to, data, value } = message;
  if (to === null) return;
  observer.frameStart?.({
    kind: 'CALL',
    depth: 0,
    from: sender,
    to,
    input: data,
    gas,
    value,
    isPrecompile: false,
  });
  const haltReason = HALT_REASONS.outOfGas;
  observer.frameEnd?.({ outcome: 'halt', haltReason, output: EMPTY_BYTES, gasUsed: gas });
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

/** Returns the mnemonic of an opcode (`PUSH1`, `SSTORE`); `opcode 0xc not defined` for an unknown byte. */
export function opcodeName(opcode: number): string {
  return NAMES[opcode] ?? spelled(opcode);
}
