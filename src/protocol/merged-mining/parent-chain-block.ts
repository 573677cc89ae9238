// Parent chain (Bitcoin) blocks submitted by miners, and their proofs of work.

import { concatBytes, equalBytes } from '../../primitives/bytes.ts';
import { toHex } from '../../primitives/hex.ts';
import { doubleSha256 } from '../../primitives/sha256.ts';
import type { MergedMining } from '../block.ts';
import { InvalidSolutionError } from '../errors.ts';
import {
  COMMITMENT_TAG,
  compressCoinbase,
  encodeBranch,
  firstBranch,
  lastTag,
  PARENT_HEADER_SIZE,
} from './proof-of-work.ts';

const OUTPOINT_LENGTH = 36;
const HASH_LENGTH = 32;

/** Reads serialized values. Throws `RangeError` if the bytes are truncated. */
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

  take(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#position) throw new RangeError('the bytes end too early');
    this.#position += length;
    return this.since(this.#position - length);
  }

  /** Returns the bytes from `position` to the current position. */
  since(position: number): Uint8Array {
    return this.#bytes.slice(position, this.#position);
  }

  byte(): number {
    const value = this.peek(0);
    this.take(1);
    return value;
  }

  /** Returns a byte ahead of the current position; -1 beyond the end. */
  peek(ahead: number): number {
    return this.#bytes[this.#position + ahead] ?? -1;
  }

  /** Reads a compact size: one, three, five or nine bytes, little-endian. */
  compactSize(): number {
    const first = this.byte();
    if (first < 0xfd) return first;
    const length = 2 ** (first - 0xfc);
    let value = 0;
    for (let index = 0; index < length; index++) value += this.byte() * 256 ** index;
    return value;
  }

  takeWithLength(): Uint8Array {
    return this.take(this.compactSize());
  }
}

/** Reads a transaction and removes its witness (BIP-144), because the transaction hash excludes it. */
function readTransaction(reader: ByteReader): Uint8Array {
  const version = reader.take(4);
  const hasWitness = reader.peek(0) === 0 && reader.peek(1) === 1;
  if (hasWitness) reader.take(2);
  const bodyStart = reader.position;
  const inputCount = reader.compactSize();
  if (inputCount === 0) throw new RangeError('a transaction has no inputs');
  for (let input = 0; input < inputCount; input++) {
    reader.take(OUTPOINT_LENGTH);
    reader.takeWithLength();
    reader.take(4);
  }
  const outputCount = reader.compactSize();
  for (let output = 0; output < outputCount; output++) {
    reader.take(8);
    reader.takeWithLength();
  }
  const body = reader.since(bodyStart);
  for (let input = 0; hasWitness && input < inputCount; input++) {
    const itemCount = reader.compactSize();
    for (let item = 0; item < itemCount; item++) reader.takeWithLength();
  }
  return concatBytes(version, body, reader.take(4));
}

function requireEnd(reader: ByteReader): void {
  if (!reader.isAtEnd) throw new RangeError('unexpected bytes after the end');
}

/**
 * Returns a serialized Bitcoin transaction without its witness (BIP-144). Throws `RangeError` if the bytes
 * are not exactly one transaction.
 */
export function readBitcoinTransaction(bytes: Uint8Array): Uint8Array {
  const reader = new ByteReader(bytes);
  const transaction = readTransaction(reader);
  requireEnd(reader);
  return transaction;
}

export interface BitcoinBlock {
  /** 80 bytes. */
  readonly header: Uint8Array;
  /** The transactions without witnesses, the coinbase transaction first. */
  readonly transactions: readonly [Uint8Array, ...Uint8Array[]];
}

/** Parses a serialized Bitcoin block. Throws `RangeError` if it is invalid. */
export function readBitcoinBlock(bytes: Uint8Array): BitcoinBlock {
  const reader = new ByteReader(bytes);
  const header = reader.take(PARENT_HEADER_SIZE);
  const count = reader.compactSize();
  if (count === 0) throw new RangeError('the block has no transactions');
  const coinbase = readTransaction(reader);
  const others: Uint8Array[] = [];
  for (let transaction = 1; transaction < count; transaction++) others.push(readTransaction(reader));
  requireEnd(reader);
  return { header, transactions: [coinbase, ...others] };
}

