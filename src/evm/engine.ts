// The interface of all execution engines: messages, environments and results.

import type { Awaitable } from '../primitives/awaitable.ts';
import type { Block, ParentBlock } from '../protocol/block.ts';
import type { RuleSet } from '../protocol/hardforks/rule-set.ts';
import type { Log } from '../protocol/receipt.ts';
import type { AccessListEntry, Authorization, BlobFields } from '../protocol/transaction.ts';
import type { CancelCheck } from '../scheduling/cancel-check.ts';
import type { Overlay } from '../state/overlay.ts';
import type { ConsoleRecord } from './console.ts';
import type { FrameRecord } from './frame-recorder.ts';
import type { ExecutionObserver, Outcome } from './observer.ts';

/** The block properties that contract code can read. */
export interface BlockEnvironment {
  readonly number: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** 20 bytes. */
  readonly coinbase: Uint8Array;
  /** 20 bytes: the recipient of the fees; undefined if it is the coinbase. */
  readonly feeRecipient?: Uint8Array;
  readonly difficulty: bigint;
  readonly gasLimit: bigint;
  /** Wei per gas; the result of BASEFEE under rule sets without a base fee. */
  readonly minimumGasPrice: bigint;
  /** Wei per gas; `null` under rule sets without a base fee. */
  readonly baseFeePerGas: bigint | null;
  /** Excess blob gas of the earlier blocks (EIP-4844); `null` under rule sets without blobs. */
  readonly excessBlobGas: bigint | null;
  /** Wei per blob gas, computed from `excessBlobGas`; `null` under rule sets without blobs. */
  readonly blobBaseFee: bigint | null;
  /** 32 bytes; the result of PREVRANDAO from Paris on. */
  readonly prevRandao: Uint8Array;
  /** 32 bytes (EIP-4788); `null` under rule sets without EIP-4788. */
  readonly parentBeaconBlockRoot: Uint8Array | null;
  /** The result of SLOTNUM (EIP-7843); `null` under rule sets without SLOTNUM. */
  readonly slotNumber: bigint | null;
  /** Returns the hash of one of the 256 previous blocks; zeros for any other number. */
  blockHash(number: number): Uint8Array;
  /** Returns the ancestor with this number; `undefined` if absent. */
  ancestor(number: number): Block | undefined;
  /** The preceding blocks without system calls; undefined if there are none. */
  readonly uncalled?: BlocksWithoutCalls | undefined;
  /** Contracts (20 bytes) that selfdestructed earlier in the block and reserve their addresses. */
  readonly ended?: readonly Uint8Array[];
  /**
   * True if BASEFEE and BLOBBASEFEE return the fees of the block although a call offers less. Otherwise, they
   * return the lower fees that the call pays.
   */
  readonly showsFees?: true;
  /** Wei per blob gas: the result of BLOBBASEFEE if it differs from `blobBaseFee`. */
  readonly shownBlobBaseFee?: bigint | null;
  /** Precompiles moved to other addresses. */
  readonly movedPrecompiles?: MovedPrecompiles;
}

/**
 * By address as a `hexKey`: the original address (20 bytes) of the precompile moved there. `null` if the
 * address no longer has a precompile.
 */
export type MovedPrecompiles = ReadonlyMap<string, Uint8Array | null>;

/** Consecutive blocks without system calls. The next system call stores their hashes (EIP-2935). */
export interface BlocksWithoutCalls {
  /** The number of the first block. */
  readonly first: number;
  /** Returns the parent hash of a block in the range, 32 bytes. */
  parentHashOf(number: number): Uint8Array;
}

/** A slot of transient storage with its value (EIP-1153). */
export interface TransientSlot {
  /** 20 bytes. */
  readonly address: Uint8Array;
  /** 32 bytes. */
  readonly slot: Uint8Array;
  /** Without leading zeros. */
  readonly value: Uint8Array;
}

/** The transaction around a message that runs in the middle of it. */
export interface OuterTransaction {
  /** 20 bytes; the result of ORIGIN. */
  readonly origin: Uint8Array;
  /** Wei per gas; the result of GASPRICE. */
  readonly gasPrice: bigint;
  readonly transientStorage: readonly TransientSlot[];
}

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
  /** Gas only for new state (EIP-8037). Default: `gasLimit` minus the execution limit. */
  readonly stateReservoir?: bigint;
  /** Disables the gas limit of EIP-7825, for simulations and mined transactions. */
  readonly isUncapped?: boolean;
  /**
   * Runs the message as a static call inside this transaction. BASEFEE is the base fee of the block, and the
   * sender pays no fee. Only for {@link Engine.call} with a value and a fee of 0.
   */
  readonly inside?: OuterTransaction;
  /**
   * Called with the size in bytes before logs are added to the result. If it returns false, the result has no
   * logs. An error that it throws ends the execution. Default: the result has all logs.
   */
  readonly keepsLogs?: (bytes: number) => boolean;
  /**
   * Called at the end if the code did not observe its gas. If the gas costs nothing, the message then runs in
   * the same way with `gasBeforeRefund` as its gas limit. The reference engine does not call it.
   */
  readonly onUnobservedGas?: () => void;
}

