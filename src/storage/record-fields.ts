import { bigIntToBytes, numberToBytes } from '../primitives/bytes.ts';
import { decodeRlp, RlpError, type RlpItem } from '../primitives/rlp.ts';
import { BlockRecordError } from './errors.ts';

/** Returns the fields that `read` takes out of a record. Throws {@link BlockRecordError} where the bytes are not the RLP of what is looked for. */
export function readingRlp<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RlpError) throw new BlockRecordError(error.message, { cause: error });
    throw error;
  }
}

/** The item that a record is the RLP of. Throws {@link BlockRecordError} for other bytes. */
export function itemOf(record: Uint8Array): RlpItem {
  return readingRlp(() => decodeRlp(record));
}

/** The field as bytes. Throws {@link BlockRecordError} when it is a list or missing. */
export function bytesOf(item: RlpItem | undefined): Uint8Array {
  if (item instanceof Uint8Array) return item;
  throw new BlockRecordError('a record has a list where bytes belong');
}

/** The field as a list. Throws {@link BlockRecordError} when it is bytes or missing. */
export function listOf(item: RlpItem | undefined): readonly RlpItem[] {
  if (item !== undefined && !(item instanceof Uint8Array)) return item;
  throw new BlockRecordError('a record has bytes where a list belongs');
}

/** An unsigned integer as a field. */
export function integer(value: bigint | number): Uint8Array {
  return typeof value === 'number' ? numberToBytes(value) : bigIntToBytes(value);
}
