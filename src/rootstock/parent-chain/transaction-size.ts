// The size of a serialized transaction, without parsing its content.

import { BitcoinFormatError } from '../bitcoin/byte-reader.ts';

/** Maximum size without witness: a larger transaction exceeds the weight of a block. */
const MAX_BASE_SIZE = 1_000_000;
const MAX_SIZE = 4_000_000;
/** Maximum number of inputs, outputs and witness items together. It limits the time to parse a transaction. */
const MAX_PARTS = 50_000;

/** Thrown for a transaction that exceeds a limit. */
export class TransactionLimitError extends BitcoinFormatError {
  constructor(unit: string, limit: number, actual: number) {
    super(`expected a transaction of at most ${limit} ${unit}, got ${actual}`);
  }
}

const PARTS_UNIT = 'inputs, outputs and witness items';

/** Throws {@link TransactionLimitError}. */
export function requireParts(count: number): void {
  if (count > MAX_PARTS) throw new TransactionLimitError(PARTS_UNIT, MAX_PARTS, count);
}

/** Throws {@link TransactionLimitError}. */
export function requireBaseSize(size: number): void {
  if (size > MAX_BASE_SIZE) throw new TransactionLimitError('bytes without witness', MAX_BASE_SIZE, size);
}

/** Skips the parts of a transaction, and counts them. */
class PartReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  offset: number;
  #parts = 0;

  constructor(bytes: Uint8Array, offset: number) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.offset = offset;
  }

  skip(length: number): void {
    this.offset += length;
    if (this.offset > this.#bytes.length) {
      throw new BitcoinFormatError(`expected ${length} more bytes, got the end of the data`);
    }
  }

  #length(): number {
    const first = this.#bytes[this.offset] ?? 0;
    this.skip(1);
    if (first < 0xfd) return first;
    const at = this.offset;
    this.skip(2 ** (first - 0xfc));
    if (first === 0xfd) return this.#view.getUint16(at, true);
    return first === 0xfe ? this.#view.getUint32(at, true) : Number(this.#view.getBigUint64(at, true));
  }

  /** Reads the number of parts that follow. */
  count(): number {
    const count = this.#length();
    this.#parts += count;
    requireParts(this.#parts);
    return count;
  }

  /** Skips bytes after their length. */
  skipItem(): void {
    this.skip(this.#length());
  }
}

/**
 * Returns the length of the transaction that starts at this offset. Throws `BitcoinFormatError` if the bytes end
 * too early, and {@link TransactionLimitError} if it exceeds a limit.
 */
export function transactionLength(bytes: Uint8Array, start = 0): number {
  const reader = new PartReader(bytes, start);
  reader.skip(4);
  const hasWitness = bytes[start + 4] === 0 && bytes[start + 5] === 1;
  if (hasWitness) reader.skip(2);
  const inputs = reader.count();
  for (let input = 0; input < inputs; input++) {
    reader.skip(36);
    reader.skipItem();
    reader.skip(4);
  }
  for (let left = reader.count(); left > 0; left--) {
    reader.skip(8);
    reader.skipItem();
  }
  requireBaseSize(reader.offset - start);
  for (let input = 0; hasWitness && input < inputs; input++) {
    for (let left = reader.count(); left > 0; left--) reader.skipItem();
  }
  reader.skip(4);
  const length = reader.offset - start;
  if (length > MAX_SIZE) throw new TransactionLimitError('bytes', MAX_SIZE, length);
  return length;
}
