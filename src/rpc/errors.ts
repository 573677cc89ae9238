import { CodedError, type ErrorEntry, fill } from '../primitives/coded-error.ts';
import { codedError } from '../primitives/error-class.ts';
import { toHex } from '../primitives/hex.ts';
import type { Transaction } from '../protocol/transaction.ts';

/** A missing, surplus or invalid parameter (JSON-RPC 2.0, -32602). */
export class InvalidParamsError extends codedError({
  name: 'InvalidParams',
  code: -32602,
  message: 'invalid params: {path}: expected {expected}, got {got}',
  page: 'rpc',
}) {
  /**
   * `path` is the parameter and the path inside it (`filter.topics[1]`). `got` describes the received value.
   */
  constructor(path: string, expected: string, got: string) {
    super({ path, expected, got });
  }
}

/** A well-formed parameter out of range, or in conflict with another. Hardhat has another code for it. */
export class InvalidValueError extends InvalidParamsError {}

/** No block has the hash of a log search. The code is Rootstock's code for unknown blocks. */
export class LogBlockNotFoundError extends codedError({
  name: 'LogBlockNotFound',
  code: -32600,
  message: 'Block with hash {hash} not found on this chain',
  page: 'rpc',
}) {
  constructor(hash: string) {
    super({ hash });
  }
}

/** A method that does not exist, or is not available on this node (JSON-RPC 2.0, -32601). */
export class MethodNotFoundError extends codedError({
  name: 'MethodNotFound',
  code: -32601,
  message: 'the method {method} does not exist/is not available{reason}',
  page: 'rpc',
}) {
  /** `reason` explains why a known method is not available. */
  constructor(method: string, reason?: string) {
    const because = reason === undefined ? '' : `: ${reason}`;
    super({ method: method.slice(0, 100), reason: because });
  }
}

/** Coverage was requested, but the node does not measure it. */
export class NoCoverageError extends codedError({
  name: 'CoverageOff',
  code: -32000,
  message: 'coverage is not measured; start the node with --coverage <file>',
  page: 'inspect',
}) {}

/**
 * A reverted or halted execution (service document, Errors). Code 3 is for clients that read only that code.
 */
