// Errors of the log.

import { CodedError, type ErrorEntry, fill } from '../primitives/coded-error.ts';

/** Thrown if the log is closed during an explanation. */
export class LogClosedError extends CodedError {
  static readonly entry = {
    name: 'LogClosed',
    code: -32000,
    message: 'the log is closed',
    page: 'log',
  } as const satisfies ErrorEntry;

  constructor() {
    super(fill(LogClosedError.entry));
  }
}
