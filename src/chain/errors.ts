import { CodedError, type ErrorEntry, type FilledEntry, fill } from '../primitives/coded-error.ts';
import { codedError } from '../primitives/error-class.ts';
import { toHex, toQuantity } from '../primitives/hex.ts';
import type { HardforkName } from '../protocol/hardforks/registry.ts';
import { type CallResult, type GasCut, gasCutText } from './call-environment.ts';

/** A number that the chain assigned, or a name that the client chose. */
export type SnapshotId = number | string;

/** The key to revert to a snapshot: its id, or the symbol of a hidden snapshot. */
export type SnapshotKey = SnapshotId | symbol;

/** Thrown if no block matches the selector. */
export class BlockNotFoundError extends codedError({
  name: 'BlockNotFound',
  code: -32600,
  message: 'Block {wanted} not found (header not found, the head is block {head})',
  page: 'chain',
}) {
  /** `wanted` is the selector as text, `head` the number of the highest block. */
  constructor(
    readonly wanted: string,
    readonly head: number,
  ) {
    super({ wanted, head });
  }
}

/** Thrown for the witness of the first block, because that block was not executed. */
export class NoExecutionError extends codedError({
  name: 'BlockNotExecuted',
  code: -32602,
  message:
    'invalid params: block: block {number} is the first block and has no execution; pass a later block',
  page: 'chain',
}) {
  constructor(number: number) {
    super({ number });
  }
}

/** Thrown for a block that `--prune-history` removed. Code and start of the message: EIP-4444 clients. */
export class PrunedHistoryError extends codedError({
  name: 'PrunedHistory',
  code: 4444,
  message:
    'pruned history unavailable: block {number} was removed by --prune-history; the oldest block is {oldest}',
  page: 'chain',
}) {
  /** `oldest` is the number of the oldest stored block. */
  constructor(number: number, oldest: number) {
    super({ number, oldest });
  }
}

/**
 * Thrown if the client requires a canonical block (EIP-1898) and the hash belongs to a side block. The code
 * and the start of the message are Rootstock's; the part in brackets is geth's.
 */
export class BlockNotCanonicalError extends codedError({
  name: 'BlockNotCanonical',
  code: -32600,
  message: 'Block with hash {hash} is not canonical and it is required (hash is not currently canonical)',
  page: 'chain',
}) {
  constructor(hash: Uint8Array) {
    super({ hash: toHex(hash) });
  }
}

const MOVE_REASONS = {
  source: 'the address is not a precompile',
  itself: 'the target is the same address',
  overridden: 'the target address also has overrides',
  taken: 'another precompile moves to the target address',
} as const;

/** The reason why a precompile cannot move. */
export type PrecompileMoveFault = keyof typeof MOVE_REASONS;

/** Thrown if a state override moves an account that is no precompile, or moves to an invalid target. */
export class PrecompileMoveError extends codedError({
  name: 'InvalidPrecompileMove',
  code: -32602,
  message: 'invalid params: {place}: cannot move the precompile to {target}: {reason}',
  page: 'chain',
}) {
  readonly fault: PrecompileMoveFault;

  /** Addresses have 20 bytes. */
  constructor(address: Uint8Array, target: Uint8Array, fault: PrecompileMoveFault) {
    const place = `${toHex(address)}.movePrecompileToAddress`;
    const reason = MOVE_REASONS[fault];
    super({ place, target: toHex(target), reason });
    this.fault = fault;
  }
}

export class TransactionNotFoundError extends codedError({
  name: 'TransactionNotFound',
  code: -32000,
  message: 'transaction {hash} not found',
  page: 'chain',
}) {
  /** `hash` as hex text. */
  constructor(hash: string) {
    super({ hash });
  }
}

export class TransactionIndexError extends codedError({
  name: 'TransactionIndexOutOfRange',
  code: -32000,
  message: 'transaction index {index} out of range: block {block} has {count} transactions',
  page: 'chain',
}) {
  constructor(index: number, block: number, count: number) {
    super({ index, block, count });
  }
}

/** Thrown if a block to build cannot include a transaction that must be in it. */
export class NotIncludableError extends codedError({
  name: 'TransactionNotIncludable',
  code: -32000,
  message: 'transactions[{index}] cannot be included: {reason}',
  page: 'chain',
}) {
  constructor(index: number, reason: string) {
    super({ index, reason });
  }
}

/** Thrown if a nonce would decrease and that is not allowed. The message is Hardhat's. */
export class NonceLoweredError extends codedError({
  name: 'NonceLowered',
  code: -32000,
  message: 'New nonce ({given}) must not be smaller than the existing nonce ({nonce})',
  page: 'chain',
}) {
  constructor(given: bigint, nonce: bigint) {
    super({ given, nonce });
  }
}

