import { CodedError, type ErrorEntry, fill } from '../primitives/coded-error.ts';
import { toHex } from '../primitives/hex.ts';
import type { Transaction } from '../protocol/transaction.ts';

/** A parameter that is missing, surplus or wrong (JSON-RPC 2.0, -32602). */
export class InvalidParamsError extends CodedError {
  static readonly entry = {
    name: 'InvalidParams',
    code: -32602,
    message: 'invalid params: {path}: expected {expected}, got {got}',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  /** `path` names the parameter and the place inside it (`filter.topics[1]`); `got` is what came, in words. */
  constructor(path: string, expected: string, got: string) {
    super(fill(InvalidParamsError.entry, { path, expected, got }));
  }
}

/** A parameter of the right form whose value is beyond what is meant, or contradicts another. Hardhat answers it as it answers a failed call. */
export class InvalidValueError extends InvalidParamsError {}

/** No block has the hash whose logs are asked for. The code is the network's for blocks that are not there. */
export class LogBlockNotFoundError extends CodedError {
  static readonly entry = {
    name: 'LogBlockNotFound',
    code: -32600,
    message: 'Block with hash {hash} not found on this chain',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  /** `hash` as a person writes it. */
  constructor(hash: string) {
    super(fill(LogBlockNotFoundError.entry, { hash }));
  }
}

/** A method that does not exist, or that is not served here (JSON-RPC 2.0, -32601). */
export class MethodNotFoundError extends CodedError {
  static readonly entry = {
    name: 'MethodNotFound',
    code: -32601,
    message: 'the method {method} does not exist/is not available{reason}',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  /** `reason` explains why a known method is not served. */
  constructor(method: string, reason?: string) {
    const because = reason === undefined ? '' : `: ${reason}`;
    super(fill(MethodNotFoundError.entry, { method: method.slice(0, 100), reason: because }));
  }
}

/** The coverage is asked of a node that counts none. */
export class NoCoverageError extends CodedError {
  static readonly entry = {
    name: 'CoverageOff',
    code: -32000,
    message: 'coverage is not measured; start the node with --coverage <file>',
    page: 'inspect',
  } as const satisfies ErrorEntry;

