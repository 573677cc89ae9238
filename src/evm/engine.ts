// The contract that all execution engines fulfil: messages, environments and results.

import type { Block, ParentBlock } from '../protocol/block.ts';
import type { Log } from '../protocol/receipt.ts';
import type { AccessListEntry, Authorization, BlobFields } from '../protocol/transaction.ts';
import type { CheckInterrupt } from '../scheduling/interrupt.ts';
import type { Awaitable } from '../scheduling/task.ts';
import type { Overlay } from '../state/overlay.ts';
import type { ConsoleRecord } from './console.ts';
import type { FrameRecord } from './frame-recorder.ts';
import type { ExecutionObserver, Outcome } from './observer.ts';

/** The properties of a block that its code can see. */
export interface BlockEnvironment {
  readonly number: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** 20 bytes. */
  readonly coinbase: Uint8Array;
  /** 20 bytes: the recipient of the fees, when it is not the coinbase. */
  readonly feeRecipient?: Uint8Array;
  readonly difficulty: bigint;
  readonly gasLimit: bigint;
  /** Wei per gas; the result of BASEFEE when there is no base fee. */
  readonly minimumGasPrice: bigint;
  /** Wei per gas; `null` under rule sets without a base fee. */
  readonly baseFeePerGas: bigint | null;
  /** The blob gas of earlier blocks above their targets; `null` under rule sets without blobs (EIP-4844). */
  readonly excessBlobGas: bigint | null;
  /** Wei per blob gas, which follows from the excess; `null` under rule sets without blobs. */
  readonly blobBaseFee: bigint | null;
  /** 32 bytes; the result of PREVRANDAO since Paris. */
  readonly prevRandao: Uint8Array;
  /** 32 bytes: what EIP-4788 tells code of the beacon chain; `null` under rule sets without it. */
  readonly parentBeaconBlockRoot: Uint8Array | null;
  /** The result of SLOTNUM; `null` under rule sets without it (EIP-7843). */
  readonly slotNumber: bigint | null;
  /** Returns the hash of one of the 256 blocks before this one; zeros for any other number. */
  blockHash(number: number): Uint8Array;
  /** Returns the earlier block with that number; `undefined` when there is none. */
  ancestor(number: number): Block | undefined;
  /** The blocks right before this one in which the protocol made no calls; absent when there are none. */
  readonly uncalled?: UncalledBlocks | undefined;
  /**
   * The contracts (20 bytes) that ended in the block before anything runs in this environment, for rules by which their addresses
   * stay taken until the block ends; absent when there are none.
   */
  readonly ended?: readonly Uint8Array[];
  /** Precompiles at other addresses than in the rules; absent when there are none. */
  readonly movedPrecompiles?: MovedPrecompiles;
}

/**
 * By address, as `hexKey` spells it: the address (20 bytes) in the rules of the precompile that is moved there, or
 * `null` when there is none any more.
 */
export type MovedPrecompiles = ReadonlyMap<string, Uint8Array | null>;

/** Consecutive blocks in which the protocol made no calls, so that the next one stores the hashes that EIP-2935 has for them. */
export interface UncalledBlocks {
  /** The number of the lowest one. */
  readonly first: number;
  /** Returns the hash of the parent of one of them, 32 bytes. */
  parentHashOf(number: number): Uint8Array;
}

/** The message to execute: the fields of a transaction or of a call. */
export interface Message extends BlobFields {
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
  /**
   * The part of `gasLimit` that is for new state alone where that has a gas of its own (EIP-8037). Absent in transactions, which
   * have as much of it as their gas limit is above the most that is for execution.
   */
  readonly stateReservoir?: bigint;
  /** True to lift the gas limit of a transaction (EIP-7825), for a simulation or a transaction that was mined before. */
  readonly isUncapped?: boolean;
  /**
   * Asked before logs, which take so many bytes, become a part of the result: it has none of them where the answer is false. What
   * is thrown ends the execution. Absent where the result has all logs.
   */
  readonly keepsLogs?: (bytes: number) => boolean;
}

/** The bytes that a log takes besides its data. */
export const LOG_BYTES = 256;

