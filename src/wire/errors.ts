import { CodedError } from '../primitives/coded-error.ts';

/** What is to be loaded is no dump, or a broken one. */
export class InvalidDumpError extends CodedError {
  readonly code = -32602;
  /** What is wrong, and where, in words that can stand alone. */
  readonly fault: string;

  constructor(fault: string, options?: ErrorOptions) {
    super(`Invalid parameter 'state': ${fault}`, options);
    this.fault = fault;
  }
}

/** A dump in a version of the format that this node does not read. */
export class DumpVersionError extends InvalidDumpError {
  /** `known`: the oldest and the newest version that is read. */
  constructor(given: unknown, known: readonly [oldest: number, newest: number]) {
    super(
      `it has version ${JSON.stringify(given)} of the format, this node reads versions ${known.join(' to ')}`,
    );
  }
}