/** Thrown if the state has no account at an address. */
export class NoAccountError extends codedError({
  name: 'NoAccount',
  code: -32000,
  message: "account {address} doesn't exist",
  page: 'chain',
}) {
  constructor(address: Uint8Array) {
    super({ address: toHex(address) });
  }
}

/** Thrown for a timestamp (seconds since 1970) below the earliest valid one for the next block. */
export class TimestampTooLowError extends codedError({
  name: 'TimestampTooLow',
  code: -32602,
  message:
    'invalid params: timestamp: expected {bound} {headTimestamp}, the timestamp of the head block, got {given}',
  page: 'chain',
}) {
  constructor(
    readonly given: number,
    readonly headTimestamp: number,
    earliest: number,
  ) {
    const bound = earliest > headTimestamp ? 'more than' : 'at least';
    super({ bound, headTimestamp, given });
  }
}

/** Thrown if the last block's number or timestamp would exceed the safe integers. */
export class SeriesTooLongError extends codedError({
  name: 'TooManyBlocks',
  code: -32602,
  message: 'invalid params: blocks: the {what} of the last block would exceed {highest}; mine fewer blocks',
  page: 'chain',
}) {
  /** `highest` is the maximum of the number or timestamp. */
  constructor(what: 'number' | 'timestamp', highest: number) {
    super({ what, highest });
  }
}

/** Thrown if the chain closes during the search for a proof of work. The block is not mined. */
export class MiningStoppedError extends codedError({
  name: 'MiningStopped',
  code: -32000,
  message: 'the block was not mined because the node is closing',
  page: 'chain',
}) {}

/** Thrown if the chain is reset before a queued request runs. The request does not run on the new chain. */
export class ChainResetError extends codedError({
  name: 'ChainReset',
  code: -32000,
  message: 'the request was not executed because the chain was reset before its turn; send the request again',
  page: 'chain',
}) {}

/** Thrown for a block field that the rule set does not have. */
export class NotInRuleSetError extends codedError({
  name: 'NotInHardfork',
  code: -32602,
  message: 'blocks have no {what} in hardfork {ruleSetName}; use --hardfork {first} or later',
  page: 'chain',
}) {
  constructor(what: string, ruleSetName: string, first: HardforkName) {
    super({ what, ruleSetName, first });
  }
}

/** Thrown for a reorganization of more blocks than the chain has after its first block. */
export class ReorgDepthError extends codedError({
  name: 'ReorgTooDeep',
  code: -32602,
  message:
    'cannot remove {depth} blocks: the head is block {head} and the first block is {first}; use a smaller depth',
  page: 'chain',
}) {
  /** `first` is the block that always remains: above 0 on forks, pruned chains and some genesis files. */
  constructor(depth: number, head: number, first: number) {
    super({ depth, head, first });
  }
}

/** Thrown for a rewind to a block above the head. */
export class RewindTargetError extends codedError({
  name: 'RewindAboveHead',
  code: -32000,
  message: 'not allowed to rewind to a future block: {number} is above the head, block {head}',
  page: 'chain',
}) {
  constructor(number: number, head: number) {
    super({ number, head });
  }
}

/** Thrown if a transaction cannot be executed in a replacement block. */
export class ReorgTransactionError extends codedError({
  name: 'ReorgTransaction',
  code: -32000,
  message: 'transaction {hash} cannot be executed in replacement block {index}: {reason}',
  page: 'chain',
}) {
  /** `index` is the index among the replacement blocks. */
  constructor(hash: Uint8Array, index: number, reason: string) {
    super({ hash: toHex(hash), index, reason });
  }
}

/** Thrown if the storage of a token does not reveal the slot of a balance or an allowance. */
export class TokenSlotNotFoundError extends codedError({
  name: 'TokenSlotNotFound',
  code: -32000,
  message: 'Unable to set ERC20 {what}, no slot found',
  page: 'chain',
}) {
  /** `what` is `balance` or `allowance`. */
  constructor(what: string) {
    super({ what });
  }
}

/** Thrown if a mined transaction is to be dropped from the pool. */
export class TransactionMinedError extends codedError({
  name: 'TransactionMined',
  code: -32000,
  message: "Transaction {hash} cannot be dropped because it's already mined",
  page: 'chain',
}) {
  constructor(hash: Uint8Array) {
    super({ hash: toHex(hash) });
  }
}

/** Thrown for a ban of an invalid address or of this machine. The start of the message is Rootstock's. */
export class InvalidBannedAddressError extends codedError({
  name: 'InvalidBanAddress',
  code: -32602,
  message: 'invalid banned address {given}: {reason}',
  page: 'chain',
}) {
  constructor(given: string, reason: string) {
    super({ given: given.slice(0, 100), reason });
  }
}