  constructor() {
    super(fill(NoCoverageError.entry));
  }
}

/** An execution that reverted or halted (service document, Errors; code 3 for clients that read only that one). */
export class ExecutionError extends CodedError {
  static readonly entry = {
    name: 'ExecutionFailed',
    code: -32015,
    message: '{message}',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  /** The message without the stack trace, which the log has in lines of its own. */
  readonly shortMessage: string;

  /** `data` is what the code reverted with, alone or in an object; `undefined` for none. `hint` is for the log alone. `stack` has the lines below the first one of the message. */
  constructor(
    code: number,
    message: string,
    override readonly data: unknown,
    readonly hint?: string,
    stack = '',
  ) {
    const lines = stack === '' ? message : `${message}\n${stack}`;
    super(fill({ ...ExecutionError.entry, code }, { message: lines }));
    this.shortMessage = message;
  }
}

/**
 * A search that covers too many blocks and finds too many logs (service document, Limits), or whose logs are longer than
 * `mostBytes` however few blocks it covers.
 */
export class LogLimitError extends CodedError {
  static readonly entry = {
    name: 'TooManyLogs',
    code: -32012,
    message:
      'log search too large: the range (block count: {blocks}) contains too many logs; the limit is {limit}; use a smaller range, an address or topics',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  constructor(
    limits: { readonly blocks: number; readonly logs: number },
    blocks: number,
    mostBytes = Number.POSITIVE_INFINITY,
  ) {
    const counts = limits.blocks === 0 ? [] : [`${limits.blocks} blocks or ${limits.logs} logs`];
    const sizes = Number.isFinite(mostBytes) ? [`${mostBytes} bytes of JSON`] : [];
    super(fill(LogLimitError.entry, { blocks, limit: [...counts, ...sizes].join(', and ') }));
  }
}

/** The answer, or the rest of a batch's answer, is longer than a message may be. */
export class AnswerTooLargeError extends CodedError {
  static readonly entry = {
    name: 'ResponseTooLarge',
    code: -32000,
    message: 'response too large: {reason}; request less data',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  /** `limit` is in characters. A request whose answer may not fit is not begun where it would change the chain. */
  constructor(limit: number, isBegun = true) {
    const left = `${Math.max(0, limit)} characters`;
    const reason = isBegun
      ? `more than ${left}`
      : `the response may exceed ${left}, so the request was not executed`;
    super(fill(AnswerTooLargeError.entry, { reason }));
  }
}

/** Work that takes too long. The code is the network's. */
export class CallTimeoutError extends CodedError {
  static readonly entry = {
    name: 'CallTimeout',
    code: -32011,
    message: 'execution aborted after {limit} s; raise the limit with --call-timeout (0 = no limit)',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  /** `limit` is in seconds. */
  constructor(limit: number) {
    super(fill(CallTimeoutError.entry, { limit }));
  }
}

/** Long work that would have to wait behind too much of its kind (EIP-1474, limit exceeded). */
export class TooManyCallsError extends CodedError {
  static readonly entry = {
    name: 'TooManyCalls',
    code: -32005,
    message: 'too many calls on this chain: {inHand} running, {waiting} waiting; try again later',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  constructor(inHand: number, waiting: number) {
    super(fill(TooManyCallsError.entry, { inHand, waiting }));
  }
}

/** Ends the work for a caller that has closed its connection. Only the log shows it. */
export class CallerGoneError extends CodedError {
  static readonly entry = {
    name: 'ClientDisconnected',
    code: -32000,
    message: 'execution aborted: the client closed the connection',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  constructor() {
    super(fill(CallerGoneError.entry));
  }
}

/** An error with the code and the message of a compat mode. It keeps the name of the original error. */
export class DialectError extends CodedError {
  override readonly data: unknown;

  constructor(code: number, message: string, { entry, data }: Pick<CodedError, 'entry' | 'data'>) {
    super({ entry: { ...entry, code }, message });
    this.data = data;
  }
}

/**
 * Bytes that the network's node fails to read as a transaction: its own code for that is -32603, which this node has for
 * them where it is to answer as the network does, and for nothing else that a caller does.
 */
export class UnreadableTransactionError extends CodedError {
  static readonly entry = {
    name: 'UnreadableTransaction',
    code: -32603,
    message: 'Internal server error: {reason}',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  constructor(reason: string, options: ErrorOptions) {
    super(fill(UnreadableTransactionError.entry, { reason }), options);
  }
}

/** Thrown if one of several API keys asks for the coverage, which counts the code that all of them run. */
export class SharedCoverageError extends CodedError {
  static readonly entry = {
    name: 'CoverageShared',
    code: -32000,
    message:
      'coverage combines the calls of all API keys, so this method is not available; read the --coverage file after the node has closed',
    page: 'inspect',
  } as const satisfies ErrorEntry;

  constructor() {
    super(fill(SharedCoverageError.entry));
  }
}

/** Thrown when a caller asks for a thing that only a fork of another chain has. */
export class NoForkError extends CodedError {
  static readonly entry = {
    name: 'NotAFork',
    code: -32602,
    message: 'the node is not a fork; start it with --fork-url',
    page: 'fork',
  } as const satisfies ErrorEntry;

  constructor() {
    super(fill(NoForkError.entry));
  }
}

/** Thrown if the client would change the upstream of a fork that other API keys use too. */
export class SharedForkError extends CodedError {
  static readonly entry = {
    name: 'ForkShared',
    code: -32000,
    message:
      'other API keys use the same fork, so its URL cannot be changed; to fork another URL, call evm_reset with forking.jsonRpcUrl',
    page: 'fork',
  } as const satisfies ErrorEntry;

