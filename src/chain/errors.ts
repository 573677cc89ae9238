import { CodedError } from '../primitives/coded-error.ts';
import { toHex } from '../primitives/hex.ts';
import { type CallResult, type GasCut, gasCutText } from './call-site.ts';

/** The id of a snapshot: a number that the chain gave, or a name that the caller chose. */
export type SnapshotId = number | string;

/** The key by which a snapshot is reverted to: its id, or the symbol that the taker of a hidden one was given. */
export type SnapshotKey = SnapshotId | symbol;

/** No block answers to the selector. */
export class BlockNotFoundError extends CodedError {
  readonly code = -32600;
  /** The selector in words, and the number of the highest block. */
  constructor(
    readonly wanted: string,
    readonly head: number,
  ) {
    super(`Block ${wanted} not found (header not found, the head is block ${head})`);
  }
}

/** The first block of a chain was not executed, so it has no witness. */
export class NoExecutionError extends CodedError {
  readonly code = -32602;

  constructor(number: number) {
    super(
      `Invalid parameter 'block': block ${number} is the first block and was not executed; name a later block`,
    );
  }
}

/** The block was given up, as `--prune-history` asks for. The code and the first words are those of EIP-4444's clients. */
export class PrunedHistoryError extends CodedError {
  readonly code = 4444;
  /** The numbers of the block, and of the oldest one that is kept. */
  constructor(number: number, oldest: number) {
    super(
      `pruned history unavailable: block ${number} was given up (--prune-history), the oldest is ${oldest}`,
    );
  }
}

/**
 * The block with that hash is known, but lost against others, and the caller asked for one of the chain (EIP-1898). The
 * code and the first words are the network's, those in brackets geth's.
 */
export class BlockNotCanonicalError extends CodedError {
  readonly code = -32600;

  constructor(hash: Uint8Array) {
    super(
      `Block with hash ${toHex(hash)} is not canonical and it is required (hash is not currently canonical)`,
    );
  }
}

/** A state override moves something that is no precompile, or to where it cannot stand. */
export class PrecompileMoveError extends CodedError {
  readonly code = -32602;
  /** Both addresses have 20 bytes; `reason` in words. */
  constructor(address: Uint8Array, target: Uint8Array, reason: string) {
    const place = `${toHex(address)}.movePrecompileToAddress`;
    super(`Invalid state override '${place}': cannot move the precompile to ${toHex(target)}: ${reason}`);
  }
}

/** No mined transaction has that hash. */
export class TransactionNotFoundError extends CodedError {
  readonly code = -32000;
  /** `hash` as a person writes it. */
  constructor(hash: string) {
    super(`transaction ${hash} not found`);
  }
}

/** A block has no transaction at an index. */
export class TransactionIndexError extends CodedError {
  readonly code = -32000;
  constructor(index: number, block: number, count: number) {
    super(`transaction index ${index} out of range: block ${block} has ${count} transactions`);
  }
}

/** The nonce of an account is to be set lower than it is, where that is not allowed. In Hardhat's words, which its tests compare. */
export class NonceLoweredError extends CodedError {
  readonly code = -32000;
  constructor(given: bigint, nonce: bigint) {
    super(`New nonce (${given}) must not be smaller than the existing nonce (${nonce})`);
  }
}

/** There is no account at an address in the state that is asked about. */
export class NoAccountError extends CodedError {
  readonly code = -32000;
  constructor(address: Uint8Array) {
    super(`account ${toHex(address)} doesn't exist`);
  }
}

/** A timestamp that is lower than the earliest that a block on the head may have. Seconds since 1970. */
export class TimestampTooLowError extends CodedError {
  readonly code = -32602;
  constructor(
    readonly given: number,
    readonly headTimestamp: number,
    earliest: number,
  ) {
    const expected = earliest > headTimestamp ? 'a time later than' : 'no time before';
    super(
      `Invalid parameter 'timestamp': expected ${expected} the head block's timestamp ${headTimestamp}, got ${given}`,
    );
  }
}

