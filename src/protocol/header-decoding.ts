import { bytesToBigInt, EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts';
import { decodeRlp, encodeRlp, RlpError, type RlpItem } from '../primitives/rlp.ts';
import {
  type BlockHeader,
  type EthereumHeaderFields,
  type FlatHeader,
  HEADER_DEFAULTS,
  HEADER_FIELDS,
  NO_ETHEREUM_FIELDS,
  SHARED_FIELDS,
} from './block.ts';
import { HeaderDecodingError } from './errors.ts';
import { type Encoding, type FieldKind, listFields } from './field-kinds.ts';
import {
  type BodyTransaction,
  type EncodableBlock,
  encodeBlock,
  encodeHeader,
  LATER_ETHEREUM_FIELDS,
} from './header-encoding.ts';
import { BLOOM_SIZE } from './receipt.ts';

type HeaderKind = Exclude<FieldKind, 'flag' | 'byte'>;

/** The lengths of kinds with a fixed length, in bytes. */
const LENGTHS: Readonly<Partial<Record<HeaderKind, number>>> = {
  hash: 32,
  address: 20,
  bloom: BLOOM_SIZE,
  'optional hash': 32,
  'optional root': 32,
  'optional address': 20,
};

/** Reads the items of a list in order. Throws {@link HeaderDecodingError} for an item of a different kind. */
class Fields {
  readonly #items: readonly RlpItem[];
  #position = 0;

  constructor(item: RlpItem) {
    if (item instanceof Uint8Array) throw new HeaderDecodingError('the bytes are not a list');
    this.#items = item;
  }

  get left(): number {
    return this.#items.length - this.#position;
  }

  item(): RlpItem {
    const item = this.#items[this.#position++];
    if (item === undefined) throw new HeaderDecodingError(`only ${this.#items.length} fields`);
    return item;
  }

  bytes(length?: number): Uint8Array {
    const item = this.item();
    if (!(item instanceof Uint8Array)) throw this.#fault('a byte string');
    if (length !== undefined && item.length !== length) throw this.#fault(`${length} bytes`);
    return item;
  }

  integer(): bigint {
    return bytesToBigInt(this.bytes());
  }

  count(): number {
    const value = Number(this.integer());
    if (!Number.isSafeInteger(value)) throw this.#fault('a number below 2^53');
    return value;
  }

  list(): readonly RlpItem[] {
    const item = this.item();
    if (item instanceof Uint8Array) throw this.#fault('a list');
    return item;
  }

  /** Reads a value of a kind that is never `null`. */
  value(kind: HeaderKind): Uint8Array | bigint | number {
    switch (kind) {
      case 'integer':
      case 'gas':
      case 'optional integer':
        return this.integer();
      case 'count':
        return this.count();
      default:
        return this.bytes(LENGTHS[kind]);
    }
  }

  end(): void {
    if (this.left > 0) throw new HeaderDecodingError(`${this.left} surplus fields`);
  }

  #fault(expected: string): HeaderDecodingError {
    return new HeaderDecodingError(`field ${this.#position} is not ${expected}`);
  }
}

/** Reads exactly the fields of the list. Fields that are not in the list are missing from the result. */
function readFields<Name extends keyof FlatHeader>(
  fields: Fields,
  list: readonly { readonly name: Name; readonly kind: HeaderKind }[],
): Pick<FlatHeader, Name> {
  const values = Object.fromEntries(list.map(({ name, kind }) => [name, fields.value(kind)]));
  return values as Pick<FlatHeader, Name>;
}

/** `isFull`: the header includes the Merkle proof and coinbase transaction of the parent chain. */
function readNetworkHeader(fields: Fields, isFull: boolean): BlockHeader {
  const own = readFields(fields, listFields(HEADER_FIELDS));
  // The root of merged-mining commitments, always empty. The genesis header does not have this field.
  if (own.number > 0) fields.bytes(0);
  const header = fields.bytes();
  const [merkleProof, coinbaseTransaction] = isFull
    ? [fields.bytes(), fields.bytes()]
    : [EMPTY_BYTES, EMPTY_BYTES];
  return {
    ...own,
    mergedMining: { header, coinbaseTransaction, merkleProof },
    ethereum: NO_ETHEREUM_FIELDS,
  };
}

function readEthereumHeader(fields: Fields): BlockHeader {
  const shared = readFields(fields, listFields(SHARED_FIELDS));
  const mixHash = fields.bytes(32);
  fields.bytes(8);
  const present = LATER_ETHEREUM_FIELDS.slice(0, fields.left);
  const later: Partial<EthereumHeaderFields> = readFields(fields, present);
  return { ...HEADER_DEFAULTS, ...shared, ethereum: { ...NO_ETHEREUM_FIELDS, mixHash, ...later } };
}

function readHeader(item: RlpItem, encoding: Encoding, isFull: boolean): BlockHeader {
  const fields = new Fields(item);
  const header = encoding === 'network' ? readNetworkHeader(fields, isFull) : readEthereumHeader(fields);
  fields.end();
  return header;
}

/** Maximum number of RLP items of a block: the fields of more transactions than any block gas can pay. */
const MAX_ITEMS = 2 ** 18;

function decodeItem(raw: Uint8Array): RlpItem {
  try {
    return decodeRlp(raw, MAX_ITEMS);
  } catch (error) {
    if (error instanceof RlpError) throw new HeaderDecodingError(error.message);
    throw error;
  }
}

function readTransaction(item: RlpItem): BodyTransaction {
  if (item instanceof Uint8Array) return { type: item[0] ?? 0, raw: item };
  return { type: 0, raw: encodeRlp(item) };
}

/** Rejects integers in a form that the encoder does not produce. */
function requireSame(raw: Uint8Array, encoded: Uint8Array): void {
  if (!equalBytes(raw, encoded)) throw new HeaderDecodingError('a field is not in canonical form');
}

/**
 * Decodes the result of {@link encodeHeader}. Rootstock's encoding lacks the Merkle proof and coinbase
 * transaction; they are empty. Ethereum's encoding lacks fees, minimum gas price and uncle count; they are 0.
 * Throws {@link HeaderDecodingError} for other bytes.
 */
export function decodeHeader(raw: Uint8Array, encoding: Encoding): BlockHeader {
  const header = readHeader(decodeItem(raw), encoding, false);
  requireSame(raw, encodeHeader(header, encoding));
  return header;
}

/**
 * Decodes the result of {@link encodeBlock}, with encoded transactions. Ethereum headers lack the same fields
 * as in {@link decodeHeader}. Throws {@link HeaderDecodingError} for other bytes.
 */
export function decodeBlock(raw: Uint8Array, encoding: Encoding): EncodableBlock {
  const parts = new Fields(decodeItem(raw));
  const header = readHeader(parts.item(), encoding, true);
  const transactions = parts.list().map(readTransaction);
  const uncles = parts.list().map((item) => readHeader(item, encoding, true));
  if (header.ethereum.withdrawalsRoot !== null && parts.list().length > 0) {
    throw new HeaderDecodingError('blocks with withdrawals are not supported');
  }
  parts.end();
  const block = { header, transactions, uncles };
  requireSame(raw, encodeBlock(block, encoding));
  return block;
}