  constructor() {
    super(fill(SharedForkError.entry));
  }
}

/** A trace_filter that cannot be answered. The words are the network's. */
export class TraceFilterError extends CodedError {
  static readonly entry = {
    name: 'InvalidTraceFilter',
    code: -32602,
    message: '{message}',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  constructor(message: string) {
    super(fill(TraceFilterError.entry, { message }));
  }
}

/** A chain that is not this one: a node has no other to switch to (EIP-3326). */
export class UnknownChainError extends CodedError {
  static readonly entry = {
    name: 'UnrecognizedChain',
    code: 4902,
    message: 'Unrecognized chain ID {given}; the chain id of this node is {own}',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  constructor(given: bigint, own: number) {
    super(fill(UnknownChainError.entry, { given, own }));
  }
}

/** A batch of calls asks for a capability that the node does not have, and does not mark it as optional (EIP-5792). */
export class UnsupportedCapabilityError extends CodedError {
  static readonly entry = {
    name: 'UnsupportedCapability',
    code: 5700,
    message: 'unsupported capability {name}; mark the capability as optional to send the calls without it',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  constructor(name: string) {
    super(fill(UnsupportedCapabilityError.entry, { name: JSON.stringify(name) }));
  }
}

/** A batch of calls is for another chain (EIP-5792). */
export class UnsupportedChainError extends CodedError {
  static readonly entry = {
    name: 'UnsupportedChain',
    code: 5710,
    message: 'unsupported chain id {given}; the chain id of this node is {own}',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  constructor(given: bigint, own: number) {
    super(fill(UnsupportedChainError.entry, { given, own }));
  }
}

/** A batch of calls has an id that another one has (EIP-5792). */
export class DuplicateBatchError extends CodedError {
  static readonly entry = {
    name: 'DuplicateBundle',
    code: 5720,
    message: 'a batch of calls with the id {id} already exists',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  constructor(id: string) {
    super(fill(DuplicateBatchError.entry, { id: id.slice(0, 200) }));
  }
}

/** There is no batch of calls with an id (EIP-5792). */
export class UnknownBatchError extends CodedError {
  static readonly entry = {
    name: 'UnknownBundle',
    code: 5730,
    message: 'no batch of calls with the id {id}',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  constructor(id: string) {
    super(fill(UnknownBatchError.entry, { id: id.slice(0, 200) }));
  }
}

/** A batch has too many calls (EIP-5792). */
export class BatchTooLargeError extends CodedError {
  static readonly entry = {
    name: 'BundleTooLarge',
    code: 5740,
    message: 'the batch has {given} calls; the maximum is {most}',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  constructor(given: number, most: number) {
    super(fill(BatchTooLargeError.entry, { given, most }));
  }
}

/** A batch must be in one transaction, which the account cannot do (EIP-5792). */
export class AtomicityError extends CodedError {
  static readonly entry = {
    name: 'AtomicityNotSupported',
    code: 5760,
    message: 'the calls cannot be sent in one transaction: {reason}',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  /** `reason` in words; `null` where the account cannot at all. */
  constructor(reason: string | null) {
    super(
      fill(AtomicityError.entry, {
        reason:
          reason ??
          'a single transaction requires EIP-7702 (--hardfork prague or later), the key of the account, and an account without contract code',
      }),
    );
  }
}

/** Lanes are asked for of a node that has none. */
export class LanesOffError extends CodedError {
  static readonly entry = {
    name: 'LanesOff',
    code: -32601,
    message: 'lanes are off; start the node with --lanes',
    page: 'node',
  } as const satisfies ErrorEntry;

  constructor() {
    super(fill(LanesOffError.entry));
  }
}

/** The caller's address is banned on the lane that it calls. */
export class BannedOnLaneError extends CodedError {
  static readonly entry = {
    name: 'AddressBannedOnLane',
    code: -32001,
    message: 'forbidden: address {address} is banned on this lane; sco_unbanAddress lifts the ban',
    page: 'node',
  } as const satisfies ErrorEntry;

