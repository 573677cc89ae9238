/** Thrown when stored bytes are not a block record: storage is damaged, or was written by something else. */
export class BlockRecordError extends Error {
  override readonly name = 'BlockRecordError';
}
