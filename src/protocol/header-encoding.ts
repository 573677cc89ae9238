import {
  bigIntToBytes,
  bigIntToSignedBytes,
  EMPTY_BYTES,
  numberToBytes,
  padLeft,
} from '../primitives/bytes.ts';
import { keccak256 } from '../primitives/keccak.ts';
import {
  encodeRlp,
  encodeRlpList,
  prependRlp,
  type RlpItem,
  rlpLength,
  rlpListLength,
} from '../primitives/rlp.ts';
import {
  type Block,
  type BlockHeader,
  ETHEREUM_FIELDS,
  HEADER_FIELDS,
  hasWithdrawals,
  type MergedMining,
  SHARED_FIELDS,
} from './block.ts';
import { type Encoding, listFields } from './field-kinds.ts';
import type { Transaction } from './transaction.ts';

const GENESIS_DIFFICULTY_SIZE = 5;
const ZERO_NONCE = new Uint8Array(8);

type PlainName = keyof typeof HEADER_FIELDS;

const PLAIN_FIELDS = listFields(HEADER_FIELDS);
const BOTH_FORMS = listFields(SHARED_FIELDS);
/** The last fields of Ethereum's encoding. Their presence depends on the rule set. */
export const LATER_ETHEREUM_FIELDS = listFields(ETHEREUM_FIELDS).filter(({ name }) => name !== 'mixHash');

function fieldItem(value: Uint8Array | bigint | number): Uint8Array {
  if (value instanceof Uint8Array) return value;
  return typeof value === 'number' ? numberToBytes(value) : bigIntToBytes(value);
}

/** The genesis difficulty is padded with leading zeros, as in genesis files. */
function networkDifficulty({ number, difficulty }: BlockHeader): Uint8Array {
  const bytes = bigIntToBytes(difficulty);
  return number > 0 ? bytes : padLeft(bytes, Math.max(bytes.length, GENESIS_DIFFICULTY_SIZE));
}

function networkItem(header: BlockHeader, name: PlainName): Uint8Array {
  if (name === 'difficulty') return networkDifficulty(header);
  // The genesis gas limit is unsigned, as in the genesis file.
  const isSigned = name === 'minimumGasPrice' || (name === 'gasLimit' && header.number > 0);
  return isSigned ? bigIntToSignedBytes(header[name]) : fieldItem(header[name]);
}

function networkItems(header: BlockHeader): Uint8Array[] {
  const items = PLAIN_FIELDS.map(({ name }) => networkItem(header, name));
  // The genesis header lacks the root of merged-mining commitments.
  if (header.number > 0) items.push(EMPTY_BYTES);
  return items;
}

function ethereumItems(header: BlockHeader): RlpItem[] {
  const { ethereum } = header;
  const items: RlpItem[] = [];
  for (const { name } of BOTH_FORMS) items.push(fieldItem(header[name]));
  items.push(ethereum.mixHash, ZERO_NONCE);
  for (const { name } of LATER_ETHEREUM_FIELDS) {
    const value = ethereum[name];
    if (value !== null) items.push(fieldItem(value));
  }
  return items;
}

/**
 * A Rootstock header. Its fields without merged mining are encoded once and shared by all encodings, because
 * mining a block needs most of them.
 */
export class RootstockHeaderEncoding {
  /** The encoded fields, concatenated. */
  readonly #fields: Uint8Array;

  /** Ignores the merged-mining fields of `header`. */
  constructor(header: BlockHeader) {
    const items = networkItems(header);
    let length = 0;
    for (const item of items) length += rlpLength(item);
    const fields = new Uint8Array(length);
    for (const item of items.reverse()) length = prependRlp(fields, length, item);
    this.#fields = fields;
  }

