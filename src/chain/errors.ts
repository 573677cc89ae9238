import { CodedError, type ErrorEntry, type FilledEntry, fill } from '../primitives/coded-error.ts';
import { toHex, toQuantity } from '../primitives/hex.ts';
import { type CallResult, type GasCut, gasCutText } from './call-site.ts';

/** The id of a snapshot: a number that the chain gave, or a name that the caller chose. */
export type SnapshotId = number | string;

/** The key by which a snapshot is reverted to: its id, or the symbol that the taker of a hidden one was given. */
export type SnapshotKey = SnapshotId | symbol;

/** No block answers to the selector. */
export class BlockNotFoundError extends CodedError {
  static readonly entry = {
    name: 'BlockNotFound',
    code: -32600,
    message: 'Block {wanted} not found (header not found, the head is block {head})',
    page: 'chain',
  } as const satisfies ErrorEntry;

  /** The selector in words, and the number of the highest block. */
  constructor(
    readonly wanted: string,
    readonly head: number,
  ) {
    super(fill(BlockNotFoundError.entry, { wanted, head }));
  }
}

/** The first block of a chain was not executed, so it has no witness. */
export class NoExecutionError extends CodedError {
  static readonly entry = {
    name: 'BlockNotExecuted',
    code: -32602,
    message:
      'invalid params: block: block {number} is the first block and has no execution; pass a later block',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(number: number) {
    super(fill(NoExecutionError.entry, { number }));
  }
}

/** The block was given up, as `--prune-history` asks for. The code and the first words are those of EIP-4444's clients. */
export class PrunedHistoryError extends CodedError {
  static readonly entry = {
    name: 'PrunedHistory',
    code: 4444,
    message:
      'pruned history unavailable: block {number} was removed by --prune-history; the oldest block is {oldest}',
    page: 'chain',
  } as const satisfies ErrorEntry;

  /** The numbers of the block, and of the oldest one that is kept. */
  constructor(number: number, oldest: number) {
    super(fill(PrunedHistoryError.entry, { number, oldest }));
  }
}

/**
 * The block with that hash is known, but lost against others, and the caller asked for one of the chain (EIP-1898). The
 * code and the first words are the network's, those in brackets geth's.
 */
export class BlockNotCanonicalError extends CodedError {
  static readonly entry = {
    name: 'BlockNotCanonical',
    code: -32600,
    message: 'Block with hash {hash} is not canonical and it is required (hash is not currently canonical)',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(hash: Uint8Array) {
    super(fill(BlockNotCanonicalError.entry, { hash: toHex(hash) }));
  }
}

/** A state override moves something that is no precompile, or to where it cannot stand. */
export class PrecompileMoveError extends CodedError {
  static readonly entry = {
    name: 'InvalidPrecompileMove',
    code: -32602,
    message: 'invalid params: {place}: cannot move the precompile to {target}: {reason}',
    page: 'chain',
  } as const satisfies ErrorEntry;

  /** Both addresses have 20 bytes; `reason` in words. */
  constructor(address: Uint8Array, target: Uint8Array, reason: string) {
    const place = `${toHex(address)}.movePrecompileToAddress`;
    super(fill(PrecompileMoveError.entry, { place, target: toHex(target), reason }));
  }
}

/** No mined transaction has that hash. */
export class TransactionNotFoundError extends CodedError {
  static readonly entry = {
    name: 'TransactionNotFound',
    code: -32000,
    message: 'transaction {hash} not found',
    page: 'chain',
  } as const satisfies ErrorEntry;

