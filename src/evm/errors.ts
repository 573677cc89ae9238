import { codedError } from '../primitives/error-class.ts';

/**
 * Thrown if an execution needs the result of a precompile of the forked chain that cannot be fetched. The
 * message cannot be executed, and the state is unchanged.
 */
export class UnanswerableCallError extends codedError({
  name: 'PrecompileUnavailable',
  code: -32000,
  message: '{message}',
  page: 'rpc',
}) {
  constructor(message: string) {
    super({ message });
  }
}

/** Thrown if the engine runs out of memory. The state must be discarded. */
export class EngineMemoryError extends codedError({
  name: 'OutOfMemory',
  code: -32000,
  message: 'out of memory: the execution needs more memory than the engine has',
  page: 'rpc',
}) {
  constructor(cause: unknown) {
    super();
    this.cause = cause;
  }
}

/** Thrown if a trace is too large for a response. */
export class TraceTooLargeError extends codedError({
  name: 'TraceTooLarge',
  code: -32000,
  message:
    'trace too large: more than {limit} characters; use disableMemory, disableStack, limit or onlyTopCall, or another tracer',
  page: 'rpc',
}) {
  /** `limit` is in characters of JSON. */
  constructor(limit: number) {
    super({ limit });
  }
}

/** Thrown if a tracer function throws, recurses too deeply or needs too much memory. */
export class TracerFailedError extends codedError({
  name: 'TracerFailed',
  code: -32000,
  message: 'the tracer failed: {reason}',
  page: 'rpc',
}) {
  /** The function, the location and the cause of the failure. */
  readonly reason: string;

  constructor(reason: string) {
    super({ reason });
    this.reason = reason;
  }
}