/** Thrown for an unknown filter: an invalid id, or an uninstalled or expired filter. */
export class FilterNotFoundError extends codedError({
  name: 'FilterNotFound',
  code: -32000,
  message: 'filter not found',
  page: 'chain',
}) {}

/** Thrown for a call or transaction that breaks a rule before execution. */
export class CallRejectedError extends codedError({
  name: 'CallRejected',
  code: -32000,
  message: '{message}',
  page: 'chain',
}) {
  constructor(message: string) {
    super({ message });
  }
}

/** Thrown if a call's sender cannot pay. Code, message and check exist in Anvil's error style only. */
export class UnpaidCallError extends CodedError {
  static readonly entries = {
    funds: {
      name: 'InsufficientCallFunds',
      code: -32003,
      message: 'Insufficient funds for gas * price + value',
      page: 'chain',
    },
    allowance: {
      name: 'InsufficientCallGas',
      code: -32003,
      message: 'Out of gas: gas required exceeds allowance: {gas}',
      page: 'chain',
    },
  } as const satisfies Readonly<Record<string, ErrorEntry>>;

  private constructor(filled: FilledEntry) {
    super(filled);
  }

  /** A balance below gas limit × price + value. */
  static funds(): UnpaidCallError {
    return new UnpaidCallError(fill(UnpaidCallError.entries.funds));
  }

  /** A message that needs more gas than its sender can pay for. */
  static allowance(gas: bigint): UnpaidCallError {
    return new UnpaidCallError(fill(UnpaidCallError.entries.allowance, { gas }));
  }
}

/** Thrown for a message that fails with any amount of gas, so its gas cannot be estimated. */
export class EstimateFailedError extends Error {
  override readonly name = 'EstimateFailedError';
  readonly result: CallResult;
  constructor(result: CallResult) {
    super(`the execution ends with ${result.outcome}`);
    this.result = result;
  }
}

/** Thrown if the results of one request's calls exceed the memory limit. */
export class ResultsTooLargeError extends codedError({
  name: 'ResultsTooLarge',
  code: -32000,
  message: 'results too large: return data and logs exceed {maxBytes} bytes; send fewer calls per request',
  page: 'chain',
}) {
  constructor(maxBytes: number) {
    super({ maxBytes });
  }
}

/** Thrown for an invalid simulation, with the codes of `eth_simulateV1` (Ethereum execution APIs). */
export class SimulationError extends CodedError {
  static readonly entries = {
    tooManyBlocks: {
      name: 'SimulationBlocks',
      code: -38026,
      message: 'too many blocks: at most {most} can be simulated',
      page: 'chain',
    },
    numberOrder: {
      name: 'SimulationNumberOrder',
      code: -38020,
      message: 'block numbers must be in order: {number} <= {last}',
      page: 'chain',
    },
    timestampOrder: {
      name: 'SimulationTimestampOrder',
      code: -38021,
      message: 'block timestamps must be in order: {timestamp} <= {last}',
      page: 'chain',
    },
    nonceTooLow: {
      name: 'SimulationNonceTooLow',
      code: -38010,
      message: 'nonce too low: next is {next}, got {given}',
      page: 'chain',
    },
    nonceTooHigh: {
      name: 'SimulationNonceTooHigh',
      code: -38011,
      message: 'nonce too high: next is {next}, got {given}',
      page: 'chain',
    },
    nonceMaximum: {
      name: 'SimulationNonceMaximum',
      code: -32000,
      message: 'nonce has max value: {nonce}',
      page: 'chain',
    },
    feeCap: {
      name: 'SimulationFeeCap',
      code: -38012,
      message: 'max fee per gas less than block base fee: {given} offered, {least} needed',
      page: 'chain',
    },
    priorityFee: {
      name: 'SimulationPriorityFee',
      code: -32602,
      message: 'max priority fee per gas higher than max fee per gas: {priorityFee} over {fee}',
      page: 'chain',
    },
    intrinsicGas: {
      name: 'SimulationIntrinsicGas',
      code: -38013,
      message: 'intrinsic gas too low: have {given}, want {needed}{cut}',
      page: 'chain',
    },
    funds: {
      name: 'SimulationFunds',
      code: -38014,
      message: 'insufficient funds for gas * price + value: have {balance}, want {cost}',
      page: 'chain',
    },
    blockGas: {
      name: 'SimulationBlockGas',
      code: -38015,
      message: 'block gas limit reached: {given} requested, {left} left',
      page: 'chain',
    },
    blobGas: {
      name: 'SimulationBlobGas',
      code: -32602,
      message: 'blob gas usage exceeds the limit of {limit} gas per block.',
      page: 'chain',
    },
    blobFee: {
      name: 'SimulationBlobFee',
      code: -32003,
      message:
        'Block `blob_gas_price` is greater than tx-specified `max_fee_per_blob_gas` (got {given}, blob base fee {least})',
      page: 'chain',
    },
    unexecutable: { name: 'SimulationRejected', code: -32000, message: '{reason}', page: 'chain' },
  } as const satisfies Readonly<Record<string, ErrorEntry>>;