  /** Returns the hash for merged mining: Keccak of the header without its merged-mining fields. */
  hashForMergedMining(): Uint8Array {
    return keccak256(encodeRlpList([this.#fields]));
  }

  /** Returns the raw header, with the parent chain's header as its last field. */
  raw({ header }: MergedMining): Uint8Array {
    return encodeRlpList([this.#fields, encodeRlp(header)]);
  }

  /** Returns the header as in a block, with all merged-mining fields. */
  full({ header, merkleProof, coinbaseTransaction }: MergedMining): Uint8Array {
    const ofMergedMining = [header, merkleProof, coinbaseTransaction].map((field) => encodeRlp(field));
    return encodeRlpList([this.#fields, ...ofMergedMining]);
  }

  /** Returns the length of {@link full} in bytes. */
  fullLength({ header, merkleProof, coinbaseTransaction }: MergedMining): number {
    const ofMergedMining = rlpLength(header) + rlpLength(merkleProof) + rlpLength(coinbaseTransaction);
    return rlpListLength(this.#fields.length + ofMergedMining);
  }
}

/**
 * Returns the raw header, whose hash is the block hash. In Rootstock's encoding, the fields are uncompressed,
 * and the parent chain's header is the last field.
 */
export function encodeHeader(header: BlockHeader, encoding: Encoding): Uint8Array {
  if (encoding === 'ethereum') return encodeRlp(ethereumItems(header));
  return new RootstockHeaderEncoding(header).raw(header.mergedMining);
}

/** Returns the block hash: Keccak of the raw header. */
export function headerHash(header: BlockHeader, encoding: Encoding): Uint8Array {
  return keccak256(encodeHeader(header, encoding));
}

/** Returns the hash for merged mining: Keccak of the header without its merged-mining fields. */
export function hashForMergedMining(header: BlockHeader): Uint8Array {
  return new RootstockHeaderEncoding(header).hashForMergedMining();
}

/** A transaction in a block: its type (EIP-2718) and its encoding, prefixed with the type unless it is 0. */
export type BodyTransaction = Pick<Transaction, 'raw'> & { readonly type: number };

function encodeBodyTransaction(transaction: BodyTransaction): Uint8Array {
  return transaction.type === 0 ? transaction.raw : encodeRlp(transaction.raw);
}

function encodeFullHeader(header: BlockHeader, encoding: Encoding): Uint8Array {
  if (encoding === 'ethereum') return encodeHeader(header, encoding);
  return new RootstockHeaderEncoding(header).full(header.mergedMining);
}

/** The parts of a block that are encoded. */
export type EncodableBlock = Pick<Block, 'header' | 'uncles'> & {
  readonly transactions: readonly BodyTransaction[];
};

/**
 * Returns the length of {@link encodeBlock} in bytes. `fullHeaderLength` is the length of the header in a
 * block. Encodes only the uncles.
 */
export function blockSize(
  { header, transactions, uncles }: EncodableBlock,
  encoding: Encoding,
  fullHeaderLength: number,
): number {
  let [body, uncleLength] = [0, 0];
  for (const { type, raw } of transactions) body += type === 0 ? raw.length : rlpLength(raw);
  for (const uncle of uncles) uncleLength += encodeFullHeader(uncle, encoding).length;
  const lists = rlpListLength(body) + rlpListLength(uncleLength) + (hasWithdrawals(header) ? 1 : 0);
  return rlpListLength(fullHeaderLength + lists);
}

/** Returns the block as one RLP item: full header, transactions, uncle headers. */
export function encodeBlock(block: EncodableBlock, encoding: Encoding): Uint8Array {
  const parts = [
    encodeFullHeader(block.header, encoding),
    encodeRlpList(block.transactions.map(encodeBodyTransaction)),
    encodeRlpList(block.uncles.map((uncle) => encodeFullHeader(uncle, encoding))),
  ];
  if (hasWithdrawals(block.header)) parts.push(encodeRlp([]));
  return encodeRlpList(parts);
}

/** The uncles hash of a block without uncles. */
export const NO_UNCLES_HASH: Uint8Array = keccak256(encodeRlpList([]));

/** Returns the hash of the uncle headers of a block. */
export function unclesHash(uncles: readonly BlockHeader[], encoding: Encoding): Uint8Array {
  if (uncles.length === 0) return NO_UNCLES_HASH;
  return keccak256(encodeRlpList(uncles.map((uncle) => encodeFullHeader(uncle, encoding))));
}