/** So many blocks are to be made that their numbers or timestamps would not stay exact. */
export class SeriesTooLongError extends CodedError {
  readonly code = -32602;
  /** `highest` is the highest that it can be. */
  constructor(what: 'number' | 'timestamp', highest: number) {
    super(`Invalid parameter 'blocks': expected so many that the last one's ${what} is at most ${highest}`);
  }
}

/** The chain closes while a proof of work for a block is searched for, which is not made then. */
export class MiningStoppedError extends CodedError {
  readonly code = -32000;
  constructor() {
    super('The block was not mined: the node is closing');
  }
}

/** The chain started anew before something was done that was asked of the one before; it is not done on the new one. */
export class ChainResetError extends CodedError {
  readonly code = -32000;
  constructor() {
    super('The chain was reset after this was asked for and before it was done; it was not done');
  }
}

/** Something is set that blocks do not have under the rule set. */
export class NotInRuleSetError extends CodedError {
  readonly code = -32602;
  constructor(what: string, ruleSetName: string) {
    super(
      `Blocks have no ${what} under the rule set ${ruleSetName}; choose another rule set with --hardfork`,
    );
  }
}

/** More blocks are to be taken away than there are after the first. */
export class ReorgDepthError extends CodedError {
  readonly code = -32602;
  /** `first` is the number of the block that always stays, above 0 on forks, on pruned chains and with some genesis files. */
  constructor(depth: number, head: number, first: number) {
    const bound = first === 0 ? '' : `, and block ${first} is the first that can stay`;
    super(`Cannot go ${depth} blocks back: the head is block ${head}${bound}`);
  }
}

/** The chain is to be rewound to a block that is above its head. */
export class RewindTargetError extends CodedError {
  readonly code = -32000;
  constructor(number: number, head: number) {
    super(`not allowed to rewind to a future block: ${number} is above the head, block ${head}`);
  }
}

/** A transaction of a replacing block that cannot be executed there. */
export class ReorgTransactionError extends CodedError {
  readonly code = -32000;
  /** `index` is that of the block among the replacing ones. */
  constructor(hash: Uint8Array, index: number, reason: string) {
    super(`transaction ${toHex(hash)} cannot be executed in the replacing block ${index}: ${reason}`);
  }
}

/** A contract whose storage does not show where it keeps what it answers. */
export class TokenSlotNotFoundError extends CodedError {
  readonly code = -32000;
  /** `what` the slot holds: a balance or an allowance. */
  constructor(what: string) {
    super(`Unable to set ERC20 ${what}, no slot found`);
  }
}

/** A mined transaction is to be taken out of the pool. */
export class TransactionMinedError extends CodedError {
  readonly code = -32000;
  constructor(hash: Uint8Array) {
    super(`Transaction ${toHex(hash)} cannot be dropped because it's already mined`);
  }
}

/** Thrown when a ban names no address, or this machine. The first words of the message are the network's. */
export class InvalidBannedAddressError extends CodedError {
  readonly code = -32602;
  constructor(given: string, reason: string) {
    super(`invalid banned address ${given.slice(0, 100)}: ${reason}`);
  }
}

/** No filter has the id: there never was one, it was uninstalled, or it was not polled for too long. */
export class FilterNotFoundError extends CodedError {
  readonly code = -32000;
  constructor() {
    super('filter not found');
  }
}

/** A call or transaction that cannot be run at all: it breaks a rule that stands before execution. */
export class CallRejectedError extends CodedError {
  readonly code = -32000;
}

/** A call whose sender cannot pay what it offers. Code and words are Anvil's, whose dialect alone asks for funds. */
export class UnpaidCallError extends CodedError {
  readonly code = -32003;

  private constructor(message: string) {
    super(message);
  }

  /** A balance below gas limit × price + value. */
  static funds(): UnpaidCallError {
    return new UnpaidCallError('Insufficient funds for gas * price + value');
  }

