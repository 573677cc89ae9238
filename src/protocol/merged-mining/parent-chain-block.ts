// Blocks of the parent chain as miners submit them, and the proofs of work in them.

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

  take(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#position) throw new RangeError('the bytes end too early');
    this.#position += length;
    return this.since(this.#position - length);
  }

  /** Returns the bytes from that position up to the next to be read. */
  since(position: number): Uint8Array {
    return this.#bytes.slice(position, this.#position);
  }

  byte(): number {
    const value = this.peek(0);
    this.take(1);
    return value;
  }

  /** Returns the byte so far ahead; -1 beyond the end. */
  peek(ahead: number): number {
    return this.#bytes[this.#position + ahead] ?? -1;
  }

  /** Returns a count in one, three, five or nine bytes, little-endian. */
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

/** Reads one transaction; gives it without its witness (BIP-144), which its hash does not cover. */
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
 * Returns the serialized Bitcoin transaction without its witness. Throws a `RangeError` when the bytes are not one whole
 * transaction (BIP-144 forms included).
 */
export function readBitcoinTransaction(bytes: Uint8Array): Uint8Array {
  const reader = new ByteReader(bytes);
  const transaction = readTransaction(reader);
  requireEnd(reader);
  return transaction;
}

/** A Bitcoin block in its parts. */
interface BitcoinBlock {
  /** 80 bytes. */
  readonly header: Uint8Array;
  /** The transactions without their witnesses, the coinbase transaction first. */
  readonly transactions: readonly [Uint8Array, ...Uint8Array[]];
}

/** Returns the parts of a serialized Bitcoin block. Throws a `RangeError` for anything else. */
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
 * Returns the 32 bytes behind the last `RSKBLOCK:` of a coinbase transaction: the block it commits to. Throws a `RangeError` that
 * says what lacks for that.
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

/** A parent-chain header and the coinbase transaction of its block, as miners submit them. */
export interface ParentChainHead {
  /** 80 bytes. */
  readonly header: Uint8Array;
  /** The transaction without its witness. */
  readonly coinbase: Uint8Array;
}

function proof({ header, coinbase }: ParentChainHead, siblings: readonly Uint8Array[]): MergedMining {
  return { header, coinbaseTransaction: compressCoinbase(coinbase), merkleProof: encodeBranch(siblings) };
}

/** In which order miners write the bytes of the hashes that they submit. */
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

/** Returns the proof in a whole parent-chain block. */
export function proofOfBlock({ header, transactions }: BitcoinBlock): MergedMining {
  const [coinbase] = transactions;
  return proof({ header, coinbase }, firstBranch(transactions.map(doubleSha256)));
}

/**
 * Returns the proof in a parent-chain block of which all transactions' hashes are known, in the order of their bytes in which they
 * are hashed. Throws {@link InvalidSolutionError} when the first is not the coinbase transaction's.
 */
export function proofOfTransactions(head: ParentChainHead, hashes: readonly Uint8Array[]): MergedMining {
  requireCoinbaseFirst(head.coinbase, hashes, 'in the byte order of block explorers');
  return proof(head, firstBranch(hashes));
}

/** Returns the number of siblings from a leaf up to the root of a Merkle tree over so many leaves. */
function treeHeight(count: number): number {
  let height = 0;
  for (let width = count; width > 1; width = Math.ceil(width / 2)) height++;
  return height;
}

/**
 * Returns the proof in a parent-chain block of so many transactions, of which a partial Merkle tree is known: the coinbase
 * transaction's hash and then its siblings on the way up, in the order of their bytes in which they are hashed. Throws
 * {@link InvalidSolutionError} when there is another hash in front or another number of siblings.
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
