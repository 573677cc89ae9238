// The errors of tracers in JavaScript.

import { CodedError } from '../../primitives/coded-error.ts';

/** A function of a tracer threw, went too deep, or needs too much memory. */
export class TracerFailedError extends CodedError {
  readonly code = -32000;

  /** Says in which function, where and why. */
  readonly reason: string;

  constructor(reason: string) {
    super(`the tracer failed: ${reason}`);
    this.reason = reason;
  }
}

/** The source of a tracer is none. */
export class NotATracerError extends Error {
  override readonly name = 'NotATracerError';
}