export interface ExecutionResult {
  readonly outcome: Outcome;
  /** The reason of the halt (`out of gas`, `invalid opcode 0xfe`); `null` unless the outcome is `halt`. */
  readonly haltReason: string | null;
  /** Gas charged in total: with the intrinsic cost, without the refund. */
  readonly gasUsed: bigint;
  /**
   * Gas that the sender paid for. It equals `gasUsed`, except for a transaction directly to a precompile that refuses
   * its input: under the network's rules that one pays for its whole gas limit, whatever its receipt says.
   */
  readonly gasPaid: bigint;
  /** Gas used at the peak, before the refund. */
  readonly gasBeforeRefund: bigint;
  /** The part of it that was for new state; 0 under rule sets where that has no gas of its own (EIP-8037). */
  readonly stateGas: bigint;
  /** The gas of execution before the refund, at least the floor of the data. */
  readonly executionGas: bigint;
  /** Wei per gas that the sender paid. */
  readonly effectiveGasPrice: bigint;
  /**
   * The data that the code returned (for a creation: the new contract's code), or the data of a revert; empty on a
   * halt.
   */
  readonly returnData: Uint8Array;
  /** Empty unless the outcome is `success`, and where {@link Message.keepsLogs} says so. */
  readonly logs: readonly Log[];
  /** 20 bytes for a creation, whether it succeeded or not; else `null`. */
  readonly createdAddress: Uint8Array | null;
  /**
   * The output of code to the console of contracts (`CONSOLE_ADDRESS`), whatever the outcome; absent when there is
   * none. Calling the console costs and does the same as calling any account without code.
   */
  readonly console?: ConsoleRecord;
  /** True for a message directly to a precompile that failed, although the outcome is `success`; otherwise absent. */
  readonly isFailedPrecompile?: true;
  /** The frames that ran; present only on chains that measure them (`ChainCore.recordsFrames`). */
  readonly frames?: FrameRecord;
}

/** Returns true for an execution that failed, also if its receipt has the status of a success. */
export function hasFailed({
  outcome,
  isFailedPrecompile,
}: Pick<ExecutionResult, 'outcome' | 'isFailedPrecompile'>): boolean {
  return outcome !== 'success' || isFailedPrecompile === true;
}

/** Resolves for a block that is valid on top of its parent, and rejects for any other. */
export type ValidateBlock = (block: Block, parent: ParentBlock) => Promise<void>;

/** Executes a message in a block. */
export type Execute = (
  environment: BlockEnvironment,
  state: Overlay,
  message: Message,
  observer?: ExecutionObserver,
  checkInterrupt?: CheckInterrupt,
) => Awaitable<ExecutionResult>;

/**
 * Executes messages on a state. There are several implementations, which must agree in everything but speed. The result
 * is returned synchronously when the engine need not wait; it is a promise when the engine waits for its library, for
 * state to be fetched (`MissingStateError`), or for other work to run during long work.
 */
export interface Engine {
  readonly name: string;
  /**
   * Executes a transaction: buys gas, raises the sender's nonce, executes, refunds, pays the fee to the block's
   * recipient of fees. Its changes are made in `state`. The caller has checked admission (nonce, balance, gas limits);
   * a message that cannot be executed throws {@link UnexecutableError} and leaves the state unchanged. The sender may
   * have code, so that contracts can be impersonated (against EIP-3607). `observer` receives the events of the
   * execution. `checkInterrupt` is called now and then during long work; its error ends the execution and is rethrown,
   * and `state` must not be used afterwards.
   */
  readonly transact: Execute;
  /**
   * Executes a message as a read-only call: the nonce is not checked, a balance too small for the gas or the value is
   * increased, the fee is irrelevant. A message that offers less than the base fee is executed with a base fee of its
   * offer. The caller discards `state` afterwards. `observer` and `checkInterrupt` are as for {@link transact}.
   */
  readonly call: Execute;
  /**
   * Validates a sealed block before it comes onto the chain, as another implementation does. Rejects with an
   * `EngineDifferenceError` for a block that is not valid there. Absent where no other implementation is asked.
   */
  readonly validate?: ValidateBlock;
}

/** Thrown when a message violates a rule that applies before any execution (intrinsic gas, nonce, funds, size). */
export class UnexecutableError extends Error {
  override readonly name = 'UnexecutableError';
}

/** Thrown by an engine for a valid message that it cannot execute; another engine may. */
export class UnsupportedMessageError extends UnexecutableError {}
