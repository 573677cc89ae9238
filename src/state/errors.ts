import { CodedError } from '../primitives/coded-error.ts';

/** Thrown when a checkpoint of an overlay is closed that is not open, or left open where none may be: a bug. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
}

/** The state after a block is asked for that came without it, as blocks made by another node can. */
export class UnknownStateError extends CodedError {
  readonly code = -32000;
  constructor() {
    super('The state after this block is not known: the block was loaded without it');
  }
}