  /** `hash` as a person writes it. */
  constructor(hash: string) {
    super(fill(TransactionNotFoundError.entry, { hash }));
  }
}

/** A block has no transaction at an index. */
export class TransactionIndexError extends CodedError {
  static readonly entry = {
    name: 'TransactionIndexOutOfRange',
    code: -32000,
    message: 'transaction index {index} out of range: block {block} has {count} transactions',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(index: number, block: number, count: number) {
    super(fill(TransactionIndexError.entry, { index, block, count }));
  }
}

/** The nonce of an account is to be set lower than it is, where that is not allowed. In Hardhat's words, which its tests compare. */
export class NonceLoweredError extends CodedError {
  static readonly entry = {
    name: 'NonceLowered',
    code: -32000,
    message: 'New nonce ({given}) must not be smaller than the existing nonce ({nonce})',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(given: bigint, nonce: bigint) {
    super(fill(NonceLoweredError.entry, { given, nonce }));
  }
}

/** There is no account at an address in the state that is asked about. */
export class NoAccountError extends CodedError {
  static readonly entry = {
    name: 'NoAccount',
    code: -32000,
    message: "account {address} doesn't exist",
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(address: Uint8Array) {
    super(fill(NoAccountError.entry, { address: toHex(address) }));
  }
}

/** A timestamp that is lower than the earliest that a block on the head may have. Seconds since 1970. */
export class TimestampTooLowError extends CodedError {
  static readonly entry = {
    name: 'TimestampTooLow',
    code: -32602,
    message:
      'invalid params: timestamp: expected {bound} {headTimestamp}, the timestamp of the head block, got {given}',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(
    readonly given: number,
    readonly headTimestamp: number,
    earliest: number,
  ) {
    const bound = earliest > headTimestamp ? 'more than' : 'at least';
    super(fill(TimestampTooLowError.entry, { bound, headTimestamp, given }));
  }
}

/** So many blocks are to be made that their numbers or timestamps would not stay exact. */
export class SeriesTooLongError extends CodedError {
  static readonly entry = {
    name: 'TooManyBlocks',
    code: -32602,
    message: 'invalid params: blocks: the {what} of the last block would exceed {highest}; mine fewer blocks',
    page: 'chain',
  } as const satisfies ErrorEntry;

  /** `highest` is the highest that it can be. */
  constructor(what: 'number' | 'timestamp', highest: number) {
    super(fill(SeriesTooLongError.entry, { what, highest }));
  }
}

/** The chain closes while a proof of work for a block is searched for, which is not made then. */
export class MiningStoppedError extends CodedError {
  static readonly entry = {
    name: 'MiningStopped',
    code: -32000,
    message: 'the block was not mined because the node is closing',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor() {
    super(fill(MiningStoppedError.entry));
  }
}

/** The chain started anew before something was done that was asked of the one before; it is not done on the new one. */
export class ChainResetError extends CodedError {
  static readonly entry = {
    name: 'ChainReset',
    code: -32000,
    message:
      'the request was not executed because the chain was reset before its turn; send the request again',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor() {
    super(fill(ChainResetError.entry));
  }
}

/** Something is set that blocks do not have under the rule set. */
export class NotInRuleSetError extends CodedError {
  static readonly entry = {
    name: 'NotInHardfork',
    code: -32602,
    message: 'blocks have no {what} in hardfork {ruleSetName}; choose another --hardfork',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(what: string, ruleSetName: string) {
    super(fill(NotInRuleSetError.entry, { what, ruleSetName }));
  }
}

/** More blocks are to be taken away than there are after the first. */
export class ReorgDepthError extends CodedError {
  static readonly entry = {
    name: 'ReorgTooDeep',
    code: -32602,
    message:
      'cannot remove {depth} blocks: the head is block {head} and the first block is {first}; use a smaller depth',
    page: 'chain',
  } as const satisfies ErrorEntry;