export class ExecutionError extends CodedError {
  static readonly entry = {
    name: 'ExecutionFailed',
    code: -32015,
    message: '{message}',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  /** The message without the stack trace, which the log prints in separate lines. */
  readonly shortMessage: string;

  /**
   * `data` is the revert data, alone or in an object; `undefined` if absent. `hint` is for the log only.
   * `stack` contains the lines after the first line of the message.
   */
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
 * A search over too many blocks that finds too many logs (service document, Limits). Also thrown if its logs
 * exceed `maxBytes`, for any number of blocks.
 */
export class LogLimitError extends codedError({
  name: 'TooManyLogs',
  code: -32012,
  message:
    'log search too large: the range (block count: {blocks}) contains too many logs; the limit is {limit}; use a smaller range, an address or topics',
  page: 'rpc',
}) {
  constructor(
    limits: { readonly blocks: number; readonly logs: number },
    blocks: number,
    maxBytes = Number.POSITIVE_INFINITY,
  ) {
    const counts = limits.blocks === 0 ? [] : [`${limits.blocks} blocks or ${limits.logs} logs`];
    const sizes = Number.isFinite(maxBytes) ? [`${maxBytes} bytes of JSON`] : [];
    super({ blocks, limit: [...counts, ...sizes].join(', and ') });
  }
}

/** The response, or the remaining response of a batch, exceeds the maximum length. */
export class AnswerTooLargeError extends codedError({
  name: 'ResponseTooLarge',
  code: -32000,
  message: 'response too large: {reason}; request less data',
  page: 'rpc',
}) {
  /**
   * `limit` is in characters. A request that changes the chain is not executed if its response may not fit.
   */
  constructor(limit: number, isBegun = true) {
    const left = `${Math.max(0, limit)} characters`;
    const reason = isBegun
      ? `more than ${left}`
      : `the response may exceed ${left}, so the request was not executed`;
    super({ reason });
  }
}

/** A request that exceeds the time limit. The code is Rootstock's. */
export class CallTimeoutError extends codedError({
  name: 'CallTimeout',
  code: -32011,
  message: 'execution aborted after {limit} s; raise the limit with --call-timeout (0 = no limit)',
  page: 'rpc',
}) {
  /** `limit` is in seconds. */
  constructor(limit: number) {
    super({ limit });
  }
}

/** The queue of long requests is full (EIP-1474, limit exceeded). */
export class TooManyCallsError extends codedError({
  name: 'TooManyCalls',
  code: -32005,
  message: 'too many calls on this chain: {running} running, {waiting} waiting; try again later',
  page: 'rpc',
}) {
  constructor(running: number, waiting: number) {
    super({ running, waiting });
  }
}

/** Ends the work for a client that has disconnected. Only the log contains it. */
export class ClientDisconnectedError extends codedError({
  name: 'ClientDisconnected',
  code: -32000,
  message: 'execution aborted: the client closed the connection',
  page: 'rpc',
}) {}

/** An error with the code and the message of a compat mode. It keeps the name of the original error. */
export class CompatError extends CodedError {
  override readonly data: unknown;

  constructor(code: number, message: string, { entry, data }: Pick<CodedError, 'entry' | 'data'>) {
    super({ entry: { ...entry, code }, message });
    this.data = data;
  }
}

/**
 * Bytes that rskj cannot decode as a transaction. Its code is -32603; a node that follows Rootstock uses it
 * too, for no other client error.
 */
export class UnreadableTransactionError extends codedError({
  name: 'UnreadableTransaction',
  code: -32603,
  message: 'Internal server error: {reason}',
  page: 'rpc',
}) {
  constructor(reason: string, options: ErrorOptions) {
    super({ reason }, options);
  }
}

/** Thrown if one of several API keys requests the coverage, which combines the code of all keys. */
export class SharedCoverageError extends codedError({
  name: 'CoverageShared',
  code: -32000,
  message:
    'coverage combines the calls of all API keys, so this method is not available; read the --coverage file after the node has closed',
  page: 'inspect',
}) {}

/** Thrown if a request requires a fork. */
export class NoForkError extends codedError({
  name: 'NotAFork',
  code: -32602,
  message:
    'the chain is not a fork; start the node with --fork-url, or call evm_reset with forking.jsonRpcUrl',
  page: 'fork',
}) {}

/** A node cannot fork itself. The URL may contain secrets, so the error does not contain it. */
export class OwnUrlError extends InvalidParamsError {
  /** `path` is the parameter with the URL, and the path inside it. */
  constructor(path: string) {
    super(path, 'the URL of another node', 'a URL of this node');
  }
}

/** Thrown if a client would change the upstream of a fork that other API keys share. */
export class SharedForkError extends codedError({
  name: 'ForkShared',
  code: -32000,
  message:
    'other API keys use the same fork, so its URL cannot be changed; to fork another URL, call evm_reset with forking.jsonRpcUrl',
  page: 'fork',
}) {}

/** An invalid trace_filter. The message is Rootstock's. */
export class TraceFilterError extends codedError({
  name: 'InvalidTraceFilter',
  code: -32602,
  message: '{message}',
  page: 'rpc',
}) {
  constructor(message: string) {
    super({ message });
  }
}

/** Another chain id: a node has only one chain (EIP-3326). */
export class UnknownChainError extends codedError({
  name: 'UnrecognizedChain',
  code: 4902,
  message: 'Unrecognized chain ID {given}; the chain id of this node is {own}',
  page: 'rpc',
}) {
  constructor(given: bigint, own: number) {
    super({ given, own });
  }
}

/** A batch of calls requires a capability that the node does not have (EIP-5792). */
export class UnsupportedCapabilityError extends codedError({
  name: 'UnsupportedCapability',
  code: 5700,
  message: 'unsupported capability {name}; mark the capability as optional to send the calls without it',
  page: 'rpc',
}) {
  constructor(name: string) {
    super({ name: JSON.stringify(name) });
  }
}

/** A batch of calls is for another chain (EIP-5792). */
export class UnsupportedChainError extends codedError({
  name: 'UnsupportedChain',
  code: 5710,
  message: 'unsupported chain id {given}; the chain id of this node is {own}',
  page: 'rpc',
}) {
  constructor(given: bigint, own: number) {
    super({ given, own });
  }
}

/** A batch of calls has the id of an earlier batch (EIP-5792). */
export class DuplicateBatchError extends codedError({
  name: 'DuplicateBundle',
  code: 5720,
  message: 'a batch of calls with the id {id} already exists',
  page: 'rpc',
}) {
  constructor(id: string) {
    super({ id: id.slice(0, 200) });
  }
}

/** No batch of calls has this id (EIP-5792). */
export class UnknownBatchError extends codedError({
  name: 'UnknownBundle',
  code: 5730,
  message: 'no batch of calls with the id {id}',
  page: 'rpc',
}) {
  constructor(id: string) {
    super({ id: id.slice(0, 200) });
  }
}

/** A batch has too many calls (EIP-5792). */
export class BatchTooLargeError extends codedError({
  name: 'BundleTooLarge',
  code: 5740,
  message: 'the batch has {given} calls; the maximum is {most}',
  page: 'rpc',
}) {
  constructor(given: number, most: number) {
    super({ given, most });
  }
}

/** A batch requires one transaction, but the account cannot send it (EIP-5792). */
export class AtomicityError extends codedError({
  name: 'AtomicityNotSupported',
  code: 5760,
  message: 'the calls cannot be sent in one transaction: {reason}',
  page: 'rpc',
}) {
  /** `null` if the account does not support it at all. */
  constructor(reason: string | null) {
    super({
      reason:
        reason ??
        'a single transaction requires EIP-7702 (--hardfork prague or later), the key of the account, and an account without contract code',
    });
  }
}

/** A lane was requested, but the node has no lanes. */
export class LanesOffError extends codedError({
  name: 'LanesOff',
  code: -32601,
  message: 'lanes are off; start the node with --lanes',
  page: 'node',
}) {}

/** The client's address is banned on the lane. */
export class BannedOnLaneError extends codedError({
  name: 'AddressBannedOnLane',
  code: -32001,
  message: 'forbidden: address {address} is banned on this lane; sco_unbanAddress lifts the ban',
  page: 'node',
}) {
  constructor(address: string) {
    super({ address });
  }
}

/** The request names a lane that the client may not use, or no lane. */
export class OtherLaneError extends codedError({
  name: 'LaneKeyNotAllowed',
  code: -32602,
  message: 'invalid params: key: expected {expected}',
  page: 'node',
}) {
  private constructor(expected: string) {
    super({ expected });
  }

  /** Returns the error of a request to the base chain that names no lane. */
  static none(): OtherLaneError {
    return new OtherLaneError('the key of a lane, because the request was sent to the base chain');
  }

  /** Returns the error of a node with API keys, where each key gives access only to its own lane. */
  static secret(): OtherLaneError {
    return new OtherLaneError('your own API key, which gives access only to your own lane');
  }
}

/** A complete list was requested of a fork, which has only the changes since the fork block. */
export class PartialStateError extends codedError({
  name: 'IncompleteState',
  code: -32000,
  message: 'on a fork, the complete {what} is not available; request a block up to the fork block',
  page: 'fork',
}) {
  /** `what` names the incomplete data. */
  constructor(what: string) {
    super({ what });
  }
}

/** The transaction is in the pool, but the sender's transaction before it is missing (EIP-7966). */
export class UnreadyTransactionError extends codedError({
  name: 'TransactionNonceGap',
  code: 5,
  message:
    'The transaction was added to the pool but cannot be mined: an earlier transaction of the sender is missing (nonce below {nonce})',
  page: 'rpc',
}) {
  /** The hash of the transaction, as DATA. */
  override readonly data: string;

  constructor(hash: Uint8Array, nonce: bigint) {
    super({ nonce });
    this.data = toHex(hash);
  }
}

/** A pool transaction was requested as part of the pending block, which does not contain it. */
export class WaitingTransactionError extends codedError({
  name: 'TransactionPending',
  code: -32000,
  message: 'transaction {hash} is pending, but the next block would not contain it{reason}',
  page: 'rpc',
}) {
  /** `nextNonce` is the sender's lowest unused nonce. */
  constructor({ hash, nonce }: Pick<Transaction, 'hash' | 'nonce'>, nextNonce: bigint) {
    const reason =
      nextNonce < nonce
        ? `: its nonce is ${nonce}, but the sender has no transaction with nonce ${nextNonce}`
        : '';
    super({ hash: toHex(hash), reason });
  }
}

/** The pool has no transaction of the sender with that nonce, or it differs from the client's description. */
export class NotInPoolError extends codedError({
  name: 'TransactionNotInPool',
  code: -32000,
  message: 'transaction not found: no matching transaction of {sender} with nonce {nonce} in the pool',
  page: 'rpc',
}) {
  constructor(sender: Uint8Array, nonce: bigint) {
    super({ sender: toHex(sender), nonce });
  }
}

/** A transaction of a simulated bundle cannot be executed. Clients of Flashbots read the start of the message. */
export class BundleExecutionError extends codedError({
  name: 'BundleNotExecutable',
  code: -32000,
  message: 'err: {reason}; txhash {hash}',
  page: 'rpc',
}) {
  constructor(reason: string, hash: Uint8Array) {
    super({ reason, hash: toHex(hash) });
  }
}

/** The condition of a transaction has too many accounts and slots (ERC-7796). */
export class ConditionTooLargeError extends codedError({
  name: 'ConditionTooLarge',
  code: -32005,
  message: 'limit exceeded: the condition has {cost} accounts and slots, at most {limit} are allowed',
  page: 'rpc',
}) {
  constructor(cost: number, limit: number) {
    super({ cost, limit });
  }
}

/** A result that serializes itself exceeds the maximum length. Servers replace its message. */
export class ResultTooLongError extends Error {
  override readonly name = 'ResultTooLongError';
}

/** A trace exceeded its option `timeout`. */
export class TraceTimeoutError extends codedError({
  name: 'TraceTimeout',
  code: -32000,
  message: 'execution timeout: the trace took more than {limit} ms; raise the option timeout',
  page: 'rpc',
}) {
  /** `limit` is in milliseconds. */
  constructor(limit: number) {
    super({ limit });
  }
}
