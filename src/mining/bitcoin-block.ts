const HEADER_LENGTH = 80;
const OUTPOINT_LENGTH = 36;
const HASH_LENGTH = 32;
const COMMITMENT_TAG = new TextEncoder().encode('RSKBLOCK:');

/** Reads serialized values one after the other. Throws a `RangeError` where the bytes end too early. */
class ByteReader {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get position(): number {
    return this.#position;
  }

  get isAtEnd(): boolean {
    return this.#position === this.#bytes.length;
  }

  skip(length: number): void {
    if (length > this.#bytes.length - this.#position) throw new RangeError('the bytes end too early');
    this.#position += length;
  }

  byte(): number {
    const value = this.peek(0);
    this.skip(1);
    return value;
  }

  /** The byte so far ahead; -1 beyond the end. */
  peek(ahead: number): number {
    return this.#bytes[this.#position + ahead] ?? -1;
  }

  /** A count in one, three, five or nine bytes, little-endian. */
  compactSize(): number {
    const first = this.byte();
    if (first < 0xfd) return first;
    const length = 2 ** (first - 0xfc);
    let value = 0;
    for (let index = 0; index < length; index++) value += this.byte() * 256 ** index;
    return value;
  }

  skipBytesWithLength(): void {
    this.skip(this.compactSize());
  }
}

function skipTransaction(reader: ByteReader): void {
  reader.skip(4);
  const hasWitness = reader.peek(0) === 0 && reader.peek(1) === 1;
  if (hasWitness) reader.skip(2);
  const inputCount = reader.compactSize();
  if (inputCount === 0) throw new RangeError('a transaction has at least one input');
  for (let input = 0; input < inputCount; input++) {
    reader.skip(OUTPOINT_LENGTH);
    reader.skipBytesWithLength();
    reader.skip(4);
  }
  const outputCount = reader.compactSize();
  for (let output = 0; output < outputCount; output++) {
    reader.skip(8);
    reader.skipBytesWithLength();
  }
  for (let input = 0; hasWitness && input < inputCount; input++) {
    const itemCount = reader.compactSize();
    for (let item = 0; item < itemCount; item++) reader.skipBytesWithLength();
  }
  reader.skip(4);
}

function requireEnd(reader: ByteReader): void {
  if (!reader.isAtEnd) throw new RangeError('bytes follow after the end');
}

/** Throws a `RangeError` when the bytes are not one whole serialized Bitcoin transaction (BIP-144 forms included). */
export function requireBitcoinTransaction(bytes: Uint8Array): void {
  const reader = new ByteReader(bytes);
  skipTransaction(reader);
  requireEnd(reader);
}

/** The first transaction of a serialized Bitcoin block, as its bytes. Throws a `RangeError` for anything else. */
export function coinbaseOfBitcoinBlock(bytes: Uint8Array): Uint8Array {
  const reader = new ByteReader(bytes);
  reader.skip(HEADER_LENGTH);
  const count = reader.compactSize();
  if (count === 0) throw new RangeError('a block has at least one transaction');
  const start = reader.position;
  skipTransaction(reader);
  const coinbase = bytes.subarray(start, reader.position);
  for (let transaction = 1; transaction < count; transaction++) skipTransaction(reader);
  requireEnd(reader);
  return coinbase;
}

/** The 32 bytes behind the last `RSKBLOCK:` of a coinbase transaction: the block it commits to; `undefined` without. */
export function committedHash(coinbase: Uint8Array): Uint8Array | undefined {
  const start = Buffer.from(coinbase).lastIndexOf(COMMITMENT_TAG);
  if (start === -1) return undefined;
  const hash = coinbase.slice(start + COMMITMENT_TAG.length, start + COMMITMENT_TAG.length + HASH_LENGTH);
  return hash.length === HASH_LENGTH ? hash : undefined;
}
