// Errors of inspections and measurements.

import { CodedError, type ErrorEntry, fill } from '../primitives/coded-error.ts';

/** Thrown when something is asked for that is not measured. */
export class NotMeasuredError extends CodedError {
  static readonly entry = {
    name: 'NotMeasured',
    code: -32000,
    message: '{subject} is not measured; start the node with --{flag} (createNode: {option})',
    page: 'inspect',
  } as const satisfies ErrorEntry;

  /** `flag` and `option` ask for it on the command line and in process. */
  constructor(subject: string, flag: string, option: string) {
    super(fill(NotMeasuredError.entry, { subject, flag, option }));
  }
}
