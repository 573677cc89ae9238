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
    name: 'StateUnavailable',
    code: -32000,
    message: 'the state after this block is unknown because the block was loaded without its state',
    page: 'persistence',
  } as const satisfies ErrorEntry;

  constructor() {
    super(fill(UnknownStateError.entry));
  }
}

/** Thrown when a proof is requested of a state over a source, whose hashes are not known here. */
export class UnprovableStateError extends CodedError {
  static readonly entry = {
    name: 'ProofUnavailable',
    code: -32000,
    message:
      'no proofs for blocks after the fork block, because a proof requires the complete state; request the fork block or an earlier block',
    page: 'fork',
  } as const satisfies ErrorEntry;

  constructor() {
    super(fill(UnprovableStateError.entry));
  }
}

/** Thrown when a record of a stored state is missing: the store is damaged. */
export class MissingRecordError extends CodedError {
  static readonly entry = {
    name: 'StateRecordMissing',
    code: -32000,
    message: 'the stored state is damaged: the {kind} {hash} is missing',
    page: 'persistence',
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
    name: 'StateRecordDamaged',
    code: -32000,
    message: 'the stored state is damaged: {fault}',
    page: 'persistence',
  } as const satisfies ErrorEntry;

  constructor(fault: string) {
    super(fill(StateRecordError.entry, { fault }));
  }
}
