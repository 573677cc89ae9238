// Errors of world states and of the records that store them.

import { CodedError } from '../primitives/coded-error.ts';
import { toHex } from '../primitives/hex.ts';

/** Thrown when a checkpoint is closed that is not open, or left open where none may be: a bug. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
}

/**
 * Thrown when the state after a block is requested and the block came without it, as blocks made by another node can.
 */
export class UnknownStateError extends CodedError {
  readonly code = -32000;
  constructor() {
    super('The state after this block is not known: the block was loaded without it');
  }
}

/** Thrown when a proof is requested of a state over a source, whose hashes are not known here. */
export class UnprovableStateError extends CodedError {
  readonly code = -32000;
  constructor() {
    super(
      'There are no proofs of blocks that were made on a fork: the whole state would be needed; ask for a block of the upstream',
    );
  }
}

/** Thrown when a record of a stored state is missing: the store is damaged. */
export class MissingRecordError extends CodedError {
  readonly code = -32000;
  constructor(kind: 'node' | 'code' | 'state', hash: Uint8Array) {
    super(`The stored state is damaged: the ${kind} ${toHex(hash)} is missing`);
  }
}

/**
 * Thrown when a record of a stored state has other content than was written: the store is damaged, or records were
 * stored in a wrong order.
 */
export class StateRecordError extends CodedError {
  readonly code = -32000;
  constructor(fault: string) {
    super(`The stored state is damaged: ${fault}`);
  }
}
