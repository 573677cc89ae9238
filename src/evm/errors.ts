import { CodedError, type ErrorEntry, fill } from '../primitives/coded-error.ts';

/**
 * Thrown if an execution needs the result of a precompile of the forked chain that cannot be fetched. The
 * message cannot be executed, and the state is unchanged.
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

/** Thrown if the engine runs out of memory. The state must be discarded. */
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

/** Thrown if a trace is too large for a response. */
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

/** Thrown if a tracer function throws, recurses too deeply or needs too much memory. */
export class TracerFailedError extends CodedError {
  static readonly entry = {
    name: 'TracerFailed',
    code: -32000,
    message: 'the tracer failed: {reason}',
    page: 'rpc',
  } as const satisfies ErrorEntry;

  /** The function, the location and the cause of the failure. */
  readonly reason: string;

  constructor(reason: string) {
    super(fill(TracerFailedError.entry, { reason }));
    this.reason = reason;
  }
}
