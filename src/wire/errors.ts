import { codedError } from '../primitives/error-class.ts';

/** Thrown for an invalid dump. */
export class InvalidDumpError extends codedError({
  name: 'InvalidState',
  code: -32602,
  message: 'invalid params: state: {fault}',
  page: 'persistence',
}) {
  /** The fault and its path, as a complete message. */
  readonly fault: string;

  constructor(fault: string, options?: ErrorOptions) {
    super({ fault }, options);
    this.fault = fault;
  }
}
