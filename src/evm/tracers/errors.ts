import { CodedError } from '../../primitives/coded-error.ts';

/** A trace that would not fit into an answer. */
export class TraceTooLargeError extends CodedError {
  readonly code = -32000;

  /** `limit` is in characters of JSON. */
  constructor(limit: number) {
    super(
      `trace too large: more than ${limit} characters. Leave something out with disableMemory, disableStack, limit ` +
        'or onlyTopCall, or use another tracer',
    );
  }
}

/** Thrown when a tree of calls is asked for before anything ran. */
export class EmptyCallTreeError extends Error {
  override readonly name = 'EmptyCallTreeError';
}
