import { CodedError } from '../primitives/coded-error.ts';
import { toHex } from '../primitives/hex.ts';
import type { Transaction } from '../protocol/transaction.ts';

/** A parameter that is missing, surplus or wrong (JSON-RPC 2.0, -32602). */
export class InvalidParamsError extends CodedError {
  readonly code = -32602;

  /** `path` names the parameter and the place inside it (`filter.topics[1]`); `got` is what came, in words. */
  constructor(path: string, expected: string, got: string) {
    super(`Invalid parameter '${path}': expected ${expected}, got ${got}`);
  }
}

/** A parameter of the right form whose value is beyond what is meant, or contradicts another. Hardhat answers it as it answers a failed call. */
export class InvalidValueError extends InvalidParamsError {}

/** No block has the hash whose logs are asked for. The code is the network's for blocks that are not there. */
export class LogBlockNotFoundError extends CodedError {
  readonly code = -32600;
  /** `hash` as a person writes it. */
  constructor(hash: string) {
    super(`Block with hash ${hash} not found: it is not on this chain, so there are no logs to give`);
  }
}

/** A method that does not exist, or that is not served here (JSON-RPC 2.0, -32601). */
export class MethodNotFoundError extends CodedError {
  readonly code = -32601;

  /** `reason` says why a known method is not served. */
  constructor(method: string, reason?: string) {
    const text = `the method ${method.slice(0, 100)} does not exist/is not available`;
    super(reason === undefined ? text : `${text}: ${reason}`);
  }
}

/** The coverage is asked of a node that counts none. */
export class NoCoverageError extends CodedError {
  readonly code = -32000;

  constructor() {
    super('no coverage is counted; start the node with --coverage <file>');
  }
}

/** An execution that reverted or halted (service document, Errors; code 3 for clients that read only that one). */
export class ExecutionError extends CodedError {
  /** The message without the stack trace, which the log has in lines of its own. */
  readonly shortMessage: string;

  /** `data` is what the code reverted with, alone or in an object; `undefined` for none. `hint` is for the log alone. `stack` has the lines below the first one of the message. */
  constructor(
    override readonly code: number,
    message: string,
    override readonly data: unknown,
    readonly hint?: string,
    stack = '',
  ) {
    super(stack === '' ? message : `${message}\n${stack}`);
    this.shortMessage = message;
  }
}

/**
 * A search that covers too many blocks and finds too many logs (service document, Limits), or whose logs are longer than
 * `mostBytes` however few blocks it covers.
 */
export class LogLimitError extends CodedError {
  readonly code = -32012;

  constructor(
    limits: { readonly blocks: number; readonly logs: number },
    blocks: number,
    mostBytes = Number.POSITIVE_INFINITY,
  ) {
    const orBytes = Number.isFinite(mostBytes) ? `, and its logs within ${mostBytes} bytes` : '';
    super(
      `The query covers ${blocks} blocks and finds too many logs: it must stay within ${limits.blocks} blocks or ` +
        `${limits.logs} logs${orBytes}. Ask for a smaller range, an address or topics`,
    );
  }
}

/** The answer, or the rest of a batch's answer, is longer than a message may be. */
export class AnswerTooLargeError extends CodedError {
  readonly code = -32000;

  /** `limit` is in characters. A request whose answer may not fit is not begun where it would change the chain. */
  constructor(limit: number, isBegun = true) {
    const left = `the ${Math.max(0, limit)} characters left for it`;
    const reason = isBegun ? `more than ${left}` : `${left} may be too few, and the request was not begun`;
    super(`answer too large: ${reason}; ask for less at once`);
  }
}

/** Work that takes too long. The code is the network's. */
export class CallTimeoutError extends CodedError {
  readonly code = -32011;

  /** `limit` is in seconds. */
  constructor(limit: number) {
    super(
      `execution aborted: it took longer than ${limit} s; raise the limit with --call-timeout (0 for none)`,
    );
  }
}

/** Long work that would have to wait behind too much of its kind (EIP-1474, limit exceeded). */
export class TooManyCallsError extends CodedError {
  readonly code = -32005;

  constructor(inHand: number, waiting: number) {
    super(
      `too many calls: ${inHand} long calls run on this chain and ${waiting} wait behind them; ask again later`,
    );
  }
}

/** Ends the work for a caller that has closed its connection. Only the log shows it. */
export class CallerGoneError extends CodedError {
  readonly code = -32000;
  constructor() {
    super('execution aborted: the caller closed the connection');
  }
}

/** An error under the code, and in the words, that the dialect has for it. */
export class DialectError extends CodedError {
  constructor(
    override readonly code: number,
    message: string,
    override readonly data: unknown,
  ) {
    super(message);
  }
}

/**
 * Bytes that the network's node fails to read as a transaction: its own code for that is -32603, which this node has for
 * them where it is to answer as the network does, and for nothing else that a caller does.
 */
export class UnreadableTransactionError extends CodedError {
  readonly code = -32603;
  constructor(reason: string, options: ErrorOptions) {
    super(`Internal server error: ${reason}`, options);
  }
}

/** Thrown if one of several API keys asks for the coverage, which counts the code that all of them run. */
export class SharedCoverageError extends CodedError {
  readonly code = -32000;
  constructor() {
    super(
      'the coverage counts the calls of all API keys; read the file of --coverage when the node has ended',
    );
  }
}

/** Thrown when a caller asks for a thing that only a fork of another chain has. */
export class NoForkError extends CodedError {
  readonly code = -32602;
  constructor() {
    super('The node does not fork another chain');
  }
}

