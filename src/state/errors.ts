// Errors of world states and their stored records.

import { CodedError, type ErrorEntry, fill } from '../primitives/coded-error.ts';
import { toHex } from '../primitives/hex.ts';

/** Thrown for a bug: a missing checkpoint is closed, or an open checkpoint is left. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
}

/** Thrown for the state after a block that was loaded without its state. */
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

/** Thrown for a proof of a state over a source, because its hashes are unknown. */
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

/** Thrown if a stored state record is missing because the store is damaged. */
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

/** Thrown for an invalid state record: the store is damaged, or the order of writes was wrong. */
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