  /** `first` is the number of the block that always stays, above 0 on forks, on pruned chains and with some genesis files. */
  constructor(depth: number, head: number, first: number) {
    super(fill(ReorgDepthError.entry, { depth, head, first }));
  }
}

/** The chain is to be rewound to a block that is above its head. */
export class RewindTargetError extends CodedError {
  static readonly entry = {
    name: 'RewindAboveHead',
    code: -32000,
    message: 'not allowed to rewind to a future block: {number} is above the head, block {head}',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(number: number, head: number) {
    super(fill(RewindTargetError.entry, { number, head }));
  }
}

/** A transaction of a replacing block that cannot be executed there. */
export class ReorgTransactionError extends CodedError {
  static readonly entry = {
    name: 'ReorgTransaction',
    code: -32000,
    message: 'transaction {hash} cannot be executed in replacement block {index}: {reason}',
    page: 'chain',
  } as const satisfies ErrorEntry;

  /** `index` is that of the block among the replacing ones. */
  constructor(hash: Uint8Array, index: number, reason: string) {
    super(fill(ReorgTransactionError.entry, { hash: toHex(hash), index, reason }));
  }
}

/** A contract whose storage does not show where it keeps what it answers. */
export class TokenSlotNotFoundError extends CodedError {
  static readonly entry = {
    name: 'TokenSlotNotFound',
    code: -32000,
    message: 'Unable to set ERC20 {what}, no slot found',
    page: 'chain',
  } as const satisfies ErrorEntry;

  /** `what` the slot holds: a balance or an allowance. */
  constructor(what: string) {
    super(fill(TokenSlotNotFoundError.entry, { what }));
  }
}

/** A mined transaction is to be taken out of the pool. */
export class TransactionMinedError extends CodedError {
  static readonly entry = {
    name: 'TransactionMined',
    code: -32000,
    message: "Transaction {hash} cannot be dropped because it's already mined",
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(hash: Uint8Array) {
    super(fill(TransactionMinedError.entry, { hash: toHex(hash) }));
  }
}

/** Thrown when a ban names no address, or this machine. The first words of the message are the network's. */
export class InvalidBannedAddressError extends CodedError {
  static readonly entry = {
    name: 'InvalidBanAddress',
    code: -32602,
    message: 'invalid banned address {given}: {reason}',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(given: string, reason: string) {
    super(fill(InvalidBannedAddressError.entry, { given: given.slice(0, 100), reason }));
  }
}

/** No filter has the id: there never was one, it was uninstalled, or it was not polled for too long. */
export class FilterNotFoundError extends CodedError {
  static readonly entry = {
    name: 'FilterNotFound',
    code: -32000,
    message: 'filter not found',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor() {
    super(fill(FilterNotFoundError.entry));
  }
}

/** A call or transaction that cannot be run at all: it breaks a rule that stands before execution. */
export class CallRejectedError extends CodedError {
  static readonly entry = {
    name: 'CallRejected',
    code: -32000,
    message: '{message}',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(message: string) {
    super(fill(CallRejectedError.entry, { message }));
  }
}

/** A call whose sender cannot pay what it offers. Code and words are Anvil's, whose dialect alone asks for funds. */
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

/** A message that fails with any amount of gas, so that no estimate of its gas is possible. */
export class EstimateFailedError extends Error {
  override readonly name = 'EstimateFailedError';
  readonly result: CallResult;
  constructor(result: CallResult) {
    super(`the execution ends with ${result.outcome}`);
    this.result = result;
  }
}

/** The results of the calls of one request take more memory than they may. */
export class ResultsTooLargeError extends CodedError {
  static readonly entry = {
    name: 'ResultsTooLarge',
    code: -32000,
    message: 'results too large: return data and logs exceed {mostBytes} bytes; send fewer calls per request',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(mostBytes: number) {
    super(fill(ResultsTooLargeError.entry, { mostBytes }));
  }
}

/** Thrown for a block or call that cannot be simulated, with the code of `eth_simulateV1` (Ethereum execution APIs). */
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
    unexecutable: { name: 'SimulationRejected', code: -32000, message: '{reason}', page: 'chain' },
  } as const satisfies Readonly<Record<string, ErrorEntry>>;

  private constructor(filled: FilledEntry) {
    super(filled);
  }

