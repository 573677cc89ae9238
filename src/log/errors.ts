// Errors of the log.

import { codedError } from '../primitives/error-class.ts';

/** Thrown if the log is closed during an explanation. */
export class LogClosedError extends codedError({
  name: 'LogClosed',
  code: -32000,
  message: 'the log is closed',
  page: 'log',
}) {}
