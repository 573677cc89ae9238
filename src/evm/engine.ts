import { CodedError } from '../primitives/coded-error.ts';
import { toHex } from '../primitives/hex.ts';
import type { CheckInterrupt } from '../primitives/interrupt.ts';
import type { Awaitable } from '../primitives/task.ts';
import type { Block } from '../protocol/block.ts';
import type { Log } from '../protocol/receipt.ts';
import type { AccessListEntry, Authorization } from '../protocol/transaction.ts';
import type { Overlay } from '../state/overlay.ts';
import type { ConsoleRecord } from './console/console-record.ts';
import type { ExecutionObserver, Outcome } from './observer.ts';

/** What code can see of the block it runs in. */
export interface BlockEnvironment {
  readonly number: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** 20 bytes. */
  readonly coinbase: Uint8Array;
  /** 20 bytes: who gets the fees; left out where it is the coinbase. */
  readonly feeRecipient?: Uint8Array;
  readonly difficulty: bigint;
  readonly gasLimit: bigint;
  /** Wei per gas; what BASEFEE answers where there is no base fee. */
  readonly minimumGasPrice: bigint;
  /** Wei per gas; `null` under rule sets without a base fee. */
  readonly baseFeePerGas: bigint | null;
  /** 32 bytes; what PREVRANDAO answers since Paris. */
  readonly prevRandao: Uint8Array;
  /** Returns the hash of one of the 256 blocks before this one; zeros for any other number. */
  blockHash(number: number): Uint8Array;
  /** Returns the block before this one that has the number, below this one's; `undefined` when there is none. */
  ancestor(number: number): Block | undefined;
  /** Where precompiles stand otherwise than the rules say; left out where they stand as the rules say. */
  readonly movedPrecompiles?: MovedPrecompiles;
}

/**
 * By address, as `hexKey` spells it: the address (20 bytes) at which the rules have the precompile that stands there for
 * once, or `null` for one that has none.
 */
export type MovedPrecompiles = ReadonlyMap<string, Uint8Array | null>;

/** What is to be run: the fields of a transaction or of a call. */
export interface Message {
  readonly sender: Uint8Array;
  /** `null` creates a contract. */
  readonly to: Uint8Array | null;
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly gasLimit: bigint;
  readonly nonce: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly accessList: readonly AccessListEntry[];
  readonly authorizationList: readonly Authorization[];
}

/** What an execution did. */
export interface ExecutionResult {
  readonly outcome: Outcome;
  /** Why it halted, in words (`out of gas`, `invalid opcode 0xfe`); `null` unless the outcome is `halt`. */
  readonly haltReason: string | null;
  /** Gas charged in all: intrinsic cost included, refund taken off. */
  readonly gasUsed: bigint;
  /**
   * Gas that the sender paid for. It is `gasUsed`, but for a transaction straight to a precompile that refuses its input:
   * under the network's rules that one pays for its whole gas limit, whatever its receipt says.
   */
  readonly gasPaid: bigint;
  /** Gas that was used at the peak, before the refund was taken off. */
  readonly gasBeforeRefund: bigint;
  /** Wei per gas that the sender paid. */
  readonly effectiveGasPrice: bigint;
  /** What the code returned (for a creation: the new contract's code), or the data of a revert; empty on a halt. */
  readonly returnData: Uint8Array;
  /** Empty unless the outcome is `success`. */
  readonly logs: readonly Log[];
  /** 20 bytes for a creation, whether it succeeded or not; else `null`. */
  readonly createdAddress: Uint8Array | null;
  /**
   * What code told the console of contracts (`CONSOLE_ADDRESS`), whatever the outcome; left out when it told nothing.
   * Calling the console costs and does what calling any account without code does.
   */
  readonly console?: ConsoleRecord;
}

/**
 * Executes messages on a state. There are several implementations that must agree in everything but speed. One that
 * needs nobody's turn but its own answers at once; a promise comes from one that waits, for its library, for state
 * from elsewhere (`MissingStateError`) or for others to be heard during long work.
 */
export interface Engine {
  readonly name: string;
  /**
   * Runs a transaction: buys gas, raises the sender's nonce, executes, refunds, pays the fee to the block's
   * recipient of fees.
   * What it changed stands in `state`. The caller has checked admission (nonce, balance, gas limits); a message that
   * cannot be run at all throws {@link UnexecutableError} and leaves the state as it was. The sender may have code, so
   * that contracts can be impersonated (against EIP-3607). `observer` is told what the execution does.
   * `checkInterrupt` is called now and then while long work goes on; what it throws ends the execution and is thrown
   * on, and `state` is of no use afterwards.
   */
  transact(
    environment: BlockEnvironment,
    state: Overlay,
    message: Message,
    observer?: ExecutionObserver,
    checkInterrupt?: CheckInterrupt,
  ): Awaitable<ExecutionResult>;
  /**
   * Runs a message as a question: the nonce is not checked, a balance too small for the gas or the value is made up
   * for, the fee goes nowhere that matters. A message that offers less than the base fee runs with a base fee of what it
   * offers. The caller discards `state` afterwards. `observer` and `checkInterrupt` are as for {@link transact}.
   */
  call(
    environment: BlockEnvironment,
    state: Overlay,
    message: Message,
    observer?: ExecutionObserver,
    checkInterrupt?: CheckInterrupt,
  ): Awaitable<ExecutionResult>;
}

/** Thrown when a message breaks a rule that stands before any execution (intrinsic gas, nonce, funds, size). */
export class UnexecutableError extends Error {
  override readonly name = 'UnexecutableError';
}

/** Thrown by an engine for a message that the rules allow and that it has no way to run; another engine may. */
export class UnsupportedMessageError extends UnexecutableError {}

/** Thrown by an engine that has no room for what a message needs; the state is of no use afterwards. */
export class EngineMemoryError extends CodedError {
  readonly code = -32000;

  constructor(cause: unknown) {
    super('out of memory: the engine has no room for what the message needs');
    this.cause = cause;
  }
}

/** The words in which every engine says why an execution halted; an invalid opcode is named besides. */
export const HALT_REASONS = {
  outOfGas: 'out of gas',
  stackUnderflow: 'stack underflow',
  stackOverflow: 'stack overflow',
  invalidJump: 'invalid jump destination',
  staticCall: 'static call changed state',
  codeTooLarge: 'contract code too large',
  initcodeTooLarge: 'initcode too large',
  codeStartsWithEf: 'contract code starts with 0xef',
  addressTaken: 'contract address is taken',
  balanceOverflow: 'balance overflow',
  balanceTooLow: 'insufficient balance for transfer',
  callTooDeep: 'max call depth exceeded',
  /** A precompile cannot work on its input. */
  precompileFailed: 'precompile failed',
  /** No rule of the chain: the engine has no room for what the execution would keep. */
  outOfMemory: 'out of memory',
} as const;

/** Why code halted that ran into a byte which is no opcode under its rule set: `invalid opcode 0xfe`. */
export function invalidOpcodeReason(opcode: number): string {
  return `invalid opcode ${toHex(Uint8Array.of(opcode))}`;
}
