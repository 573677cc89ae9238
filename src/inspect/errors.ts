// Errors of inspections and measurements.

import { CodedError, type ErrorEntry, fill } from '../primitives/coded-error.ts';

/** Thrown if a report is requested that the node does not measure. */
export class NotMeasuredError extends CodedError {
  static readonly entry = {
    name: 'NotMeasured',
    code: -32000,
    message: '{subject} is not measured; start the node with --{flag} (createNode: {option})',
    page: 'inspect',
  } as const satisfies ErrorEntry;

  /** `flag` is the option on the command line, `option` the option of `createNode`. */
  constructor(subject: string, flag: string, option: string) {
    super(fill(NotMeasuredError.entry, { subject, flag, option }));
  }
}
