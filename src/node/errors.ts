import type { ExecutionResult } from '../engine/engine.ts';
import { CodedError } from '../primitives/coded-error.ts';

/** No block answers to the selector. */
export class BlockNotFoundError extends CodedError {
  readonly code = -32600;
  constructor(wanted: string, head: number) {
    super(`Block ${wanted} not found (header not found, the head is block ${head})`);
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

/** A timestamp that is not after the head block's. Seconds since 1970. */
export class TimestampTooLowError extends CodedError {
  readonly code = -32602;
  constructor(given: number, headTimestamp: number) {
    super(`Timestamp ${given} is not later than the head block's timestamp ${headTimestamp}`);
  }
}

/** What is to be banned is no address, or it is this machine. The first words are the network's. */
export class InvalidBannedAddressError extends CodedError {
  readonly code = -32602;
  constructor(given: string, reason: string) {
    super(`invalid banned address ${given.slice(0, 100)}: ${reason}`);
  }
}

/** No filter has the id: there never was one, it was uninstalled, or nobody asked it for too long. */
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

/** A message that fails with any amount of gas, so that no estimate of its gas is possible. */
export class EstimateFailedError extends Error {
  override readonly name = 'EstimateFailedError';
  readonly result: ExecutionResult;
  constructor(result: ExecutionResult) {
    super(`the execution ends with ${result.outcome}`);
    this.result = result;
  }
}
