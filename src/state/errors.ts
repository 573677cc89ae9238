// Errors of world states and of the records that store them.

import { CodedError, type ErrorEntry, fill } from '../primitives/coded-error.ts';
import { toHex } from '../primitives/hex.ts';

/** Thrown when a checkpoint is closed that is not open, or left open where none may be: a bug. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
}

/**
 * Thrown when the state after a block is requested and the block came without it, as blocks made by another node can.
 */
export class UnknownStateError extends CodedError {
  static readonly entry = {
    name: 'UnknownState',
    code: -32000,
    message: 'The state after this block is not known: the block was loaded without it',
    page: 'state',
  } as const satisfies ErrorEntry;

  constructor() {
    super(fill(UnknownStateError.entry));
  }
}

/** Thrown when a proof is requested of a state over a source, whose hashes are not known here. */
export class UnprovableStateError extends CodedError {
  static readonly entry = {
    name: 'UnprovableState',
    code: -32000,
    message:
      'There are no proofs of blocks that were made on a fork: the whole state would be needed; ask for a block of the upstream',
    page: 'state',
  } as const satisfies ErrorEntry;

  constructor() {
    super(fill(UnprovableStateError.entry));
  }
}

/** Thrown when a record of a stored state is missing: the store is damaged. */
export class MissingRecordError extends CodedError {
  static readonly entry = {
    name: 'MissingRecord',
    code: -32000,
    message: 'The stored state is damaged: the {kind} {hash} is missing',
    page: 'state',
  } as const satisfies ErrorEntry;

  constructor(kind: 'node' | 'code' | 'state', hash: Uint8Array) {
    super(fill(MissingRecordError.entry, { kind, hash: toHex(hash) }));
  }
}

/**
 * Thrown when a record of a stored state has other content than was written: the store is damaged, or records were
 * stored in a wrong order.
 */
export class StateRecordError extends CodedError {
  static readonly entry = {
    name: 'StateRecord',
    code: -32000,
    message: 'The stored state is damaged: {fault}',
    page: 'state',
  } as const satisfies ErrorEntry;

  constructor(fault: string) {
    super(fill(StateRecordError.entry, { fault }));
  }
}
