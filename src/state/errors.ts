// Errors of world states and their stored records.

import { codedError } from '../primitives/error-class.ts';
import { toHex } from '../primitives/hex.ts';

/** Thrown for a bug: a missing checkpoint is closed, or an open checkpoint is left. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
}

/** Thrown for the state after a block that was loaded without its state. */
export class UnknownStateError extends codedError({
  name: 'StateUnavailable',
  code: -32000,
  message: 'the state after this block is unknown because the block was loaded without its state',
  page: 'persistence',
}) {}

/** Thrown for a proof of a state over a source, because its hashes are unknown. */
export class UnprovableStateError extends codedError({
  name: 'ProofUnavailable',
  code: -32000,
  message:
    'no proofs for blocks after the fork block, because a proof requires the complete state; request the fork block or an earlier block',
  page: 'fork',
}) {}

/** Thrown if a stored state record is missing because the store is damaged. */
export class MissingRecordError extends codedError({
  name: 'StateRecordMissing',
  code: -32000,
  message: 'the stored state is damaged: the {kind} {hash} is missing',
  page: 'persistence',
}) {
  constructor(kind: 'node' | 'code' | 'state', hash: Uint8Array) {
    super({ kind, hash: toHex(hash) });
  }
}

/** Thrown for an invalid state record: the store is damaged, or the order of writes was wrong. */
export class StateRecordError extends codedError({
  name: 'StateRecordDamaged',
  code: -32000,
  message: 'the stored state is damaged: {fault}',
  page: 'persistence',
}) {
  constructor(fault: string) {
    super({ fault });
  }
}
