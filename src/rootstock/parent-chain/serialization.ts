// Reads and writes values as Bitcoin serializes them.

/** Reads serialized values. Throws a `RangeError` if the bytes end too early. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#position === this.#bytes.length;
  }

  get position(): number {
    return this.#position;
  }

  take(length: number): Uint8Array {
    const start = this.#advance(length);
    return this.#bytes.slice(start, start + length);
  }

  byte(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  uint32(): number {
    return this.#view.getUint32(this.#advance(4), true);
  }

  int64(): bigint {
    return this.#view.getBigInt64(this.#advance(8), true);
  }

  /** Reads a compact size: one, three, five or nine bytes, little-endian. */
  compactSize(): number {
    const first = this.byte();
    if (first < 0xfd) return first;
    if (first === 0xfd) return this.#view.getUint16(this.#advance(2), true);
    if (first === 0xfe) return this.uint32();
    return Number(this.#view.getBigUint64(this.#advance(8), true));
  }

  takeWithLength(): Uint8Array {
    return this.take(this.compactSize());
  }

  requireEnd(): void {
    if (!this.isAtEnd) throw new RangeError('unexpected bytes after the end');
  }

  #advance(length: number): number {
    if (length > this.#bytes.length - this.#position) throw new RangeError('the bytes end too early');
    this.#position += length;
    return this.#position - length;
  }
}

/** Returns a number as a compact size of one, three or five bytes. */
export function compactSize(value: number): Uint8Array {
  if (value < 0xfd) return Uint8Array.of(value);
  const size = value <= 0xffff ? 2 : 4;
  const bytes = new Uint8Array(1 + size);
  const view = new DataView(bytes.buffer);
  bytes[0] = size === 2 ? 0xfd : 0xfe;
  if (size === 2) view.setUint16(1, value, true);
  else view.setUint32(1, value, true);
  return bytes;
}

/** Returns an unsigned number as four little-endian bytes. */
export function uint32Bytes(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}
