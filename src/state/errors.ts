import { CodedError } from '../primitives/coded-error.ts';
import { toHex } from '../primitives/hex.ts';

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

/** A proof is asked for of a state most of which is kept elsewhere: nobody here knows its hashes. */
export class UnprovableStateError extends CodedError {
  readonly code = -32000;
  constructor() {
    super(
      'There are no proofs of blocks that were made on a fork: the whole state would be needed; ask for a block of the upstream',
    );
  }
}

/** A record of a stored state is not there: the store is damaged. */
export class MissingRecordError extends CodedError {
  readonly code = -32000;
  constructor(kind: 'node' | 'code', hash: Uint8Array) {
    super(`The stored state is damaged: the ${kind} ${toHex(hash)} is missing`);
  }
}

/** A record of a stored state is not what was written: the store is damaged, or something is stored in a wrong order. */
export class StateRecordError extends CodedError {
  readonly code = -32000;
  constructor(fault: string) {
    super(`The stored state is damaged: ${fault}`);
  }
}
