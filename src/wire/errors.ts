// Errors of files and JSON forms.

import { CodedError, type ErrorEntry, fill } from '../primitives/coded-error.ts';

/** Thrown for bytes or JSON that are to be loaded and are no dump, or a broken one. */
export class InvalidDumpError extends CodedError {
  static readonly entry = {
    name: 'InvalidState',
    code: -32602,
    message: 'invalid params: state: {fault}',
    page: 'persistence',
  } as const satisfies ErrorEntry;

  /** The fault and its place, in words that can stand alone. */
  readonly fault: string;

  constructor(fault: string, options?: ErrorOptions) {
    super(fill(InvalidDumpError.entry, { fault }), options);
    this.fault = fault;
  }
}
