import { CodedError, type ErrorEntry, fill } from '../primitives/coded-error.ts';

/** Thrown for an invalid dump. */
export class InvalidDumpError extends CodedError {
  static readonly entry = {
    name: 'InvalidState',
    code: -32602,
    message: 'invalid params: state: {fault}',
    page: 'persistence',
  } as const satisfies ErrorEntry;

  /** The fault and its path, as a complete message. */
  readonly fault: string;

  constructor(fault: string, options?: ErrorOptions) {
    super(fill(InvalidDumpError.entry, { fault }), options);
    this.fault = fault;
  }
}