  constructor(address: string) {
    super(fill(BannedOnLaneError.entry, { address }));
  }
}

/** A lane is meant that the caller may not have, or none is. */
export class OtherLaneError extends CodedError {
  static readonly entry = {
    name: 'LaneKeyNotAllowed',
    code: -32602,
    message: 'invalid params: key: expected {expected}',
    page: 'node',
  } as const satisfies ErrorEntry;

  private constructor(expected: string) {
    super(fill(OtherLaneError.entry, { expected }));
  }

  /** No lane is named, and the caller calls the base chain. */
  static none(): OtherLaneError {
    return new OtherLaneError('the key of a lane, because the request was sent to the base chain');
  }

  /** Returns the error of a node whose keys are API keys, each of which opens its own lane alone. */
  static secret(): OtherLaneError {
    return new OtherLaneError('your own API key, which gives access only to your own lane');
  }
}

/** All of something is asked for of which a chain that is a fork has only what was written since, and the upstream the rest. */
export class PartialStateError extends CodedError {
  static readonly entry = {
    name: 'IncompleteState',
    code: -32000,
    message: 'on a fork, the complete {what} is not available; request a block up to the fork block',
    page: 'fork',
  } as const satisfies ErrorEntry;

  /** `what`: what is not known whole. */
  constructor(what: string) {
    super(fill(PartialStateError.entry, { what }));
  }
}

/** A transaction is in the pool and cannot be mined before others of its sender, which are not there (EIP-7966). */
export class UnreadyTransactionError extends CodedError {
  static readonly entry = {
    name: 'TransactionNonceGap',
    code: 5,
    message:
      'The transaction was added to the pool but cannot be mined: an earlier transaction of the sender is missing (nonce below {nonce})',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  /** The hash of the transaction, as DATA. */
  override readonly data: string;

  constructor(hash: Uint8Array, nonce: bigint) {
    super(fill(UnreadyTransactionError.entry, { nonce }));
    this.data = toHex(hash);
  }
}

/** A transaction of the pool is asked for as it would run in the next block, which would not have it. */
export class WaitingTransactionError extends CodedError {
  static readonly entry = {
    name: 'TransactionPending',
    code: -32000,
    message: 'transaction {hash} is pending, but the next block would not contain it{reason}',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  /** `nextNonce`: the lowest one of the sender's that no transaction has. */
  constructor({ hash, nonce }: Pick<Transaction, 'hash' | 'nonce'>, nextNonce: bigint) {
    const reason =
      nextNonce < nonce
        ? `: its nonce is ${nonce}, but the sender has no transaction with nonce ${nextNonce}`
        : '';
    super(fill(WaitingTransactionError.entry, { hash: toHex(hash), reason }));
  }
}

/** No transaction of the sender waits with that nonce, or it is another one than the caller describes. */
export class NotInPoolError extends CodedError {
  static readonly entry = {
    name: 'TransactionNotInPool',
    code: -32000,
    message: 'no matching transaction of {sender} with nonce {nonce} in the pool',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  constructor(sender: Uint8Array, nonce: bigint) {
    super(fill(NotInPoolError.entry, { sender: toHex(sender), nonce }));
  }
}

/** A result that writes itself is longer than it may be. Servers put it in words of their own. */
export class ResultTooLongError extends Error {
  override readonly name = 'ResultTooLongError';
}

/** A trace took longer than its options allow. */
export class TraceTimeoutError extends CodedError {
  static readonly entry = {
    name: 'TraceTimeout',
    code: -32000,
    message: 'execution timeout: the trace took more than {limit} ms; raise the option timeout',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  /** `limit` is in milliseconds. */
  constructor(limit: number) {
    super(fill(TraceTimeoutError.entry, { limit }));
  }
}