/** The gas paid before any code runs. */
export interface StartingGas {
  readonly intrinsic: bigint;
  /** The minimum charge of the whole transaction (EIP-7623); 0 under rule sets without it. */
  readonly floor: bigint;
}

/** Values that follow from a message. The caller passes them if it has computed them already. */
export interface MessageCosts {
  /** Maximum wei that the message can take from its sender. */
  readonly maximumCost: bigint;
  startingGas(ruleSet: RuleSet): StartingGas;
}

/** Size of a log in bytes, excluding its data. */
export const LOG_BYTES = 256;

export interface ExecutionResult {
  readonly outcome: Outcome;
  /** The reason (`out of gas`, `invalid opcode 0xfe`); `null` unless the outcome is `halt`. */
  readonly haltReason: string | null;
  /** Gas charged in total, including the intrinsic gas, after the refund. */
  readonly gasUsed: bigint;
  /**
   * Gas that the sender paid. It differs from `gasUsed` only under Rootstock's rules: a transaction sent
   * directly to a precompile that fails pays its whole gas limit.
   */
  readonly gasPaid: bigint;
  readonly gasBeforeRefund: bigint;
  /** The part used to create state (EIP-8037); 0 under rule sets without state gas. */
  readonly stateGas: bigint;
  /** Execution gas before the refund, at least the calldata floor (EIP-7623). */
  readonly executionGas: bigint;
  /** Wei per gas. */
  readonly effectiveGasPrice: bigint;
  /** The returned data (for a creation, the code of the new contract) or the revert data; empty on a halt. */
  readonly returnData: Uint8Array;
  /** Empty unless the outcome is `success`, or if {@link Message.keepsLogs} returned false. */
  readonly logs: readonly Log[];
  /** 20 bytes for a creation, even if it failed; otherwise `null`. */
  readonly createdAddress: Uint8Array | null;
  /**
   * Calls to the Solidity console (`CONSOLE_ADDRESS`), for every outcome; undefined if there are none. A call
   * to the console costs as much as a call to any account without code.
   */
  readonly console?: ConsoleRecord;
  /** True if a precompile called directly by the message failed although the outcome is `success`. */
  readonly isFailedPrecompile?: true;
  /** The executed frames; only on chains that record them (`ChainCore.recordsFrames`). */
  readonly frames?: FrameRecord;
}

/** Returns true if an execution failed, even if its receipt reports success. */
export function hasFailed({
  outcome,
  isFailedPrecompile,
}: Pick<ExecutionResult, 'outcome' | 'isFailedPrecompile'>): boolean {
  return outcome !== 'success' || isFailedPrecompile === true;
}

/** Resolves if the block is valid on top of its parent; otherwise rejects. */
export type ValidateBlock = (block: Block, parent: ParentBlock) => Promise<void>;

export type Execute = (
  environment: BlockEnvironment,
  state: Overlay,
  message: Message,
  observer?: ExecutionObserver,
  checkCancelled?: CancelCheck,
  costs?: MessageCosts,
) => Awaitable<ExecutionResult>;

/**
 * Executes messages on a state. All engines must return the same results. The result is synchronous unless
 * the engine loads its library, fetches state (`MissingStateError`) or yields during a long execution.
 */
export interface Engine {
  readonly name: string;
  /**
   * Executes a transaction: buys gas, increments the nonce, executes, refunds, and pays the fee recipient.
   * Writes its changes to `state`. The caller checks admission first (nonce, balance, gas limits). Throws
   * {@link UnexecutableError} if the message cannot be executed; `state` is then unchanged. The sender may
   * have code, so that contracts can be impersonated (unlike EIP-3607). `checkCancelled` is called regularly
   * during a long execution. If it throws, the execution ends with that error, and `state` must be discarded.
   */
  readonly transact: Execute;
  /**
   * Executes a message as a read-only call. The nonce is not checked and no fee is due. A balance below gas
   * cost plus value is increased. If the message offers less than the base fee, the offer is used as the base
   * fee. The caller discards `state` afterwards. `observer` and `checkCancelled` work as in {@link transact}.
   */
  readonly call: Execute;
  /**
   * Validates a sealed block with a second implementation before it is added to the chain. Rejects with an
   * `EngineDifferenceError` if the block is invalid there. Undefined without a second implementation.
   */
  readonly validate?: ValidateBlock;
}

/** Thrown if a message violates a rule checked before execution (intrinsic gas, nonce, funds, size). */
export class UnexecutableError extends Error {
  override readonly name = 'UnexecutableError';
}

/** Thrown for a valid message that this engine does not support, although another engine may. */
export class UnsupportedMessageError extends UnexecutableError {}