  /** A message that needs more gas than its sender can pay for. */
  static allowance(gas: bigint): UnpaidCallError {
    return new UnpaidCallError(`Out of gas: gas required exceeds allowance: ${gas}`);
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
  readonly code = -32000;
  constructor(mostBytes: number) {
    super(
      `results too large: what the calls return and log takes more than ${mostBytes} bytes; send fewer at once`,
    );
  }
}

/** Thrown for a block or call that cannot be simulated, with the code of `eth_simulateV1` (Ethereum execution APIs). */
export class SimulationError extends CodedError {
  readonly code: number;

  private constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }

  /** More blocks than `most`, those that fill gaps included. */
  static tooManyBlocks(most: number): SimulationError {
    return new SimulationError(-38026, `too many blocks: at most ${most} can be simulated`);
  }

  /** A block number that is not above the one before. */
  static numberOrder(number: number, last: number): SimulationError {
    return new SimulationError(-38020, `block numbers must be in order: ${number} <= ${last}`);
  }

  /** A time (seconds since 1970) that is not after the one before. */
  static timestampOrder(timestamp: number, last: number): SimulationError {
    return new SimulationError(-38021, `block timestamps must be in order: ${timestamp} <= ${last}`);
  }

  /** A nonce that is not the sender's next. */
  static nonce(given: bigint, next: bigint): SimulationError {
    return given < next
      ? new SimulationError(-38010, `nonce too low: next is ${next}, got ${given}`)
      : new SimulationError(-38011, `nonce too high: next is ${next}, got ${given}`);
  }

  /** Less per gas (wei) than the block takes. */
  static feeCap(given: bigint, least: bigint): SimulationError {
    return new SimulationError(
      -38012,
      `max fee per gas less than block base fee: ${given} offered, ${least} needed`,
    );
  }

  /** A priority fee above the whole fee. Wei per gas. */
  static priorityFee(priorityFee: bigint, fee: bigint): SimulationError {
    return new SimulationError(
      -32602,
      `max priority fee per gas higher than max fee per gas: ${priorityFee} over ${fee}`,
    );
  }

  /** A gas limit below the cost before execution; `cut` is absent unless an option cut it. */
  static intrinsicGas(given: bigint, needed: bigint, cut: GasCut | undefined): SimulationError {
    const reason = cut === undefined ? '' : ` (${gasCutText(cut)})`;
    return new SimulationError(-38013, `intrinsic gas too low: have ${given}, want ${needed}${reason}`);
  }

  /** A balance (wei) that does not pay for gas and value. */
  static funds(balance: bigint, cost: bigint): SimulationError {
    return new SimulationError(
      -38014,
      `insufficient funds for gas * price + value: have ${balance}, want ${cost}`,
    );
  }

  /** More gas than the block has left. */
  static blockGas(given: bigint, left: bigint): SimulationError {
    return new SimulationError(-38015, `block gas limit reached: ${given} asked for, ${left} left`);
  }

  /** A message that breaks another rule, in words. */
  static unexecutable(reason: string): SimulationError {
    return new SimulationError(-32000, reason);
  }
}

/** A chain was to begin at a snapshot that is not kept. */
export class SnapshotNotFoundError extends CodedError {
  readonly code = -32602;
  constructor(key: SnapshotKey) {
    super(
      typeof key === 'symbol'
        ? 'there is no such snapshot any more: it was released, or the chain went back to before it'
        : `there is no snapshot ${typeof key === 'number' ? `0x${key.toString(16)}` : JSON.stringify(key)}`,
    );
  }
}

/** A transaction that was taken and not mined within the time that its sender would wait (EIP-7966). */
export class ReceiptTimeoutError extends CodedError {
  readonly code = 4;
  /** The hash of the transaction, as DATA. */
  override readonly data: string;
  constructor(hash: string, milliseconds: number) {
    super(`The transaction was added to the pool but not mined within ${milliseconds} ms`);
    this.data = hash;
  }
}

/** The chain was closed while the caller waited for what it had asked of it. */
export class ChainClosedError extends CodedError {
  readonly code = -32000;

  constructor() {
    super('the chain is closed');
  }
}