/** Thrown if the client would change the upstream of a fork that other API keys use too. */
export class SharedForkError extends CodedError {
  readonly code = -32000;
  constructor() {
    super(
      'the fork is shared with other API keys, so its URL is fixed; fork another URL with evm_reset {forking: {jsonRpcUrl}}',
    );
  }
}

/** A trace_filter that cannot be answered. The words are the network's. */
export class TraceFilterError extends CodedError {
  readonly code = -32602;
}

/** A chain that is not this one: a node has no other to switch to (EIP-3326). */
export class UnknownChainError extends CodedError {
  readonly code = 4902;
  constructor(given: bigint, own: number) {
    super(`Unrecognized chain ID ${given}: this node has only the chain ${own}`);
  }
}

/** A batch of calls asks for a capability that the node does not have, and does not mark it as optional (EIP-5792). */
export class UnsupportedCapabilityError extends CodedError {
  readonly code = 5700;
  constructor(name: string) {
    super(`Unsupported capability ${JSON.stringify(name)}, which is not marked as optional`);
  }
}

/** A batch of calls is for another chain (EIP-5792). */
export class UnsupportedChainError extends CodedError {
  readonly code = 5710;
  constructor(given: bigint, own: number) {
    super(`Unsupported chain id ${given}: this node has only the chain ${own}`);
  }
}

/** A batch of calls has an id that another one has (EIP-5792). */
export class DuplicateBatchError extends CodedError {
  readonly code = 5720;
  constructor(id: string) {
    super(`There is a batch of calls with the id ${id.slice(0, 200)} already`);
  }
}

/** There is no batch of calls with an id (EIP-5792). */
export class UnknownBatchError extends CodedError {
  readonly code = 5730;
  constructor(id: string) {
    super(`There is no batch of calls with the id ${id.slice(0, 200)}`);
  }
}

/** A batch has too many calls (EIP-5792). */
export class BatchTooLargeError extends CodedError {
  readonly code = 5740;
  constructor(given: number, most: number) {
    super(`The batch has ${given} calls, and the node takes at most ${most}`);
  }
}

/** A batch must be in one transaction, which the account cannot do (EIP-5792). */
export class AtomicityError extends CodedError {
  readonly code = 5760;

  /** `reason` in words; `null` where the account cannot at all. */
  constructor(reason: string | null) {
    super(
      `The calls cannot be sent in one transaction: ${reason ?? 'that needs an account whose key the node has and that runs no other code, and rules with EIP-7702 (--hardfork prague or later)'}`,
    );
  }
}

/** Lanes are asked for of a node that has none. */
export class LanesOffError extends CodedError {
  readonly code = -32601;
  constructor() {
    super('the node has no lanes; start it with --lanes');
  }
}

/** The caller's address is banned on the lane that it calls. */
export class BannedOnLaneError extends CodedError {
  readonly code = -32001;

  constructor(address: string) {
    super(`forbidden: address ${address} is banned on this lane; sco_unbanAddress lifts the ban`);
  }
}

/** A lane is meant that the caller may not have, or none is. */
export class OtherLaneError extends CodedError {
  readonly code = -32602;

  /** No lane is named, and the caller calls the base chain. */
  static none(): OtherLaneError {
    return new OtherLaneError(
      "Invalid parameter 'key': expected the key of a lane, as this is the base chain",
    );
  }

  /** Returns the error of a node whose keys are API keys, each of which opens its own lane alone. */
  static secret(): OtherLaneError {
    return new OtherLaneError(
      "Invalid parameter 'key': expected the API key that this is called with: it opens no other lane",
    );
  }
}

/** All of something is asked for of which a chain that is a fork has only what was written since, and the upstream the rest. */
export class PartialStateError extends CodedError {
  readonly code = -32000;

  /** `what`: what is not known whole. */
  constructor(what: string) {
    super(`On a fork nobody here knows the whole ${what}; ask for a block of the upstream`);
  }
}

/** A transaction is in the pool and cannot be mined before others of its sender, which are not there (EIP-7966). */
export class UnreadyTransactionError extends CodedError {
  readonly code = 5;
  /** The hash of the transaction, as DATA. */
  override readonly data: string;

  constructor(hash: Uint8Array, nonce: bigint) {
    super(
      `The transaction was added to the pool but cannot be mined yet: there is none of its sender before its nonce ${nonce}`,
    );
    this.data = toHex(hash);
  }
}

/** A transaction of the pool is asked for as it would run in the next block, which would not have it. */
export class WaitingTransactionError extends CodedError {
  readonly code = -32000;

  /** `nextNonce`: the lowest one of the sender's that no transaction has. */
  constructor({ hash, nonce }: Pick<Transaction, 'hash' | 'nonce'>, nextNonce: bigint) {
    const reason =
      nextNonce < nonce
        ? ` with the nonce ${nonce}, and that with the nonce ${nextNonce} of its sender is missing`
        : ', and the block that would be mined now would not have it';
    super(`transaction ${toHex(hash)} waits in the pool${reason}`);
  }
}

/** No transaction of the sender waits with that nonce, or it is another one than the caller describes. */
export class NotInPoolError extends CodedError {
  readonly code = -32000;

  constructor(sender: Uint8Array, nonce: bigint) {
    super(`no such transaction of ${toHex(sender)} with the nonce ${nonce} waits in the pool`);
  }
}

/** A result that writes itself is longer than it may be. Servers put it in words of their own. */
export class ResultTooLongError extends Error {
  override readonly name = 'ResultTooLongError';
}

/** A user operation that an EntryPoint does not take, or that is not there (ERC-7769). */
export class UserOperationError extends CodedError {
  /** `data` is what the EntryPoint reverted with, or the contract that is to blame. */
  constructor(
    override readonly code: number,
    message: string,
    override readonly data: unknown = undefined,
  ) {
    super(message);
  }
}