  /** More blocks than `most`, those that fill gaps included. */
  static tooManyBlocks(most: number): SimulationError {
    return new SimulationError(fill(SimulationError.entries.tooManyBlocks, { most }));
  }

  /** A block number that is not above the one before. */
  static numberOrder(number: number, last: number): SimulationError {
    return new SimulationError(fill(SimulationError.entries.numberOrder, { number, last }));
  }

  /** A time (seconds since 1970) that is not after the one before. */
  static timestampOrder(timestamp: number, last: number): SimulationError {
    return new SimulationError(fill(SimulationError.entries.timestampOrder, { timestamp, last }));
  }

  /** A nonce that is not the sender's next. */
  static nonce(given: bigint, next: bigint): SimulationError {
    const { nonceTooLow, nonceTooHigh } = SimulationError.entries;
    return new SimulationError(
      given < next ? fill(nonceTooLow, { next, given }) : fill(nonceTooHigh, { next, given }),
    );
  }

  /** Less per gas (wei) than the block takes. */
  static feeCap(given: bigint, least: bigint): SimulationError {
    return new SimulationError(fill(SimulationError.entries.feeCap, { given, least }));
  }

  /** A priority fee above the whole fee. Wei per gas. */
  static priorityFee(priorityFee: bigint, fee: bigint): SimulationError {
    return new SimulationError(fill(SimulationError.entries.priorityFee, { priorityFee, fee }));
  }

  /** A gas limit below the cost before execution; `cut` is absent unless an option cut it. */
  static intrinsicGas(given: bigint, needed: bigint, cut: GasCut | undefined): SimulationError {
    const reason = cut === undefined ? '' : ` (${gasCutText(cut)})`;
    return new SimulationError(fill(SimulationError.entries.intrinsicGas, { given, needed, cut: reason }));
  }

  /** A balance (wei) that does not pay for gas and value. */
  static funds(balance: bigint, cost: bigint): SimulationError {
    return new SimulationError(fill(SimulationError.entries.funds, { balance, cost }));
  }

  /** More gas than the block has left. */
  static blockGas(given: bigint, left: bigint): SimulationError {
    return new SimulationError(fill(SimulationError.entries.blockGas, { given, left }));
  }

  /** A message that breaks another rule. */
  static unexecutable(reason: string): SimulationError {
    return new SimulationError(fill(SimulationError.entries.unexecutable, { reason }));
  }
}

/** A chain was to begin at a snapshot that is not kept. */
export class SnapshotNotFoundError extends CodedError {
  static readonly entry = {
    name: 'SnapshotNotFound',
    code: -32602,
    message: 'snapshot not found: {key}',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor(key: SnapshotKey) {
    const words =
      typeof key === 'symbol'
        ? 'the snapshot was released, or a revert to an earlier snapshot removed it'
        : typeof key === 'number'
          ? toQuantity(key)
          : JSON.stringify(key);
    super(fill(SnapshotNotFoundError.entry, { key: words }));
  }
}

/** A transaction that was taken and not mined within the time that its sender would wait (EIP-7966). */
export class ReceiptTimeoutError extends CodedError {
  static readonly entry = {
    name: 'ReceiptTimeout',
    code: 4,
    message: 'The transaction was added to the pool but not mined within {milliseconds} ms',
    page: 'chain',
  } as const satisfies ErrorEntry;

  /** The hash of the transaction, as DATA. */
  override readonly data: string;
  constructor(hash: string, milliseconds: number) {
    super(fill(ReceiptTimeoutError.entry, { milliseconds }));
    this.data = hash;
  }
}

/** The chain was closed while the caller waited for what it had asked of it. */
export class ChainClosedError extends CodedError {
  static readonly entry = {
    name: 'ChainClosed',
    code: -32000,
    message: 'the chain is closed',
    page: 'chain',
  } as const satisfies ErrorEntry;

  constructor() {
    super(fill(ChainClosedError.entry));
  }
}