  private constructor(filled: FilledEntry) {
    super(filled);
  }

  /** More blocks than `most`, including blocks that fill gaps. */
  static tooManyBlocks(most: number): SimulationError {
    return new SimulationError(fill(SimulationError.entries.tooManyBlocks, { most }));
  }

  static numberOrder(number: number, last: number): SimulationError {
    return new SimulationError(fill(SimulationError.entries.numberOrder, { number, last }));
  }

  /** Timestamps in seconds since 1970. */
  static timestampOrder(timestamp: number, last: number): SimulationError {
    return new SimulationError(fill(SimulationError.entries.timestampOrder, { timestamp, last }));
  }

  static nonce(given: bigint, next: bigint): SimulationError {
    const { nonceTooLow, nonceTooHigh } = SimulationError.entries;
    return new SimulationError(
      given < next ? fill(nonceTooLow, { next, given }) : fill(nonceTooHigh, { next, given }),
    );
  }

  /** The sender has the highest nonce (EIP-2681). The code is geth's. */
  static nonceMaximum(nonce: bigint): SimulationError {
    return new SimulationError(fill(SimulationError.entries.nonceMaximum, { nonce }));
  }

  /** Fees in wei per gas. */
  static feeCap(given: bigint, least: bigint): SimulationError {
    return new SimulationError(fill(SimulationError.entries.feeCap, { given, least }));
  }

  /** Fees in wei per gas. */
  static priorityFee(priorityFee: bigint, fee: bigint): SimulationError {
    return new SimulationError(fill(SimulationError.entries.priorityFee, { priorityFee, fee }));
  }

  /** `cut` is present if an option cut the gas. */
  static intrinsicGas(given: bigint, needed: bigint, cut: GasCut | undefined): SimulationError {
    const reason = cut === undefined ? '' : ` (${gasCutText(cut)})`;
    return new SimulationError(fill(SimulationError.entries.intrinsicGas, { given, needed, cut: reason }));
  }

  /** `balance` and `cost` in wei. */
  static funds(balance: bigint, cost: bigint): SimulationError {
    return new SimulationError(fill(SimulationError.entries.funds, { balance, cost }));
  }

  static blockGas(given: bigint, left: bigint): SimulationError {
    return new SimulationError(fill(SimulationError.entries.blockGas, { given, left }));
  }

  static blobGas(limit: bigint): SimulationError {
    return new SimulationError(fill(SimulationError.entries.blobGas, { limit }));
  }

  /** Fees in wei per blob gas. */
  static blobFee(given: bigint, least: bigint): SimulationError {
    return new SimulationError(fill(SimulationError.entries.blobFee, { given, least }));
  }

  static unexecutable(reason: string): SimulationError {
    return new SimulationError(fill(SimulationError.entries.unexecutable, { reason }));
  }
}

/** Thrown for an unknown snapshot. */
export class SnapshotNotFoundError extends codedError({
  name: 'SnapshotNotFound',
  code: -32602,
  message: 'snapshot not found: {key}',
  page: 'chain',
}) {
  constructor(key: SnapshotKey) {
    const words =
      typeof key === 'symbol'
        ? 'the snapshot was released, or a revert to an earlier snapshot removed it'
        : typeof key === 'number'
          ? toQuantity(key)
          : JSON.stringify(key);
    super({ key: words });
  }
}

/** Thrown if an accepted transaction is not mined within the timeout (EIP-7966). */
export class ReceiptTimeoutError extends codedError({
  name: 'ReceiptTimeout',
  code: 4,
  message: 'The transaction was added to the pool but not mined within {milliseconds} ms',
  page: 'chain',
}) {
  /** The hash of the transaction, as DATA. */
  override readonly data: string;
  constructor(hash: string, milliseconds: number) {
    super({ milliseconds });
    this.data = hash;
  }
}

/** Thrown if the chain closes while a client waits for its result. */
export class ChainClosedError extends codedError({
  name: 'ChainClosed',
  code: -32000,
  message: 'the chain is closed',
  page: 'chain',
}) {}