/**
 * Returns the block hash (32 bytes) after the last `RSKBLOCK:` of a coinbase transaction. Throws `RangeError`
 * with the reason if it is missing.
 */
export function committedHash(coinbase: Uint8Array): Uint8Array {
  const start = lastTag(coinbase);
  if (start === -1) throw new RangeError(missingTag(coinbase));
  const hash = coinbase.slice(start + COMMITMENT_TAG.length, start + COMMITMENT_TAG.length + HASH_LENGTH);
  if (hash.length === HASH_LENGTH) return hash;
  throw new RangeError(`fewer than ${HASH_LENGTH} bytes follow its last RSKBLOCK:`);
}

function missingTag(coinbase: Uint8Array): string {
  const letters = Buffer.from(coinbase).toString('latin1').toUpperCase();
  const tag = Buffer.from(COMMITMENT_TAG).toString('latin1');
  return letters.includes(tag) ? `its ${tag} is not in capital letters` : `it has no ${tag}`;
}

/** A parent chain header with the coinbase transaction of its block. */
export interface ParentChainHead {
  /** 80 bytes. */
  readonly header: Uint8Array;
  /** The transaction without its witness. */
  readonly coinbase: Uint8Array;
}

function proof({ header, coinbase }: ParentChainHead, siblings: readonly Uint8Array[]): MergedMining {
  return { header, coinbaseTransaction: compressCoinbase(coinbase), merkleProof: encodeBranch(siblings) };
}

/** The byte order of submitted hashes. */
type HashSpelling = 'in the byte order of block explorers' | 'in the byte order of the Merkle tree';

function requireCoinbaseFirst(
  coinbase: Uint8Array,
  hashes: readonly Uint8Array[],
  spelling: HashSpelling,
): void {
  const [first] = hashes;
  const expected = doubleSha256(coinbase);
  if (first !== undefined && equalBytes(first, expected)) return;
  const shown = toHex(
    spelling === 'in the byte order of the Merkle tree' ? expected : expected.toReversed(),
  ).slice(2);
  throw new InvalidSolutionError(
    `the first hash is not the hash of the coinbase transaction (${spelling}): ${shown}`,
  );
}

/** Returns the proof of a complete parent chain block. */
export function proofOfBlock({ header, transactions }: BitcoinBlock): MergedMining {
  const [coinbase] = transactions;
  return proof({ header, coinbase }, firstBranch(transactions.map(doubleSha256)));
}

/**
 * Computes the proof of a parent chain block from its transaction hashes (internal byte order). Throws
 * {@link InvalidSolutionError} if the first hash is not the hash of the coinbase transaction.
 */
export function proofOfTransactions(head: ParentChainHead, hashes: readonly Uint8Array[]): MergedMining {
  requireCoinbaseFirst(head.coinbase, hashes, 'in the byte order of block explorers');
  return proof(head, firstBranch(hashes));
}

/** Returns the number of levels above the leaves of a Merkle tree. */
function treeHeight(count: number): number {
  let height = 0;
  for (let width = count; width > 1; width = Math.ceil(width / 2)) height++;
  return height;
}

/**
 * Returns the proof of a parent chain block from a partial Merkle tree: the coinbase transaction hash and its
 * siblings (internal byte order). Throws {@link InvalidSolutionError} if the first hash or the number of
 * siblings is wrong.
 */
export function proofOfPartialTree(
  head: ParentChainHead,
  hashes: readonly Uint8Array[],
  transactionCount: number,
): MergedMining {
  requireCoinbaseFirst(head.coinbase, hashes, 'in the byte order of the Merkle tree');
  const siblings = hashes.slice(1);
  const height = treeHeight(transactionCount);
  if (siblings.length !== height) {
    throw new InvalidSolutionError(
      `number of hashes after the coinbase hash: expected ${height} for ${transactionCount} transactions, got ${siblings.length}`,
    );
  }
  return proof(head, siblings);
}
