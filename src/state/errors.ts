/** Thrown when a checkpoint of an overlay is closed that is not open, or left open where none may be: a bug. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
}
