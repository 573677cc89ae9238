// Errors of engines, tracers and precompiles.

import { CodedError, type ErrorEntry, fill } from '../primitives/coded-error.ts';

/**
 * Thrown if an execution calls a contract of another chain whose answer is not known here and cannot be fetched. The message
 * cannot be executed on the present state; the state is unchanged.
 */
export class UnanswerableCallError extends CodedError {
  static readonly entry = {
    name: 'PrecompileUnavailable',
    code: -32000,
    message: '{message}',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  constructor(message: string) {
    super(fill(UnanswerableCallError.entry, { message }));
  }
}

/** Thrown by an engine without enough memory for a message; the state must not be used afterwards. */
export class EngineMemoryError extends CodedError {
  static readonly entry = {
    name: 'OutOfMemory',
    code: -32000,
    message: 'out of memory: the execution needs more memory than the engine has',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  constructor(cause: unknown) {
    super(fill(EngineMemoryError.entry));
    this.cause = cause;
  }
}

/** A trace is too large for an answer. */
export class TraceTooLargeError extends CodedError {
  static readonly entry = {
    name: 'TraceTooLarge',
    code: -32000,
    message:
      'trace too large: more than {limit} characters; use disableMemory, disableStack, limit or onlyTopCall, or another tracer',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  /** `limit` is in characters of JSON. */
  constructor(limit: number) {
    super(fill(TraceTooLargeError.entry, { limit }));
  }
}

/** A function of a tracer threw, went too deep, or needs too much memory. */
export class TracerFailedError extends CodedError {
  static readonly entry = {
    name: 'TracerFailed',
    code: -32000,
    message: 'the tracer failed: {reason}',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  /** The function, the place and the cause of the failure, in words. */
  readonly reason: string;

  constructor(reason: string) {
    super(fill(TracerFailedError.entry, { reason }));
    this.reason = reason;
  }
}
